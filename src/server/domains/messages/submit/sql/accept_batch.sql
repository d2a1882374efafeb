-- What accept_many left: judges a wallet's requests item by item, places what can be, and says why of
-- the rest. One round trip, one commit.
-- Requests and items come as parallel arrays. A request owns the items p_from[r] .. p_upto[r], and
-- p_sum[r] is the price of all items up to its last.
-- Outcomes per item: accepted, duplicate (o_id is the first message's), ref_conflict, saldo_short
-- (o_fact: what was available), limit (o_fact: the token's daily limit), opted_out, not_linked,
-- suspended, bonus_only; o_price is what it costs, or would. Per request, with o_item 0: replayed (o_ids, o_outcomes, o_saldo, o_context as first
-- answered), conflict.
-- Called by submit. Locks the wallet, then the keys and the lanes in token order. Raises WA001 when
-- the wallet is not active.
create or replace function accept_batch(
  p_account uuid,
  p_key text[], p_key_hash bytea[], p_key_token uuid[], p_from int[], p_upto int[], p_sum bigint[],
  p_id uuid[], p_token uuid[], p_peer text[], p_type text[], p_body jsonb[], p_price bigint[],
  p_ref text[], p_hash bytea[], p_priority smallint[], p_ready timestamptz[], p_expires timestamptz[],
  p_secret text[], p_context jsonb[]
) returns table (
  o_request int, o_item int, o_id uuid, o_outcome text, o_fact bigint, o_saldo bigint,
  o_ids uuid[], o_outcomes jsonb, o_context jsonb, o_price bigint
)
language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off
set plan_cache_mode = force_generic_plan as $$
declare
  w wallets%rowtype;
  v_now timestamptz;
  v_today date;
  v_items int[];
  v_left int;
  v_round int[] := array_fill(null::int, array[cardinality(p_id)]);
  v_ok boolean[] := array_fill(false, array[cardinality(p_id)]);
begin
  select * into strict w from wallets where account_id = p_account for no key update;
  if w.status <> 'active' then
    raise exception 'wallet is %', w.status using errcode = 'WA001';
  end if;
  v_now := clock_timestamp();
  v_today := (v_now at time zone 'Asia/Jakarta')::date;
  v_left := case when w.plan_price is null then 0 else greatest(0, w.plan_quota - w.plan_used) end;
  for o_request, o_item, o_id, o_outcome, o_fact, o_saldo, o_ids, o_outcomes, o_context, o_price in
    select * from accept_each(
      p_account, w.available, v_left, w.plan_price, w.bonus_only, v_today, p_key, p_key_hash, p_key_token, p_from, p_upto,
      p_id, p_token, p_peer, p_price, p_ref, p_hash, p_context
    )
  loop
    return next;
    if o_outcome = 'accepted' then
      v_ok[o_item] := true;
      if p_price[o_item] > 0 and o_price = 0 and v_left > 0 then
        v_left := v_left - 1;
        v_round[o_item] := w.plan_round;
      end if;
      p_price[o_item] := o_price;
    end if;
  end loop;
  if not true = any (v_ok) then
    return;
  end if;
  -- Placed as requests of one item each.
  select array_agg(i) into v_items from generate_series(1, cardinality(p_id)) as i;
  perform place_items(
    array_fill(p_account, array[cardinality(p_id)]), array_fill(w.seq + 1, array[cardinality(p_id)]),
    v_ok, v_items, p_id, p_token, p_peer, p_type, p_body, p_price, v_round, p_ref,
    p_priority, p_ready, p_expires, p_secret, v_today, v_now
  );
end
$$;

revoke all on function accept_batch from public;
grant execute on function accept_batch to kabari_app;
