-- What a plan includes from now on: p_quota messages, and the price of a message beyond them (null: the list
-- price, and no quota). p_keep_used: what was used of the quota stays used, as when the plan changes
-- within its period; otherwise a new round begins.
-- Called when a period begins, and when its plan changes or rests. Locks the wallet.
create or replace function set_plan_allowance(
  p_account uuid, p_quota int, p_price bigint, p_keep_used boolean
) returns void
language sql security definer set search_path = public, pg_temp as $$
  update wallets
    set plan_quota = case when p_price is null then 0 else p_quota end, plan_price = p_price,
      plan_used = case when p_keep_used then plan_used else 0 end,
      plan_round = plan_round + (not p_keep_used)::int
    where account_id = p_account;
$$;

revoke all on function set_plan_allowance from public;
grant execute on function set_plan_allowance to kabari_app;
