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
