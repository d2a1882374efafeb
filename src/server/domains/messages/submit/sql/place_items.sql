-- Places, holds, counts and queues the items of the requests that p_ok names, of any number of locked
-- wallets, with their events, in one statement. p_hold_seq, for each request, is the number of the
-- entry that holds its wallet's prices. p_round (null where no wallet has a plan) names the round whose quota
-- an item is taken from. What changes by it in the rollups is folded later, from the
-- events (fold_counts).
-- Called by accept_many and accept_batch; only the owner may call it. Writes the tables of the ledger
-- and of events in the same statement as the messages: apart, they cost the hot path more. Raises a
-- unique violation when a message stands already.
create or replace function place_items(
  p_account uuid[], p_hold_seq bigint[], p_ok boolean[],
  p_request int[], p_id uuid[], p_token uuid[], p_peer text[], p_type text[], p_body jsonb[],
  p_price bigint[], p_round int[], p_ref text[], p_priority smallint[], p_ready timestamptz[],
  p_expires timestamptz[], p_secret text[], p_today date, p_now timestamptz
) returns void
language plpgsql as $$
begin
  if array_remove(p_ready, null) <> '{}' then
    insert into message_events (account_id, message_id, kind, at, detail)
      select p_account[i.request], i.id, 'scheduled', uuid_time(i.id), utc_text(i.ready)
      from unnest(p_request, p_id, p_ready) as i(request, id, ready)
      where p_ok[i.request] and i.ready is not null;
  end if;
  with item as materialized (
    select p_account[i.request] as account, p_hold_seq[i.request] as seq,
      case when i.ready is null then 'queued' else 'scheduled' end as status, i.*
    from unnest(
      p_request, p_id, p_token, p_peer, p_type, p_body, p_price, p_round, p_ref, p_priority,
      p_ready, p_expires, p_secret
    ) as i(
      request, id, token, peer, type, body, price, round, ref, priority, ready, expires, secret
    )
    where p_ok[i.request]
  ), placed as (
    insert into messages (
      account_id, message_id, token_id, peer, direction, type, body, status, price, charge_state,
      hold_seq, ref, expires_at, created_at, plan_round
    )
    select account, id, token, peer, 'out', type, body, status, price, 'held',
      case when price > 0 then seq end, ref, expires, uuid_time(id), round
    from item
  ), queued as (
    insert into dispatch (account_id, message_id, token_id, priority, peer, ready_at, expires_at, secret)
    select account, id, token, priority, peer, coalesce(ready, p_now), expires, secret from item
  ), paid as (
    update wallets w
      set available = w.available - s.total, held = w.held + s.total,
        seq = w.seq + (s.total > 0)::int, plan_used = w.plan_used + s.taken
      from (
        select account, sum(price)::bigint as total, (count(*) filter (where price > 0))::int as n,
          count(round)::int as taken
        from item group by account
      ) s
      where w.account_id = s.account and (s.total > 0 or s.taken > 0)
      returning w.account_id, w.seq, w.available, w.held, s.total, s.n
  ), entered as (
    insert into wallet_entries (
      account_id, seq, kind, d_available, d_held, contra, available_after, held_after, n_items,
      ref_type, ref_id, actor
    )
    select account_id, seq, 'hold', -total, total, 'none', available, held, n, 'batch', seq::text,
      'accept'
    from paid where total > 0
  ), woken as (
    -- Every wake-up counts, so that a worker closing the lane sees it; lanes in order.
    insert into lanes as l (account_id, token_id, ready_at, wakes, day, accepted)
    select account, token, min(coalesce(ready, p_now)), 1, p_today, count(*) from item
    group by account, token order by account, token
    on conflict (account_id, token_id) do update
      set wakes = l.wakes + 1, ready_at = least(l.ready_at, excluded.ready_at), day = excluded.day,
        accepted = excluded.accepted + case when l.day = excluded.day then l.accepted else 0 end
  )
  insert into outbox (
    account_id, outbox_id, at, kind, message_ids, token_ids, peers, types, statuses, statuses_before,
    costs, costs_before, data
  )
  select i.account, gen_random_uuid(), p_now, 'message.accepted', i.ids, i.tokens, i.peers, i.types,
    i.statuses, array_fill(null::text, array[cardinality(i.ids)]), i.prices,
    array_fill(0::bigint, array[cardinality(i.ids)]), case when p.account_id is not null
      then jsonb_build_object('available', p.available, 'held', p.held, 'seq', p.seq) end
  from (
    select account, array_agg(id) as ids, array_agg(token) as tokens, array_agg(peer) as peers,
      array_agg(type) as types, array_agg(status) as statuses, array_agg(price) as prices
    from item group by account
  ) i
  left join paid p on p.account_id = i.account;
end
$$;

revoke all on function place_items from public;
