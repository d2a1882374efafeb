-- The statement shows what became of a batch of messages as one line: its hold, and what captures
-- and releases did to it. Those two kinds of entries are steps of lines, every other kind is a
-- line.
create or replace function is_line(p_kind text) returns boolean
language sql immutable parallel safe
return p_kind not in ('capture', 'release');

-- The entry that is the p_line-th line of the statement; null beyond the last. The marks are
-- searched by halves. Called by the statement's pages.
create or replace function line_entry(p_account uuid, p_line bigint) returns bigint
language plpgsql stable as $$
declare
  v_low bigint := 0;
  v_high bigint;
  v_middle bigint;
  v_lines bigint;
  v_before bigint := 0;
  v_seq bigint;
begin
  select seq / 256 into v_high from statement_marks
    where account_id = p_account order by seq desc limit 1;
  while v_low < coalesce(v_high, 0) loop
    v_middle := (v_low + v_high + 1) / 2;
    select lines into v_lines from statement_marks
      where account_id = p_account and seq = v_middle * 256;
    if v_lines < p_line then
      v_low := v_middle;
      v_before := v_lines;
    else
      v_high := v_middle - 1;
    end if;
  end loop;
  select seq into v_seq from wallet_entries
    where account_id = p_account and seq > v_low * 256 and is_line(kind)
    order by seq offset p_line - v_before - 1 limit 1;
  return v_seq;
end
$$;

-- How many lines of the statement the entries 1 to p_seq are. Called by the statement's pages.
create or replace function lines_upto(p_account uuid, p_seq bigint) returns bigint
language plpgsql stable as $$
declare
  v_marked bigint;
  v_lines bigint;
  v_more bigint;
begin
  select seq, lines into v_marked, v_lines from statement_marks
    where account_id = p_account and seq <= p_seq order by seq desc limit 1;
  select count(*) into v_more from wallet_entries
    where account_id = p_account and seq > coalesce(v_marked, 0) and seq <= p_seq and is_line(kind);
  return coalesce(v_lines, 0) + v_more;
end
$$;

-- How many entries a wallet had before an instant. Entries are numbered without gaps and in the
-- order of time, so a search by halves over the primary key finds it: 24 look-ups among 10 million.
-- Called by the statement's filter of dates.
create or replace function entries_before(p_account uuid, p_at timestamptz) returns bigint
language plpgsql stable as $$
declare
  v_low bigint := 0;
  v_high bigint;
  v_middle bigint;
  v_made timestamptz;
begin
  select seq into v_high from wallets where account_id = p_account;
  while v_low < v_high loop
    v_middle := (v_low + v_high + 1) / 2;
    select created_at into v_made from wallet_entries
      where account_id = p_account and seq = v_middle;
    if v_made < p_at then
      v_low := v_middle;
    else
      v_high := v_middle - 1;
    end if;
  end loop;
  return v_low;
end
$$;

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

-- Sets marks of the statement that are missing, over at most p_max entries: a wallet of millions is
-- marked by several calls, each within a statement's time. True: there is more to mark. Called when
-- somebody looks at the statement. Locks nothing; several at once write the same marks.
create or replace function mark_statement(p_account uuid, p_max int default 200000) returns boolean
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
