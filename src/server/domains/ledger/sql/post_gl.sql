-- A balanced transaction of the general ledger: lines of zero are left out, the rest must sum to
-- zero. Called by whatever moves money, in the transaction of the cause. Locks nothing. Raises P0001 when
-- the lines are not balanced, 23503 when there is no such account, a unique violation when the key was used.
create or replace function post_gl(
  p_account uuid, p_txn uuid, p_idem text, p_kind text, p_accounts text[], p_amounts bigint[]
) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform post_gl_many(
    array[p_account], array[p_txn], array[p_idem], p_kind,
    array_fill(1, array[cardinality(p_accounts)]), p_accounts, p_amounts
  );
end
$$;

-- Transactions of one kind, in one statement. Their lines come as parallel arrays: p_of[l] is the
-- transaction of line l, counted from 1. Otherwise as post_gl.
create or replace function post_gl_many(
  p_account uuid[], p_txn uuid[], p_idem text[], p_kind text,
  p_of int[], p_gl_account text[], p_amount bigint[]
) returns void
language plpgsql as $$
declare
  v_odd text;
begin
  select p_idem[l.of] into v_odd from unnest(p_of, p_amount) as l(of, amount)
    group by l.of having sum(l.amount) <> 0 limit 1;
  if found then
    raise exception 'gl transaction % is not balanced', v_odd;
  end if;
  select l.code into v_odd from unnest(p_gl_account) as l(code)
    where not exists (select from gl_accounts a where a.code = l.code) limit 1;
  if found then
    raise exception 'no general-ledger account %', v_odd using errcode = '23503';
  end if;
  insert into gl_txns (account_id, txn_id, idem_key, kind)
    select t.account, t.txn, t.idem, p_kind from unnest(p_account, p_txn, p_idem) as t(account, txn, idem);
  insert into gl_lines (account_id, txn_id, line_no, gl_account, amount)
    select p_account[l.of], p_txn[l.of], row_number() over (partition by l.of order by l.place), l.code,
      l.amount
    from unnest(p_of, p_gl_account, p_amount) with ordinality as l(of, code, amount, place)
    where l.amount <> 0;
end
$$;

revoke all on function post_gl from public;
grant execute on function post_gl to kabari_app;
revoke all on function post_gl_many from public;
