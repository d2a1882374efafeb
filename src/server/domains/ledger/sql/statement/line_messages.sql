-- A page of the messages that a hold or a correction was for, in the order they were accepted, each
-- with the entries that settled it and that charged it again. Called by the list of a line's
-- messages.
create or replace function line_messages(p_account uuid, p_line bigint, p_offset bigint, p_limit int)
returns table (
  o_message uuid, o_peer text, o_price bigint, o_charge text, o_at timestamptz,
  o_available_after bigint, o_corrected_at timestamptz, o_corrected_after bigint
)
language sql stable as $$
  select x.message_id, x.peer, x.price, x.charge_state, e.created_at, e.available_after,
    c.created_at, c.available_after
  from (
    select * from messages h where h.account_id = p_account and h.hold_seq = p_line
    union all
    select * from messages k where k.account_id = p_account and k.correct_seq = p_line
  ) x
  left join wallet_entries e on e.account_id = p_account and e.seq = x.settle_seq
  left join wallet_entries c on c.account_id = p_account and c.seq = x.correct_seq
  order by x.message_id offset p_offset limit p_limit
$$;
