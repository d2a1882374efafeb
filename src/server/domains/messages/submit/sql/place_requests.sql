-- Places, holds, counts and queues the requests of several wallets that p_ok names, with their
-- events, in one statement. w_* are the locked wallets as they were; p_hold_seq, for each request,
-- the number of the entry that holds its wallet's prices. Answers how many wallets it was.
-- Called by accept_many; only the owner may call it. Writes the tables of the ledger and of events
-- in the same statement as the messages: apart, they cost the hot path more. Raises a unique
-- violation when a message stands already.
create or replace function place_requests(
  p_account uuid[], p_hold_seq bigint[], p_ok boolean[],
  p_request int[], p_id uuid[], p_token uuid[], p_peer text[], p_type text[], p_body jsonb[],
  p_price bigint[], p_ref text[], p_priority smallint[], p_ready timestamptz[],
  p_expires timestamptz[], p_secret text[],
  w_account uuid[], w_available bigint[], w_held bigint[], p_today date, p_now timestamptz
) returns int
language plpgsql as $$
declare
  v_count int;
begin
  with item as materialized (
    select p_account[i.request] as account, p_hold_seq[i.request] as seq, i.*
    from unnest(
      p_request, p_id, p_token, p_peer, p_type, p_body, p_price, p_ref, p_priority, p_ready,
      p_expires, p_secret
    ) as i(
      request, id, token, peer, type, body, price, ref, priority, ready, expires, secret
    )
    where p_ok[i.request]
  ), placed as (
    insert into messages (
      account_id, message_id, token_id, peer, direction, type, body, status, price, charge_state,
      hold_seq, ref, expires_at, created_at
    )
    select account, id, token, peer, 'out', type, body,
      case when ready is null then 'queued' else 'scheduled' end,
      price, 'held', case when price > 0 then seq end, ref, expires, uuid_time(id)
    from item
  ), queued as (
    insert into dispatch (account_id, message_id, token_id, priority, peer, ready_at, expires_at, secret)
    select account, id, token, priority, peer, coalesce(ready, p_now), expires, secret from item
  ), planned as (
    insert into message_events (account_id, message_id, kind, at, detail)
    select account, id, 'scheduled', uuid_time(id), utc_text(ready) from item where ready is not null
  ), spent as (
    select account, sum(price)::bigint as total, (count(*) filter (where price > 0))::int as n
    from item group by account
  ), paid as (
    update wallets w
      set available = w.available - s.total, held = w.held + s.total, seq = w.seq + 1
      from spent s where w.account_id = s.account and s.total > 0
      returning w.account_id, w.seq, w.available, w.held, s.total, s.n
  ), entered as (
    insert into wallet_entries (
      account_id, seq, kind, d_available, d_held, contra, available_after, held_after, n_items,
      ref_type, ref_id, actor
    )
    select account_id, seq, 'hold', -total, total, 'none', available, held, n, 'batch', seq::text,
      'accept'
    from paid
  ), counted as (
    insert into token_days as d (account_id, token_id, day, accepted)
    select account, token, p_today, count(*) from item group by account, token
    on conflict (account_id, token_id, day) do update set accepted = d.accepted + excluded.accepted
  ), change as materialized (
    select account, date_trunc('hour', uuid_time(id)) as hour, token,
      case when ready is null then 'queued' else 'scheduled' end as status, type,
      count(*) as messages, sum(price) as cost
    from item group by 1, 2, 3, 4, 5
  ), rolled as (
    insert into rollups as u (account_id, hour, token_id, direction, status, type, messages, cost)
    select account, hour, token, 'out', status, type, messages, cost from change
    on conflict (account_id, hour, token_id, direction, status, type) do update
      set messages = u.messages + excluded.messages, cost = u.cost + excluded.cost
  ), summed as (
    insert into rollup_sums as u (account_id, grain, since, token_id, direction, status, type, messages)
    select account, grain, wib_since(grain, hour), token, 'out', status, type, sum(messages)
    from change cross join unnest(array['day', 'month']) as grain group by 1, 2, 3, 4, 6, 7
    on conflict (account_id, grain, since, token_id, direction, status, type) do update
      set messages = u.messages + excluded.messages
  ), woken as (
    insert into lanes as l (account_id, token_id, ready_at, wakes)
    select account, token, min(coalesce(ready, p_now)), 1 from item group by account, token
    on conflict (account_id, token_id) do update
      set wakes = l.wakes + 1, ready_at = least(l.ready_at, excluded.ready_at)
  )
  insert into outbox (account_id, outbox_id, kind, message_ids, token_ids, peers, statuses, data)
  select i.account, gen_random_uuid(), 'message.accepted', array_agg(i.id), array_agg(i.token),
    array_agg(i.peer), array_agg(case when i.ready is null then 'queued' else 'scheduled' end),
    jsonb_build_object(
      'available', min(w.available) - sum(i.price), 'held', min(w.held) + sum(i.price)
    )
  from item i
  join unnest(w_account, w_available, w_held) as w(account, available, held)
    on w.account = i.account
  group by i.account;
  get diagnostics v_count = row_count;
  return v_count;
end
$$;

revoke all on function place_requests from public;
