-- What was given back by mistake (0016) is told in the lines of the statement too: charged again by a
-- correction, or waived. A correction names its messages.
create index messages_by_correction on messages (account_id, correct_seq) where correct_seq is not null;

-- What became of what lines stand for, by line. Of a hold: `o_released_n` messages, for `o_released`
-- rupiah, were given back; of those, some were charged again or waived later. o_after: the available
-- saldo after the last of them came back. Of a correction: its message only. With one message there is a
-- name for it.
drop function hold_outcomes(uuid, bigint[]);
create function line_outcomes(p_account uuid, p_holds bigint[], p_corrections bigint[]) returns table (
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

-- A page of the messages that a hold or a correction was for, in the order they were accepted, each with
-- the entries that settled it and that charged it again.
drop function hold_messages(uuid, bigint, bigint, int);
create function line_messages(p_account uuid, p_line bigint, p_offset bigint, p_limit int)
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

-- Sets marks that are missing, over at most p_max entries: a wallet of millions is marked by several
-- calls, each within a statement's time. True: there is more to mark.
drop function mark_statement(uuid);
create function mark_statement(p_account uuid, p_max int default 200000) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_marked bigint;
  v_lines bigint;
  v_all bigint;
  v_upto bigint;
begin
  select seq - seq % 256 into v_all from wallets where account_id = p_account;
  select seq, lines into v_marked, v_lines from statement_marks
    where account_id = p_account order by seq desc limit 1;
  v_marked := coalesce(v_marked, 0);
  v_upto := least(v_all, v_marked + greatest(256, p_max - p_max % 256));
  if v_all is null or v_upto <= v_marked then
    return false;
  end if;
  insert into statement_marks (account_id, seq, lines)
    select p_account, part * 256,
      coalesce(v_lines, 0) + sum(count(*) filter (where is_line(kind))) over (order by part)
    from (
      select (seq + 255) / 256 as part, kind from wallet_entries
      where account_id = p_account and seq > v_marked and seq <= v_upto
    ) e group by part
    on conflict do nothing;
  return v_upto < v_all;
end
$$;

revoke all on function mark_statement from public;
grant execute on function mark_statement to kabari_app;
