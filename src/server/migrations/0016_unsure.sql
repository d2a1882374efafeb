-- What may have left is never expired, cancelled or given back before its outcome is known, and a receipt
-- that proves a final state wrong corrects it and its money, once (docs/decisions/022).

alter table dispatch
  -- When its last try began.
  add column tried_at      timestamptz,
  -- Set as soon as a try may have left without an answer: until then a receipt is awaited. It stays set
  -- from there on, for what may have left once may always have. Null: it certainly has not left.
  add column unsure_until  timestamptz;
-- Of what was tried before this migration nobody knows which answers were definite.
update dispatch set unsure_until = clock_timestamp() + interval '20 seconds'
  where attempt > 0 and state <> 'sending';

alter table messages
  -- The entry that charged the price again, after it had been given back by mistake.
  add column correct_seq  bigint,
  drop constraint messages_charge_state_check,
  -- waived: given back by mistake, and the saldo no longer held the price: the house bears it.
  add constraint messages_charge_state_check
    check (charge_state in ('held', 'captured', 'released', 'waived')),
  add constraint corrected_after_settled check (correct_seq is null or correct_seq > settle_seq);

insert into gl_accounts values ('exp:waived', 'Biaya pesan yang ditanggung');
alter table wallet_entries
  drop constraint shape,
  add constraint shape check (case kind
    when 'hold'       then d_available < 0 and d_held = -d_available and contra = 'none'
    when 'release'    then d_available > 0 and d_held = -d_available and contra = 'none'
    when 'capture'    then d_available = 0 and d_held < 0 and contra = 'rev:message'
    when 'correction' then d_available < 0 and d_held = 0 and contra = 'rev:message'
    when 'topup'      then d_available > 0 and d_held = 0 and contra = 'clearing'
    when 'bonus'      then d_available > 0 and d_held = 0 and contra = 'exp:bonus'
    when 'plan'       then d_available < 0 and d_held = 0 and contra = 'rev:plan'
    when 'refund'     then d_available > 0 and d_held = 0
    when 'payout'     then d_available < 0 and d_held = 0 and contra = 'clearing'
    when 'adjust'     then d_available <> 0 and d_held = 0 and memo is not null
    else false end);

-- True when a message's present end is one that we decided, and not one that the network told: then even
-- `sent` proves the opposite. After a failure that the network told, only delivered and read do.
create function is_assumed(p_status text, p_failure text) returns boolean
language sql immutable parallel safe
return p_status in ('cancelled', 'expired')
  or (p_status = 'failed' and coalesce(p_failure in ('no_answer', 'not_linked'), false));

-- What became of messages: results of a lane and receipts, in any order, any number of times.
--
-- Outcomes: sent · delivered · read · failed · expired · cancelled. A held price is captured by the first
-- of sent, delivered, read, and given back by the first of the others; both at most once, and only for
-- rows that really moved. p_epoch, when given, fences out a worker that has lost its lane (LN001).
-- Every step is one row of the timeline, however often it is told.
--
-- A final state that is proved wrong is corrected: the status becomes what was proved, and a price that
-- had been given back is charged again (one entry `correction` per call) or, where the saldo does not hold
-- it, waived: booked as revenue and as our own expense. Both at most once per message.
create or replace function settle_batch(
  p_account uuid, p_token uuid, p_epoch bigint,
  p_id uuid[], p_outcome text[], p_failure text[], p_at timestamptz[], p_duplicate boolean[]
) returns table (o_id uuid, o_status text)
language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off as $$
declare
  w wallets%rowtype;
  v_captured bigint;
  v_released bigint;
  v_corrected bigint;
  n_captured int;
  n_released int;
  n_corrected int;
  v_capture_seq bigint;
  v_release_seq bigint;
  v_correct_seq bigint;
  v_woken uuid[];
  m_id uuid[];
  m_token uuid[];
  m_peer text[];
  m_type text[];
  m_old text[];
  m_new text[];
  m_price bigint[];
  -- How the charge stood, and what it becomes: captured, released, corrected, waived; null: unchanged.
  m_before text[];
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
      array_agg(s.status), array_agg(s.next), array_agg(s.price), array_agg(s.charge_state),
      array_agg(case
        when s.charge_state = 'held' and status_rank(s.next) > 0 then 'captured'
        when s.charge_state = 'held' and s.next in ('failed', 'cancelled', 'expired') then 'released'
        when s.charge_state = 'released' and status_rank(s.next) > 0 then 'corrected'
      end)
    into m_id, m_token, m_peer, m_type, m_old, m_new, m_price, m_before, m_charge
    from (
      select m.message_id, m.token_id, m.peer, m.type, m.status, m.price, m.charge_state,
        case
          when m.status = 'received' then m.status
          when g.good >= 2 then
            case greatest(g.good, status_rank(m.status)) when 3 then 'read' else 'delivered' end
          when m.status in ('failed', 'cancelled', 'expired') then
            case when g.good = 1 and m.charge_state = 'released' and is_assumed(m.status, m.failure)
              then 'sent' else m.status end
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

  v_corrected := 0;
  if 'corrected' = any (m_charge) then
    -- Charged whole while the saldo lasts, the oldest message first; the house bears the rest.
    select array_agg(case
        when i.charge = 'corrected' and i.price > 0 and i.run > w.available + v_released then 'waived'
        else i.charge end order by i.ord)
      into m_charge
      from (
        select u.charge, u.ord, u.price,
          sum(u.price) filter (where u.charge = 'corrected') over (order by u.id) as run
        from unnest(m_id, m_charge, m_price) with ordinality as u(id, charge, price, ord)
      ) i;
    select coalesce(sum(i.price), 0), count(*) filter (where i.price > 0)
      into v_corrected, n_corrected
      from unnest(m_charge, m_price) as i(charge, price) where i.charge = 'corrected';
    if v_corrected > 0 then
      v_correct_seq := w.seq + 1 + (v_captured > 0)::int + (v_released > 0)::int;
    end if;
    perform post_gl(
      p_account, gen_random_uuid(), 'waived:' || i.id, 'waived',
      array['exp:waived', 'rev:message'], array[i.price, -i.price]
    )
      from unnest(m_id, m_charge, m_price) as i(id, charge, price) where i.charge = 'waived';
  end if;
  if m_old && array['failed', 'cancelled', 'expired'] then
    insert into message_events (account_id, message_id, kind)
      select p_account, i.id, 'corrected' from unnest(m_id, m_old, m_new) as i(id, old, next)
      where i.old in ('failed', 'cancelled', 'expired') and i.next <> i.old
      on conflict do nothing;
  end if;

  update messages m
    set status = i.next,
      charge_state = case
        when i.charge = 'corrected' then 'captured' else coalesce(i.charge, m.charge_state) end,
      settle_seq = case
        when m.price = 0 then null
        when i.charge = 'captured' then v_capture_seq
        when i.charge = 'released' then v_release_seq
        else m.settle_seq end,
      correct_seq = case
        when m.price > 0 and i.charge = 'corrected' then v_correct_seq else m.correct_seq end,
      failure = case
        when status_rank(i.next) > 0 then null
        when i.next = 'failed' and m.status <> 'failed' then coalesce(i.failure, m.failure)
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
  if v_corrected > 0 then
    update wallets set available = available - v_corrected, seq = seq + 1
      where account_id = p_account returning * into w;
    insert into wallet_entries (
      account_id, seq, kind, d_available, d_held, contra, available_after, held_after, n_items,
      ref_type, ref_id, actor, memo
    ) values (
      p_account, w.seq, 'correction', -v_corrected, 0, 'rev:message', w.available, w.held,
      n_corrected, 'batch', w.seq::text, 'settle', 'Ternyata terkirim setelah biayanya dikembalikan'
    );
  end if;

  -- Counts move from the old status to the new one; what is given back, or waived, costs nothing.
  with change as materialized (
    select d.hour, d.token, d.status, d.type, sum(d.n) as messages,
      sum(case when d.charge in ('released', 'waived') then 0 else d.n * d.price end) as cost
    from (
      select date_trunc('hour', uuid_time(i.id)) as hour, i.token, i.type, i.price, s.*
      from unnest(m_id, m_token, m_type, m_old, m_new, m_price, m_before, m_charge)
        as i(id, token, type, old, next, price, before, charge)
      cross join lateral (values (i.old, -1, i.before), (i.next, 1, coalesce(i.charge, i.before)))
        as s(status, n, charge)
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

  -- A lane looks after its own results by itself. What a receipt, a cancelling or a ttl takes out of the
  -- queue may have held a later message to the same phone: its lane is told, before the rows go, for a
  -- lane is locked before its rows everywhere.
  if p_epoch is null then
    select array_agg(distinct d.token_id) into v_woken from dispatch d
      where d.account_id = p_account and d.message_id = any (m_id);
    if v_woken is not null then
      perform wake_lanes(p_account, v_woken);
    end if;
  end if;
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

-- Makes lanes look for work now, in token order, as every writer of several lanes does.
create function wake_lanes(p_account uuid, p_token uuid[]) returns void
language plpgsql set search_path = public, pg_temp as $$
begin
  perform 1 from lanes where account_id = p_account and token_id = any (p_token)
    order by token_id for no key update;
  update lanes set wakes = wakes + 1, ready_at = least(ready_at, clock_timestamp())
    where account_id = p_account and token_id = any (p_token);
end
$$;

-- Takes messages out of the queue before they leave: cancelled by their owner, past their ttl, or failed
-- because their lane sends no more. What certainly has not left ends with p_outcome and p_failure. What
-- may have left is never cancelled; once its receipt has been awaited in vain it fails with `no_answer`,
-- and before that, or while a try is under way, it is left alone. Returns the ids that were taken.
drop function withdraw_messages(uuid, uuid[], text);
create function withdraw_messages(
  p_account uuid, p_id uuid[], p_outcome text, p_failure text default null
) returns uuid[]
language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off as $$
declare
  v_taken uuid[];
  v_outcome text[];
  v_failure text[];
begin
  perform 1 from wallets where account_id = p_account for no key update;
  select array_agg(d.message_id),
      array_agg(case when d.unsure_until is null then p_outcome else 'failed' end),
      array_agg(case when d.unsure_until is null then p_failure else 'no_answer' end)
    into v_taken, v_outcome, v_failure
    from (
      select message_id, unsure_until from dispatch
      where account_id = p_account and message_id = any (p_id) and case
        when unsure_until is null then state = 'ready'
        else p_outcome <> 'cancelled' and state <> 'sending' and unsure_until <= clock_timestamp() end
      for update
    ) d;
  if v_taken is not null then
    perform settle_batch(
      p_account, null, null, v_taken, v_outcome, v_failure,
      array_fill(clock_timestamp(), array[cardinality(v_taken)]),
      array_fill(false, array[cardinality(v_taken)])
    );
  end if;
  return coalesce(v_taken, '{}');
end
$$;

-- Hands the next messages of a lane to its owner, in order, and marks them `sending` under its epoch.
-- At most one message per phone is on its way: later ones to the same phone wait for it, unless it is
-- only scheduled, or they are more urgent. Nothing is handed out once the token no longer sends from
-- p_from. p_urgent: only one-time codes (priority 0).
--
-- o_unsure_ms is null for what certainly has not left; else how much longer a receipt of an earlier try
-- is to be awaited.
drop function claim_dispatch(uuid, uuid, bigint, int);
create function claim_dispatch(
  p_account uuid, p_token uuid, p_epoch bigint, p_limit int, p_urgent boolean default false,
  p_from text default null
) returns table (
  o_id uuid, o_peer text, o_type text, o_body jsonb, o_secret text, o_attempt int, o_unknowns int,
  o_expired boolean, o_unsure_ms int
)
language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off as $$
begin
  perform 1 from lanes where account_id = p_account and token_id = p_token and epoch = p_epoch for share;
  if not found then
    raise exception 'lane lost' using errcode = 'LN001';
  end if;
  if p_from is not null and not exists (
    select from tokens where account_id = p_account and token_id = p_token and phone = p_from
      and status = 'linked' and deleted_at is null
  ) then
    return;
  end if;
  return query
  with next as (
    select d.message_id from dispatch d
    where d.account_id = p_account and d.token_id = p_token
      and d.state in ('ready', 'unknown') and d.ready_at <= clock_timestamp()
      and d.priority <= case when p_urgent then 0 else 2 end
      and not exists (
        select 1 from dispatch e
        where e.account_id = p_account and e.token_id = p_token and e.peer = d.peer
          and e.message_id < d.message_id and e.priority <= d.priority
          and not (e.state = 'ready' and e.attempt = 0 and e.ready_at > clock_timestamp())
      )
    order by d.priority, d.message_id limit p_limit for update skip locked
  ), taken as (
    update dispatch d
      set state = 'sending', epoch = p_epoch, attempt = d.attempt + 1, tried_at = clock_timestamp()
      from next where d.account_id = p_account and d.message_id = next.message_id
      returning d.message_id, d.secret, d.attempt, d.unknowns, d.priority,
        coalesce(d.expires_at <= clock_timestamp(), false) as expired,
        greatest(0, extract(epoch from d.unsure_until - clock_timestamp()) * 1000)::int as unsure_ms,
        d.unsure_until is null as is_sure
  )
  select t.message_id, m.peer, m.type, m.body, t.secret, t.attempt, t.unknowns, t.expired,
    case when not t.is_sure then t.unsure_ms end
  from taken t
  cross join lateral (
    select * from messages x where x.account_id = p_account and x.message_id = t.message_id limit 1
  ) m
  order by t.priority, t.message_id;
end
$$;

-- Puts messages back for another try: `ready` after a definite "later", `unknown` when no answer came.
create or replace function postpone_dispatch(
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
        unknowns = d.unknowns + (i.state = 'unknown')::int,
        unsure_until = case i.state when 'unknown'
          then clock_timestamp() + i.after_ms * interval '1 millisecond' else d.unsure_until end
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

-- What a dead owner was sending may have left. It is sent again with the same id where the channel knows
-- ids beforehand and its time is not over, else left as unknown until p_wait_ms have passed for a receipt.
--
-- p_token and p_epoch are null for a whole account whose lanes were fenced (it is closed); else the call
-- is fenced itself (LN001). Returns how many there were.
create or replace function recover_lane(
  p_account uuid, p_token uuid, p_epoch bigint, p_preallocates boolean, p_wait_ms int
) returns int
language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off as $$
declare
  v_until timestamptz := clock_timestamp() + p_wait_ms * interval '1 millisecond';
  v_id uuid[];
begin
  if p_epoch is not null then
    perform 1 from lanes where account_id = p_account and token_id = p_token and epoch = p_epoch for share;
    if not found then
      raise exception 'lane lost' using errcode = 'LN001';
    end if;
  end if;
  with found as (
    update dispatch d
      set state = 'unknown', unsure_until = v_until, ready_at = v_until, unknowns = d.unknowns + 1
      from lanes l
      where d.account_id = p_account and l.account_id = p_account and l.token_id = d.token_id
        and (p_token is null or d.token_id = p_token) and d.state = 'sending' and d.epoch < l.epoch
      returning d.message_id
  )
  select array_agg(message_id) into v_id from found;
  if v_id is null then
    return 0;
  end if;
  if p_preallocates then
    update dispatch
      set state = 'ready', ready_at = clock_timestamp(), unknowns = unknowns - 1
      where account_id = p_account and message_id = any (v_id)
        and coalesce(expires_at > clock_timestamp(), true);
  end if;
  insert into message_events (account_id, message_id, kind, n, detail)
    select p_account, message_id, 'unknown', attempt, 'no_answer' from dispatch
    where account_id = p_account and message_id = any (v_id) and state = 'unknown'
    on conflict do nothing;
  return cardinality(v_id);
end
$$;

-- Gives a lane back; its next work is looked up unless a wake-up came meanwhile (then it stays due).
--
-- p_rest_ms: it is not due again sooner. p_blocked: all that was due when p_wakes was read waits for an
-- earlier message to the same phone, so the lane is due when the first of those is, or when it is woken.
drop function close_lane(uuid, uuid, bigint, int);
create function close_lane(
  p_account uuid, p_token uuid, p_epoch bigint, p_rest_ms int default 0,
  p_blocked boolean default false, p_wakes bigint default null
) returns void
language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off as $$
declare
  v_now timestamptz := clock_timestamp();
  v_wakes bigint;
  v_next timestamptz;
begin
  select coalesce(p_wakes, wakes) into v_wakes from lanes
    where account_id = p_account and token_id = p_token and epoch = p_epoch;
  if not found then
    return;
  end if;
  select coalesce(min(ready_at) filter (where p_blocked and ready_at > v_now), min(ready_at))
    into v_next from dispatch
    where account_id = p_account and token_id = p_token;
  if p_blocked and v_next is not null then
    v_next := least(v_next, v_now + interval '5 seconds');
  end if;
  update lanes
    set owner = null, lease_until = null,
      ready_at = case
        when wakes <> v_wakes then ready_at
        when p_rest_ms > 0 and v_next is not null
          then greatest(v_next, v_now + p_rest_ms * interval '1 millisecond')
        else v_next end
    where account_id = p_account and token_id = p_token and epoch = p_epoch;
end
$$;

-- An event that cannot be published is set aside, and tried again later: it holds up nobody else's.
alter table outbox
  add column tries     int not null default 0,
  add column retry_at  timestamptz;
grant update on outbox to kabari_app;

revoke all on function wake_lanes, withdraw_messages, claim_dispatch, close_lane from public;
grant execute on function withdraw_messages, claim_dispatch, close_lane to kabari_app;
