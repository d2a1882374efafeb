-- What became of what lines stand for, by line. Of a hold: `o_released_n` messages, for
-- `o_released` rupiah, were given back; of those, some were charged again or waived later. o_after:
-- the available saldo after the last of them came back. Of a correction: its message only. With one
-- message there is a name for it.
-- Called by the statement's pages and its file.
create or replace function line_outcomes(p_account uuid, p_holds bigint[], p_corrections bigint[]) returns table (
  o_line bigint, o_captured_n bigint, o_captured bigint, o_released_n bigint, o_released bigint,
  o_corrected_n bigint, o_waived_n bigint, o_held_n bigint, o_after bigint, o_message uuid, o_peer text
)
language sql stable as $$
  select l.seq,
    count(*) filter (where m.kind = 'capture'),
    coalesce(sum(m.price) filter (where m.kind = 'capture'), 0)::bigint,
    count(*) filter (where m.kind = 'release'),
    coalesce(sum(m.price) filter (where m.kind = 'release'), 0)::bigint,
    count(*) filter (where m.correct_seq is not null),
    count(*) filter (where m.charge_state = 'waived'),
    count(*) filter (where m.message_id is not null and m.kind is null),
    (array_agg(m.available_after order by m.settle_seq desc) filter (where m.kind = 'release'))[1],
    case when count(*) = 1 then (array_agg(m.message_id))[1] end,
    case when count(*) = 1 then (array_agg(m.peer))[1] end
  from (
    select unnest(p_holds) as seq, true as is_hold
    union all
    select unnest(p_corrections), false
  ) l
  left join lateral (
    select x.message_id, x.peer, x.price, x.charge_state, x.settle_seq, x.correct_seq, e.kind,
      e.available_after
    from messages x
    left join wallet_entries e on e.account_id = p_account and e.seq = x.settle_seq
    where x.account_id = p_account and x.hold_seq = l.seq and l.is_hold
    union all
    select x.message_id, x.peer, x.price, null, null, null, null, null from messages x
    where x.account_id = p_account and x.correct_seq = l.seq and not l.is_hold
  ) m on true
  group by l.seq
$$;
