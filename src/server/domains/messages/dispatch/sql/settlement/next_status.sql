-- What a message becomes by outcomes told of it: p_rank is the highest of their status_rank, p_sent says
-- whether `sent` is among them, p_bad names the bad end among them. Its present status where nothing
-- changes. A status only rises. One exception: an end that we only assumed, and whose price was given
-- back, is proved wrong by `sent` too.
-- Read by settle_messages, within its statement.
create or replace function next_status(
  p_status text, p_failure text, p_charge text, p_rank int, p_sent boolean, p_bad text
) returns text
language sql immutable parallel safe as $$
select case
  when p_rank > status_rank(p_status) then
    case p_rank when 7 then 'read' when 6 then 'delivered' when 5 then p_bad else 'sent' end
  when p_sent and p_charge = 'released' and is_assumed(p_status, p_failure) then 'sent'
  else p_status end
$$;
