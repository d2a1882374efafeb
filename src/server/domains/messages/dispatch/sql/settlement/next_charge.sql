-- What becomes of a message's charge with its next status: captured, released, corrected (charged again);
-- null where it stays. p_sent says whether `sent` was told of it, also beside its end.
-- Read by settle_messages, within its statement.
create or replace function next_charge(p_charge text, p_next text, p_sent boolean) returns text
language sql immutable parallel safe as $$
select case
  when p_charge = 'held' and (p_sent or p_next in ('sent', 'delivered', 'read')) then 'captured'
  when p_charge = 'held' and p_next in ('failed', 'cancelled', 'expired') then 'released'
  when p_charge = 'released' and p_next in ('sent', 'delivered', 'read') then 'corrected'
end
$$;
