-- Whether the newest check of the books found an invariant broken; false before the first check.
-- Called by apply_adjustment: no money leaves meanwhile.
create or replace function books_are_red() returns boolean
language sql stable as $$
  select not coalesce((select is_ok from ledger_checks order by check_id desc limit 1), true);
$$;

revoke all on function books_are_red from public;
