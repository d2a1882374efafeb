-- The statement shows what became of a batch of messages as one line: its hold, and what captures and
-- releases did to it. Those two kinds of entries are steps of lines, every other kind is a line.
create function is_line(p_kind text) returns boolean
language sql immutable parallel safe
return p_kind not in ('capture', 'release');

-- How many lines the first `seq` entries of a wallet are, noted every 256 entries. Entries are only
-- added, so a mark stays true. They are set when somebody looks at the statement: what money moves by
-- is not slowed.
create table statement_marks (
  account_id  uuid not null references wallets,
  seq         bigint not null,
  lines       bigint not null,
  primary key (account_id, seq)
);
call tenant_table('statement_marks', 'select');

-- Sets the marks that are missing.
create function mark_statement(p_account uuid) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_marked bigint;
  v_lines bigint;
  v_upto bigint;
begin
  select seq - seq % 256 into v_upto from wallets where account_id = p_account;
  select seq, lines into v_marked, v_lines from statement_marks
    where account_id = p_account order by seq desc limit 1;
  v_marked := coalesce(v_marked, 0);
  if v_upto <= v_marked then
    return;
  end if;
  insert into statement_marks (account_id, seq, lines)
    select p_account, part * 256,
      coalesce(v_lines, 0) + sum(count(*) filter (where is_line(kind))) over (order by part)
    from (
      select (seq + 255) / 256 as part, kind from wallet_entries
      where account_id = p_account and seq > v_marked and seq <= v_upto
    ) e group by part
    on conflict do nothing;
end
$$;

-- How many lines the entries 1 to p_seq are.
create function lines_upto(p_account uuid, p_seq bigint) returns bigint
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

-- The entry that is the p_line-th line; null beyond the last. The marks are searched by halves.
create function line_entry(p_account uuid, p_line bigint) returns bigint
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

-- What became of what was held, by hold: `n` messages, for `amount` rupiah. A message counts as given
-- back unless a capture settled it; with one message there is a name for it.
create function hold_outcomes(p_account uuid, p_holds bigint[]) returns table (
  o_hold bigint, o_captured_n bigint, o_captured bigint, o_released_n bigint, o_released bigint,
  o_held_n bigint, o_held bigint, o_message uuid, o_peer text
)
language sql stable as $$
  select h.seq,
    count(*) filter (where m.kind = 'capture'),
    coalesce(sum(m.price) filter (where m.kind = 'capture'), 0)::bigint,
    count(*) filter (where m.kind <> 'capture'),
    coalesce(sum(m.price) filter (where m.kind <> 'capture'), 0)::bigint,
    count(*) filter (where m.message_id is not null and m.kind is null),
    coalesce(sum(m.price) filter (where m.kind is null), 0)::bigint,
    case when count(*) = 1 then (array_agg(m.message_id))[1] end,
    case when count(*) = 1 then (array_agg(m.peer))[1] end
  from unnest(p_holds) as h(seq)
  left join lateral (
    select x.message_id, x.peer, x.price, e.kind from messages x
    left join wallet_entries e on e.account_id = p_account and e.seq = x.settle_seq
    where x.account_id = p_account and x.hold_seq = h.seq
  ) m on true
  group by h.seq
$$;

-- A page of the messages that a hold was for, in the order they were accepted, each with the entry
-- that settled it.
create function hold_messages(p_account uuid, p_hold bigint, p_offset bigint, p_limit int)
returns table (
  o_message uuid, o_peer text, o_price bigint, o_kind text, o_at timestamptz,
  o_available_after bigint
)
language sql stable as $$
  select x.message_id, x.peer, x.price, e.kind, e.created_at, e.available_after
  from messages x
  left join wallet_entries e on e.account_id = p_account and e.seq = x.settle_seq
  where x.account_id = p_account and x.hold_seq = p_hold
  order by x.message_id offset p_offset limit p_limit
$$;

revoke all on function mark_statement from public;
grant execute on function mark_statement to kabari_app;

select mark_statement(account_id) from wallets;
