-- The accept path of one wallet: one call places, reserves and queues a batch of requests, or
-- refuses items one by one. One round trip, one commit.
-- Requests and items come as parallel arrays. A request owns the items p_from[r] .. p_upto[r], and
-- p_sum[r] is the price of all items up to its last: what the saldo must bear if all are accepted.
-- Outcomes per item: accepted, duplicate (o_id is the first message's), ref_conflict, saldo_short
-- (o_fact: what was available), limit (o_fact: the token's daily limit), opted_out, not_linked,
-- suspended; per request, with o_item 0: replayed (o_ids, o_outcomes, o_saldo, o_context as first
-- answered), conflict.
-- Called by submit for one wallet, and for what accept_many left. Locks the wallet, then the keys,
-- the counts and the lanes in token order. Raises WA001 when the wallet is not active.
create or replace function accept_batch(
  p_account uuid,
  p_key text[], p_key_hash bytea[], p_key_token uuid[], p_from int[], p_upto int[], p_sum bigint[],
  p_id uuid[], p_token uuid[], p_peer text[], p_type text[], p_body jsonb[], p_price bigint[],
  p_ref text[], p_hash bytea[], p_priority smallint[], p_ready timestamptz[], p_expires timestamptz[],
  p_secret text[], p_context jsonb[]
) returns table (
  o_request int, o_item int, o_id uuid, o_outcome text, o_fact bigint, o_saldo bigint,
  o_ids uuid[], o_outcomes jsonb, o_context jsonb
)
language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off as $$
declare
  w wallets%rowtype;
  v_today date := (clock_timestamp() at time zone 'Asia/Jakarta')::date;
  v_now timestamptz := clock_timestamp();
  v_ok boolean[] := array_fill(true, array[cardinality(p_id)]);
  v_total bigint := p_sum[cardinality(p_sum)];
  v_fast boolean;
  v_count int;
begin
  select * into strict w from wallets where account_id = p_account for no key update;
  if w.status <> 'active' then
    raise exception 'wallet is %', w.status using errcode = 'WA001';
  end if;

  -- Common path: every item fits. Nothing is looked up beforehand: the unique keys decide.
  v_fast := v_total <= w.available
    and not exists (
      select 1
      from (select i.token, count(*) as wanted from unnest(p_token) as i(token) group by i.token) c
      left join tokens s on s.account_id = p_account and s.token_id = c.token and s.deleted_at is null
      left join token_days d on d.account_id = p_account and d.token_id = c.token and d.day = v_today
      where s.token_id is null or s.status not in ('linked', 'disconnected')
        or coalesce(d.accepted, 0) + c.wanted > s.daily_limit
    )
    and not exists (
      select 1 from optouts o where o.account_id = p_account and o.peer = any (p_peer)
    );
  if v_fast then
    v_fast := claim_batch_keys(
      p_account, w.available, p_key, p_key_hash, p_key_token, p_from, p_upto, p_sum,
      p_id, p_ref, p_hash, p_context
    );
  end if;

  if v_fast then
    return query select r.ord::int, g.i, p_id[g.i], 'accepted', null::bigint, w.available - r.sum,
        null::uuid[], null::jsonb, null::jsonb
      from unnest(p_from, p_upto, p_sum) with ordinality as r(a, z, sum, ord),
        generate_series(r.a, r.z) as g(i);
  else
    v_ok := array_fill(false, array[cardinality(p_id)]);
    v_total := 0;
    for o_request, o_item, o_id, o_outcome, o_fact, o_saldo, o_ids, o_outcomes, o_context in
      select * from accept_each(
        p_account, w.available, v_today, p_key, p_key_hash, p_key_token, p_from, p_upto,
        p_id, p_token, p_peer, p_price, p_ref, p_hash, p_context
      )
    loop
      return next;
      if o_outcome = 'accepted' then
        v_ok[o_item] := true;
        v_total := v_total + p_price[o_item];
      end if;
    end loop;
    if not true = any (v_ok) then
      return;
    end if;
  end if;

  v_count := place_items(
    p_account, w.seq + 1, v_today, v_now, p_id, p_token, p_peer, p_type, p_body, p_price, p_ref, p_priority,
    p_ready, p_expires, p_secret, v_ok
  );
  if v_total > 0 then
    if 0 = any (p_price) then
      select count(*) into v_count from unnest(p_price, v_ok) as i(price, ok)
        where i.ok and i.price > 0;
    end if;
    w := post_batch_entry(p_account, 'hold', -v_total, v_total, 'none', v_count, 'accept');
  end if;

  -- Every wake-up counts, so that a worker closing the lane sees it; in token order.
  insert into lanes as l (account_id, token_id, ready_at, wakes)
    select p_account, i.token, min(coalesce(i.ready, v_now)), 1
    from unnest(p_token, p_ready, v_ok) as i(token, ready, ok)
    where i.ok group by i.token order by i.token
    on conflict (account_id, token_id) do update
      set wakes = l.wakes + 1, ready_at = least(l.ready_at, excluded.ready_at);

  insert into outbox (account_id, outbox_id, kind, message_ids, token_ids, peers, statuses, data)
    select p_account, gen_random_uuid(), 'message.accepted', array_agg(i.id), array_agg(i.token),
      array_agg(i.peer), array_agg(case when i.ready is null then 'queued' else 'scheduled' end),
      jsonb_build_object('available', w.available, 'held', w.held)
    from unnest(p_id, p_token, p_peer, p_ready, v_ok) as i(id, token, peer, ready, ok) where i.ok;
end
$$;

revoke all on function accept_batch from public;
grant execute on function accept_batch to kabari_app;
