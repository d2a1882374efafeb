-- A balanced transaction of the general ledger: lines of zero are left out, the rest must sum to
-- zero. Called by apply_paid and settle_charges. Locks nothing. Raises P0001 when the lines are not
-- balanced, a unique violation when the key was used.
create or replace function post_gl(
  p_account uuid, p_txn uuid, p_idem text, p_kind text, p_accounts text[], p_amounts bigint[]
) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if (select coalesce(sum(a), 0) from unnest(p_amounts) a) <> 0 then
    raise exception 'gl transaction % is not balanced', p_idem;
  end if;
  insert into gl_txns (account_id, txn_id, idem_key, kind) values (p_account, p_txn, p_idem, p_kind);
  insert into gl_lines (account_id, txn_id, line_no, gl_account, amount)
    select p_account, p_txn, row_number() over (), l.code, l.amount
    from unnest(p_accounts, p_amounts) as l(code, amount) where l.amount <> 0;
end
$$;

revoke all on function post_gl from public;
grant execute on function post_gl to kabari_app;
