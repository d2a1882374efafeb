-- Places the accepted items of a batch: the messages, their places in the queue, a step of the
-- timeline for what is scheduled, and the counts per token and day (its daily limit) and in the
-- rollups. p_hold_seq is the number of the entry that will hold their prices. Answers how many.
-- Called by accept_batch; only the owner may call it. Raises a unique violation when a message
-- stands already.
create or replace function place_items(
  p_account uuid, p_hold_seq bigint, p_today date, p_now timestamptz,
  p_id uuid[], p_token uuid[], p_peer text[], p_type text[], p_body jsonb[], p_price bigint[],
  p_ref text[], p_priority smallint[], p_ready timestamptz[], p_expires timestamptz[],
  p_secret text[], p_ok boolean[]
) returns int
language plpgsql as $$
declare
  v_count int;
begin
  insert into messages (
    account_id, message_id, token_id, peer, direction, type, body, status, price, charge_state,
    hold_seq, ref, expires_at, created_at
  )
    select p_account, i.id, i.token, i.peer, 'out', i.type, i.body,
      case when i.ready is null then 'queued' else 'scheduled' end,
      i.price, 'held', case when i.price > 0 then p_hold_seq end, i.ref, i.expires, uuid_time(i.id)
    from unnest(
      p_id, p_token, p_peer, p_type, p_body, p_price, p_ref, p_ready, p_expires, p_ok
    ) as i(id, token, peer, type, body, price, ref, ready, expires, ok)
    where i.ok;
  get diagnostics v_count = row_count;

  insert into dispatch (
    account_id, message_id, token_id, priority, peer, ready_at, expires_at, secret
  )
    select p_account, i.id, i.token, i.priority, i.peer, coalesce(i.ready, p_now), i.expires, i.secret
    from unnest(p_id, p_token, p_priority, p_peer, p_ready, p_expires, p_secret, p_ok)
      as i(id, token, priority, peer, ready, expires, secret, ok)
    where i.ok;

  insert into message_events (account_id, message_id, kind, at, detail)
    select p_account, i.id, 'scheduled', uuid_time(i.id), utc_text(i.ready)
    from unnest(p_id, p_ready, p_ok) as i(id, ready, ok) where i.ok and i.ready is not null;

  insert into token_days as d (account_id, token_id, day, accepted)
    select p_account, i.token, p_today, count(*) from unnest(p_token, p_ok) as i(token, ok)
    where i.ok group by i.token order by i.token
    on conflict (account_id, token_id, day) do update set accepted = d.accepted + excluded.accepted;

  with change as materialized (
    select date_trunc('hour', uuid_time(i.id)) as hour, i.token,
      case when i.ready is null then 'queued' else 'scheduled' end as status, i.type,
      count(*) as messages, sum(i.price) as cost
    from unnest(p_id, p_token, p_type, p_price, p_ready, p_ok)
      as i(id, token, type, price, ready, ok)
    where i.ok group by 1, 2, 3, 4
  ), rolled as (
    insert into rollups as u (account_id, hour, token_id, direction, status, type, messages, cost)
    select p_account, hour, token, 'out', status, type, messages, cost from change
    on conflict (account_id, hour, token_id, direction, status, type) do update
      set messages = u.messages + excluded.messages, cost = u.cost + excluded.cost
  )
  insert into rollup_sums as u (account_id, grain, since, token_id, direction, status, type, messages)
    select p_account, grain, wib_since(grain, hour), token, 'out', status, type, sum(messages)
    from change cross join unnest(array['day', 'month']) as grain group by 2, 3, 4, 6, 7
    on conflict (account_id, grain, since, token_id, direction, status, type) do update
      set messages = u.messages + excluded.messages;
  return v_count;
end
$$;

revoke all on function place_items from public;
