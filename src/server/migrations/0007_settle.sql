-- How far a message has come. Only rises; failed, cancelled and expired are final, and failed is taken
-- only before delivered.
create function status_rank(p_status text) returns int
language sql immutable parallel safe
return case p_status when 'sent' then 1 when 'delivered' then 2 when 'read' then 3 else 0 end;

-- What became of messages: results of a lane and receipts, in any order, any number of times.
--
-- Outcomes: sent · delivered · read · failed · expired · cancelled. A held price is captured by the first
-- of sent, delivered, read, and given back by the first of the others; both at most once, and only for
-- rows that really moved. p_epoch, when given, fences out a worker that has lost its lane (LN001).
-- Every step is one row of the timeline, however often it is told.
create function settle_batch(
  p_account uuid, p_token uuid, p_epoch bigint,
  p_id uuid[], p_outcome text[], p_failure text[], p_at timestamptz[], p_duplicate boolean[]
) returns table (o_id uuid, o_status text)
language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off as $$
declare
  w wallets%rowtype;
  v_captured bigint;
  v_released bigint;
  n_captured int;
  n_released int;
  v_capture_seq bigint;
  v_release_seq bigint;
  m_id uuid[];
  m_token uuid[];
  m_peer text[];
  m_type text[];
  m_old text[];
  m_new text[];
  m_price bigint[];
  m_charge text[];
begin
  select * into strict w from wallets where account_id = p_account for no key update;
  if p_epoch is not null then
    perform 1 from lanes where account_id = p_account and token_id = p_token and epoch = p_epoch for share;
    if not found then
      raise exception 'lane lost' using errcode = 'LN001';
    end if;
  end if;

  -- What each message becomes, by the row as it stands now, under the wallet's lock.
  select array_agg(s.message_id), array_agg(s.token_id), array_agg(s.peer), array_agg(s.type),
      array_agg(s.status), array_agg(s.next), array_agg(s.price),
      array_agg(case
        when s.charge_state is distinct from 'held' then null
        when status_rank(s.next) > 0 then 'captured'
        when s.next in ('failed', 'cancelled', 'expired') then 'released'
      end)
    into m_id, m_token, m_peer, m_type, m_old, m_new, m_price, m_charge
    from (
      select m.message_id, m.token_id, m.peer, m.type, m.status, m.price, m.charge_state,
        case
          when m.status in ('failed', 'cancelled', 'expired', 'received') then m.status
          when g.good >= 2 then
            case greatest(g.good, status_rank(m.status)) when 3 then 'read' else 'delivered' end
          when g.bad is not null and status_rank(m.status) < 2 then g.bad
          when g.good = 1 and status_rank(m.status) = 0 then 'sent'
          else m.status
        end as next
      from (
        select i.id, max(status_rank(i.outcome)) as good,
          max(i.outcome) filter (where i.outcome in ('failed', 'cancelled', 'expired')) as bad
        from unnest(p_id, p_outcome) as i(id, outcome) group by i.id
      ) g
      cross join lateral (
        select * from messages x where x.account_id = p_account and x.message_id = g.id limit 1
      ) m
    ) s;
  if m_id is null then
    return;
  end if;

  insert into message_events (account_id, message_id, kind, at, detail)
    select p_account, i.id, i.outcome, coalesce(min(i.at), clock_timestamp()), min(i.failure)
    from unnest(p_id, p_outcome, p_at, p_failure) as i(id, outcome, at, failure)
    where i.id = any (m_id) group by i.id, i.outcome order by i.id, i.outcome
    on conflict do nothing;

  select coalesce(sum(i.price) filter (where i.charge = 'captured'), 0),
      coalesce(sum(i.price) filter (where i.charge = 'released'), 0),
      count(*) filter (where i.charge = 'captured' and i.price > 0),
      count(*) filter (where i.charge = 'released' and i.price > 0)
    into v_captured, v_released, n_captured, n_released
    from unnest(m_charge, m_price) as i(charge, price);
  if v_captured > 0 then
    v_capture_seq := w.seq + 1;
  end if;
  if v_released > 0 then
    v_release_seq := w.seq + 1 + (v_captured > 0)::int;
  end if;

  update messages m
    set status = i.next,
      charge_state = coalesce(i.charge, m.charge_state),
      settle_seq = case
        when m.price = 0 then null
        when i.charge = 'captured' then v_capture_seq
        when i.charge = 'released' then v_release_seq
        else m.settle_seq end,
      failure = case when i.next in ('failed') and m.status <> 'failed' then coalesce(i.failure, m.failure)
        else m.failure end,
      possible_duplicate = m.possible_duplicate or coalesce(i.duplicate, false)
    from (
      select c.id, c.next, c.charge, c.old, min(g.failure) as failure, bool_or(g.duplicate) as duplicate
      from unnest(m_id, m_new, m_charge, m_old) as c(id, next, charge, old)
      join unnest(p_id, p_failure, p_duplicate) as g(id, failure, duplicate) on g.id = c.id
      group by c.id, c.next, c.charge, c.old
    ) i
    -- Named again as an array: joined by i.id alone, the plan reads every message of the account.
    where m.account_id = p_account and m.message_id = any (m_id) and m.message_id = i.id
      and (i.next <> i.old or i.charge is not null or coalesce(i.duplicate, false));

  if v_captured > 0 then
    update wallets set held = held - v_captured, seq = seq + 1
      where account_id = p_account returning * into w;
    insert into wallet_entries (
      account_id, seq, kind, d_available, d_held, contra, available_after, held_after, n_items,
      ref_type, ref_id, actor
    ) values (
      p_account, w.seq, 'capture', 0, -v_captured, 'rev:message', w.available, w.held, n_captured,
      'batch', w.seq::text, 'settle'
    );
  end if;
  if v_released > 0 then
    update wallets
      set held = held - v_released, available = available + v_released, seq = seq + 1
      where account_id = p_account returning * into w;
    insert into wallet_entries (
      account_id, seq, kind, d_available, d_held, contra, available_after, held_after, n_items,
      ref_type, ref_id, actor
    ) values (
      p_account, w.seq, 'release', v_released, -v_released, 'none', w.available, w.held, n_released,
      'batch', w.seq::text, 'settle'
    );
  end if;

  -- Counts move from the old status to the new one; what is given back costs nothing any more.
  with change as materialized (
    select d.hour, d.token, d.status, d.type, sum(d.n) as messages, sum(d.cost) as cost
    from (
      select date_trunc('hour', uuid_time(i.id)) as hour, i.token, i.old as status, i.type, -1 as n,
        -i.price as cost
      from unnest(m_id, m_token, m_type, m_old, m_new, m_price) as i(id, token, type, old, next, price)
      where i.old <> i.next
      union all
      select date_trunc('hour', uuid_time(i.id)), i.token, i.next, i.type, 1,
        case when i.next in ('failed', 'cancelled', 'expired') and i.charge is not null then 0
          else i.price end
      from unnest(m_id, m_token, m_type, m_old, m_new, m_price, m_charge)
        as i(id, token, type, old, next, price, charge)
      where i.old <> i.next
    ) d
    group by 1, 2, 3, 4
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

  delete from dispatch d using unnest(m_id, m_new) as i(id, next)
    where d.account_id = p_account and d.message_id = any (m_id) and d.message_id = i.id
      and i.next not in ('queued', 'scheduled');

  insert into outbox (account_id, outbox_id, kind, message_ids, token_ids, peers, statuses, data)
    select p_account, gen_random_uuid(), 'message.changed', array_agg(i.id), array_agg(i.token),
      array_agg(i.peer), array_agg(i.next),
      jsonb_build_object('available', w.available, 'held', w.held)
    from unnest(m_id, m_token, m_peer, m_old, m_new) as i(id, token, peer, old, next)
    where i.old <> i.next
    having count(*) > 0;

  return query select i.id, i.next from unnest(m_id, m_old, m_new) as i(id, old, next)
    where i.old <> i.next;
end
$$;

-- Takes messages that have not left yet out of the queue: cancelled by their owner, or past their ttl.
-- Rows already handed to a channel are left alone. Returns the ids that were taken.
create function withdraw_messages(p_account uuid, p_id uuid[], p_outcome text) returns uuid[]
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_taken uuid[];
begin
  perform 1 from wallets where account_id = p_account for no key update;
  with gone as (
    delete from dispatch
    where account_id = p_account and message_id = any (p_id) and state = 'ready'
    returning message_id
  )
  select array_agg(message_id) into v_taken from gone;
  if v_taken is not null then
    perform settle_batch(
      p_account, null, null, v_taken, array_fill(p_outcome, array[cardinality(v_taken)]),
      array_fill(null::text, array[cardinality(v_taken)]),
      array_fill(clock_timestamp(), array[cardinality(v_taken)]),
      array_fill(false, array[cardinality(v_taken)])
    );
  end if;
  return coalesce(v_taken, '{}');
end
$$;

-- Takes up to p_limit lanes that have work and no living owner. Every claim raises the epoch.
create function claim_lanes(p_owner uuid, p_limit int, p_lease interval)
returns table (o_account uuid, o_token uuid, o_epoch bigint)
language sql security definer set search_path = public, pg_temp
begin atomic
  update lanes l
    set owner = p_owner, epoch = l.epoch + 1, lease_until = clock_timestamp() + p_lease
    from (
      select account_id, token_id from lanes
      where ready_at <= clock_timestamp()
        and (lease_until is null or lease_until < clock_timestamp())
      order by ready_at limit p_limit for update skip locked
    ) due
    where l.account_id = due.account_id and l.token_id = due.token_id
    returning l.account_id, l.token_id, l.epoch;
end;

-- Hands the next messages of a lane to its owner, in order, and marks them `sending` under its epoch.
-- At most one message per phone is on its way: later ones to the same phone wait for it, unless it is
-- only scheduled.
create function claim_dispatch(p_account uuid, p_token uuid, p_epoch bigint, p_limit int)
returns table (
  o_id uuid, o_peer text, o_type text, o_body jsonb, o_secret text, o_attempt int, o_unknowns int,
  o_expired boolean
)
language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off as $$
begin
  perform 1 from lanes where account_id = p_account and token_id = p_token and epoch = p_epoch for share;
  if not found then
    raise exception 'lane lost' using errcode = 'LN001';
  end if;
  return query
  with next as (
    select d.message_id from dispatch d
    where d.account_id = p_account and d.token_id = p_token
      and d.state in ('ready', 'unknown') and d.ready_at <= clock_timestamp()
      and not exists (
        select 1 from dispatch e
        where e.account_id = p_account and e.token_id = p_token and e.peer = d.peer
          and e.message_id < d.message_id and e.priority <= d.priority
          and not (e.state = 'ready' and e.attempt = 0 and e.ready_at > clock_timestamp())
      )
    order by d.priority, d.message_id limit p_limit for update skip locked
  ), taken as (
    update dispatch d
      set state = 'sending', epoch = p_epoch, attempt = d.attempt + 1
      from next where d.account_id = p_account and d.message_id = next.message_id
      returning d.message_id, d.secret, d.attempt, d.unknowns, d.priority,
        coalesce(d.expires_at <= clock_timestamp(), false) as expired
  )
  select t.message_id, m.peer, m.type, m.body, t.secret, t.attempt, t.unknowns, t.expired
  from taken t
  cross join lateral (
    select * from messages x where x.account_id = p_account and x.message_id = t.message_id limit 1
  ) m
  order by t.priority, t.message_id;
end
$$;

-- Puts messages back for another try: `ready` after a definite "later", `unknown` when no answer came.
create function postpone_dispatch(
  p_account uuid, p_token uuid, p_epoch bigint,
  p_id uuid[], p_state text[], p_after_ms int[], p_detail text[]
) returns void
language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off as $$
begin
  perform 1 from lanes where account_id = p_account and token_id = p_token and epoch = p_epoch for share;
  if not found then
    raise exception 'lane lost' using errcode = 'LN001';
  end if;
  with back as (
    update dispatch d
      set state = i.state, ready_at = clock_timestamp() + i.after_ms * interval '1 millisecond',
        unknowns = d.unknowns + (i.state = 'unknown')::int
      from unnest(p_id, p_state, p_after_ms) as i(id, state, after_ms)
      where d.account_id = p_account and d.message_id = any (p_id) and d.message_id = i.id
        and d.state = 'sending'
      returning d.message_id, d.attempt, d.state
  )
  insert into message_events (account_id, message_id, kind, n, detail)
    select p_account, b.message_id, case b.state when 'unknown' then 'unknown' else 'retrying' end,
      b.attempt, i.detail
    from back b join unnest(p_id, p_detail) as i(id, detail) on i.id = b.message_id
    on conflict do nothing;
end
$$;

-- A new owner finds what a dead one was sending: sent again with the same id where the channel knows
-- ids beforehand, else left as unknown until p_wait_ms have passed for a receipt.
create function recover_lane(
  p_account uuid, p_token uuid, p_epoch bigint, p_preallocates boolean, p_wait_ms int
) returns int
language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off as $$
declare
  n int;
begin
  update dispatch
    set state = case when p_preallocates then 'ready' else 'unknown' end,
      unknowns = unknowns + (not p_preallocates)::int,
      ready_at = case when p_preallocates then ready_at
        else clock_timestamp() + p_wait_ms * interval '1 millisecond' end
    where account_id = p_account and token_id = p_token and state = 'sending' and epoch < p_epoch;
  get diagnostics n = row_count;
  return n;
end
$$;

-- Gives a lane back; its next work is looked up unless a wake-up came meanwhile (then it stays due).
create function close_lane(p_account uuid, p_token uuid, p_epoch bigint, p_rest_ms int default 0)
returns void
language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off as $$
declare
  v_wakes bigint;
  v_next timestamptz;
begin
  select wakes into v_wakes from lanes
    where account_id = p_account and token_id = p_token and epoch = p_epoch;
  if not found then
    return;
  end if;
  select min(ready_at) into v_next from dispatch
    where account_id = p_account and token_id = p_token;
  -- A lane that cannot send now (its phone is away) rests a while before it is due again.
  update lanes
    set owner = null, lease_until = null,
      ready_at = case
        when wakes <> v_wakes then ready_at
        when p_rest_ms > 0 and v_next is not null
          then greatest(v_next, clock_timestamp() + p_rest_ms * interval '1 millisecond')
        else v_next end
    where account_id = p_account and token_id = p_token and epoch = p_epoch;
end
$$;

-- An inbound message, with its event; the same provider id twice is one message.
create function receive_message(
  p_account uuid, p_token uuid, p_id uuid, p_peer text, p_name text, p_type text, p_body jsonb,
  p_provider text
) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into message_refs (account_id, ref, message_id, hash)
    values (p_account, chr(1) || 'in:' || p_provider, p_id, '') on conflict do nothing;
  if not found then
    return false;
  end if;
  perform 1 from wallets where account_id = p_account for no key update;
  insert into messages (
    account_id, message_id, token_id, peer, direction, type, body, status, price, created_at
  ) values (p_account, p_id, p_token, p_peer, 'in', p_type, p_body, 'received', 0, uuid_time(p_id));
  insert into rollups as u (account_id, hour, token_id, direction, status, type, messages, cost)
    values (p_account, date_trunc('hour', uuid_time(p_id)), p_token, 'in', 'received', p_type, 1, 0)
    on conflict (account_id, hour, token_id, direction, status, type) do update
      set messages = u.messages + 1;
  insert into rollup_sums as u (account_id, grain, since, token_id, direction, status, type, messages)
    select p_account, grain, wib_since(grain, uuid_time(p_id)), p_token, 'in', 'received', p_type, 1
    from unnest(array['day', 'month']) as grain
    on conflict (account_id, grain, since, token_id, direction, status, type) do update
      set messages = u.messages + 1;
  insert into outbox (account_id, outbox_id, kind, message_ids, token_ids, peers, statuses, data)
    values (p_account, gen_random_uuid(), 'message.received', array[p_id], array[p_token],
      array[p_peer], array['received'], jsonb_build_object('peer_name', p_name));
  return true;
end
$$;

-- Receipts for messages we do not know yet; tried again for a day.
create table parked_receipts (
  account_id  uuid not null,
  message_id  uuid not null,
  status      text not null,
  failure     text,
  at          timestamptz not null,
  parked_at   timestamptz not null default clock_timestamp(),
  primary key (account_id, message_id, status)
);
call tenant_table('parked_receipts');

-- Publishes one account's events: positions in a row without gaps, a conversation_seq for messages, and
-- the conversation's newest state. Called by the one relay, in the transaction that empties the outbox.
create function publish_events(
  p_account uuid, p_kind text[], p_message uuid[], p_token uuid[], p_peer text[], p_name text[],
  p_data jsonb[]
) returns bigint
language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off as $$
declare
  v_last bigint;
  v_n int := cardinality(p_kind);
begin
  insert into event_positions as e (account_id, last) values (p_account, v_n)
    on conflict (account_id) do update set last = e.last + v_n returning last into v_last;
  with item as (
    select i.*, case when i.message is not null then row_number() over (
        partition by i.token, i.peer, i.message is null order by i.ord) end as nth
    from unnest(p_kind, p_message, p_token, p_peer, p_name, p_data) with ordinality
      as i(kind, message, token, peer, name, data, ord)
  ), talk as (
    insert into conversations as c (
      account_id, token_id, peer, peer_name, seq, last_message_id, last_at, unread
    )
      select p_account, i.token, i.peer, max(i.name), count(*), (max(i.message::text))::uuid,
        uuid_time((max(i.message::text))::uuid), count(*) filter (where i.kind = 'message.received')
      from item i where i.message is not null group by i.token, i.peer order by i.token, i.peer
      on conflict (account_id, token_id, peer) do update
        set seq = c.seq + excluded.seq,
          peer_name = coalesce(excluded.peer_name, c.peer_name),
          unread = c.unread + excluded.unread,
          last_message_id = greatest(c.last_message_id::text, excluded.last_message_id::text)::uuid,
          last_at = greatest(c.last_at, excluded.last_at)
      returning c.token_id, c.peer, c.seq
  ), size as (
    select i.token, i.peer, count(*) as told from item i where i.message is not null group by 1, 2
  )
  insert into events (account_id, position, kind, message_id, conversation_seq, data)
    select p_account, v_last - v_n + i.ord, i.kind, i.message, t.seq - s.told + i.nth, i.data
    from item i
    left join size s on i.message is not null and s.token = i.token and s.peer = i.peer
    left join talk t on i.message is not null and t.token_id = i.token and t.peer = i.peer;
  return v_last;
end
$$;

revoke all on function settle_batch, withdraw_messages, claim_lanes, claim_dispatch, postpone_dispatch,
  recover_lane, close_lane, receive_message, publish_events from public;
grant execute on function settle_batch, withdraw_messages, claim_lanes, claim_dispatch,
  postpone_dispatch, recover_lane, close_lane, receive_message, publish_events to kabari_app;
