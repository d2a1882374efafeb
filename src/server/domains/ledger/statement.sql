-- The statement shows a batch of messages as one line: its hold, with its captures and releases. Entries of those two
-- kinds are steps of a line; every other kind is a line of its own.
create or replace function is_statement_line(p_kind text) returns boolean
language sql immutable parallel safe
return p_kind not in ('capture', 'release');

-- The entry that is the p_line-th line of the statement; null beyond the last. Binary search over the marks. Called by
-- the statement's pages.
create or replace function entry_of_statement_line(p_account uuid, p_line bigint) returns bigint
language plpgsql stable as $$
declare
  v_low bigint := 0;
  v_high bigint;
  v_middle bigint;
  v_lines bigint;
  v_before bigint := 0;
  v_seq bigint;
begin
  select seq / 256 into v_high from statement_cursors
    where account_id = p_account order by seq desc limit 1;
  while v_low < coalesce(v_high, 0) loop
    v_middle := (v_low + v_high + 1) / 2;
    select lines into v_lines from statement_cursors
      where account_id = p_account and seq = v_middle * 256;
    if v_lines < p_line then
      v_low := v_middle;
      v_before := v_lines;
    else
      v_high := v_middle - 1;
    end if;
  end loop;
  select seq into v_seq from wallet_entries
    where account_id = p_account and seq > v_low * 256 and is_statement_line(kind)
    order by seq offset p_line - v_before - 1 limit 1;
  return v_seq;
end
$$;

-- Number of statement lines among the entries 1 to p_seq. Called by the statement's pages.
create or replace function count_statement_lines(p_account uuid, p_seq bigint) returns bigint
language plpgsql stable as $$
declare
  v_marked bigint;
  v_lines bigint;
  v_more bigint;
begin
  select seq, lines into v_marked, v_lines from statement_cursors
    where account_id = p_account and seq <= p_seq order by seq desc limit 1;
  select count(*) into v_more from wallet_entries
    where account_id = p_account and seq > coalesce(v_marked, 0) and seq <= p_seq and is_statement_line(kind);
  return coalesce(v_lines, 0) + v_more;
end
$$;

-- Number of a wallet's entries before an instant. Entries are numbered without gaps and in the order of time, so a
-- binary search over the primary key finds it: 24 look-ups among 10 million. Called by the statement's filter of dates.
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

-- Adds missing marks of the statement, over at most p_max entries: a wallet of millions is marked by several calls,
-- each within the statement timeout. True: there is more to mark. Called when a user opens the statement. Locks
-- nothing; concurrent calls write the same marks.
create or replace function advance_statement_cursors(p_account uuid, p_max int default 200000) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_marked bigint;
  v_lines bigint;
  v_all bigint;
  v_upto bigint;
begin
  select seq - seq % 256 into v_all from wallets where account_id = p_account;
  select seq, lines into v_marked, v_lines from statement_cursors
    where account_id = p_account order by seq desc limit 1;
  v_marked := coalesce(v_marked, 0);
  v_upto := least(v_all, v_marked + greatest(256, p_max - p_max % 256));
  if v_all is null or v_upto <= v_marked then
    return false;
  end if;
  insert into statement_cursors (account_id, seq, lines)
    select p_account, part * 256,
      coalesce(v_lines, 0) + sum(count(*) filter (where is_statement_line(kind))) over (order by part)
    from (
      select (seq + 255) / 256 as part, kind from wallet_entries
      where account_id = p_account and seq > v_marked and seq <= v_upto
    ) e group by part
    on conflict do nothing;
  return v_upto < v_all;
end
$$;

revoke all on function advance_statement_cursors from public;
grant execute on function advance_statement_cursors to kabari_app;
