-- The accept path: one call places, holds and queues whatever waited, of any number of wallets, with a
-- handful of statements and one commit. Requests that fit whole are placed and answered; the others
-- are left to accept_batch.
-- Requests and items come as parallel arrays. A request owns the items p_from[r] .. p_upto[r],
-- p_request names an item's request, and p_sum[r] is the request's own price.
-- Answers the requests that are placed: the saldo after each, and, where one of the wallets has a plan,
-- what their items cost by it.
-- Called by submit. Locks the wallets in account order, before anything of theirs is written; waits
-- 100 ms for one (55P03 after that: the caller then goes wallet by wallet), so that one wallet that is
-- held for long delays no other for longer.
create or replace function accept_many(
  p_account uuid[], p_key text[], p_key_hash bytea[], p_key_token uuid[],
  p_from int[], p_upto int[], p_sum bigint[],
  p_request int[], p_id uuid[], p_token uuid[], p_peer text[], p_type text[], p_body jsonb[],
  p_price bigint[], p_ref text[], p_hash bytea[], p_priority smallint[], p_ready timestamptz[],
  p_expires timestamptz[], p_secret text[], p_context jsonb[]
) returns table (o_request int, o_saldo bigint, o_prices bigint[])
language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off
set plan_cache_mode = force_generic_plan set lock_timeout = '100ms' as $$
declare
  v_now timestamptz;
  v_today date;
  w_account uuid[];
  w_available bigint[];
  w_seq bigint[];
  w_left int[];
  w_price bigint[];
  w_round int[];
  w_bonus_only boolean[];
  v_ok boolean[];
  v_saldo bigint[];
  v_hold_seq bigint[];
  v_round int[];
begin
  with locked as (
    select account_id, available, seq, plan_price, plan_round, bonus_only,
      greatest(0, plan_quota - plan_used) as plan_left
    from wallets
    where account_id = any (p_account) and status = 'active'
    order by account_id for no key update
  )
  select array_agg(account_id), array_agg(available), array_agg(seq), array_agg(plan_left),
      array_agg(plan_price), array_agg(plan_round), array_agg(bonus_only)
    into w_account, w_available, w_seq, w_left, w_price, w_round, w_bonus_only from locked;
  if w_account is null then
    return;
  end if;
  v_now := clock_timestamp();
  v_today := (v_now at time zone 'Asia/Jakarta')::date;

  select array_agg(q.fits order by q.ord), array_agg(q.saldo order by q.ord),
      array_agg(q.hold_seq order by q.ord)
    into v_ok, v_saldo, v_hold_seq
    from fitting_requests(
      p_account, p_key_token, p_from, p_upto, p_sum, p_peer, v_today, w_account, w_available, w_seq,
      w_left, w_price, w_bonus_only
    ) q;
  v_ok := claim_request_keys(
    p_account, p_key, p_key_hash, p_key_token, p_from, p_upto, p_request, p_id, p_ref, p_hash,
    p_context, v_saldo, v_ok
  );
  if not true = any (v_ok) then
    return;
  end if;

  if array_remove(w_price, null) <> '{}' then
    select q.p_price, q.p_round into p_price, v_round
      from plan_prices(p_account, p_key_token, v_ok, p_request, p_price, w_account, w_left, w_price, w_round) q;
  end if;
  perform place_items(
    p_account, v_hold_seq, v_ok, p_request, p_id, p_token, p_peer, p_type, p_body, p_price, v_round,
    p_ref, p_priority, p_ready, p_expires, p_secret, v_today, v_now
  );
  return query select r.ord::int, v_saldo[r.ord],
      case when v_round is not null then p_price[p_from[r.ord]:p_upto[r.ord]] end
    from unnest(v_ok) with ordinality as r(ok, ord) where r.ok;
end
$$;

revoke all on function accept_many from public;
grant execute on function accept_many to kabari_app;
