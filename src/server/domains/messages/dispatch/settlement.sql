-- Rank of a status: a status only rises. Failed, cancelled and expired are accepted only before delivered. The same
-- order as statusRank in the contract (a test compares every pair).
create or replace function status_rank(p_status text) returns int
language sql immutable parallel safe
return case p_status
  when 'read' then 7
  when 'received' then 7
  when 'delivered' then 6
  when 'failed' then 5
  when 'cancelled' then 5
  when 'expired' then 5
  when 'sent' then 4
  when 'sending' then 3
  when 'queued' then 2
  when 'accepted' then 1
  else 0 end;

-- The next status of a message after outcomes: p_rank is the highest of their status_rank, p_sent says whether `sent`
-- is among them, p_bad names the bad end among them. The present status if nothing changes. A status only rises, with
-- one exception: an end that we only assumed, and whose price was released, is proved wrong by `sent` too. Read by
-- settle_messages, within its statement.
create or replace function next_status(
  p_status text, p_failure text, p_charge text, p_rank int, p_sent boolean, p_bad text
) returns text
language sql immutable parallel safe as $$
select case
  when p_rank > status_rank(p_status) then
    case p_rank when 7 then 'read' when 6 then 'delivered' when 5 then p_bad else 'sent' end
  when p_sent and p_charge = 'released' and is_assumed(p_status, p_failure) then 'sent'
  else p_status end
$$;

-- The change of a message's charge with its next status: captured, released, corrected (charged again); null if
-- unchanged. p_sent says whether `sent` was reported, also beside its end. Read by settle_messages, within its
-- statement.
create or replace function next_charge(p_charge text, p_next text, p_sent boolean) returns text
language sql immutable parallel safe as $$
select case
  when p_charge = 'held' and (p_sent or p_next in ('sent', 'delivered', 'read')) then 'captured'
  when p_charge = 'held' and p_next in ('failed', 'cancelled', 'expired') then 'released'
  when p_charge = 'released' and p_next in ('sent', 'delivered', 'read') then 'corrected'
end
$$;

-- True when a message's present end was assumed by us, not reported by the network: then even `sent` proves the
-- opposite. After a failure that the network reported, only delivered and read do.
create or replace function is_assumed(p_status text, p_failure text) returns boolean
language sql immutable parallel safe
return p_status in ('cancelled', 'expired')
  or (p_status = 'failed' and coalesce(p_failure in ('no_answer', 'not_linked'), false));

-- Locks the statuses of accounts until COMMIT; every change of a message's status takes this lock. It is not the
-- wallet's: most receipts move no money, and accepting must not wait for them. Called by settle_messages and by
-- functions that read the queue before they settle; only the owner may call it. Locks the accounts in one order, before
-- any other lock of theirs.
create or replace function lock_statuses(p_account uuid[]) returns void
language sql as $$
select pg_advisory_xact_lock(7206218, a.key)
from (select distinct hashtext(i::text) as key from unnest(p_account) as i order by 1) a
$$;

revoke all on function lock_statuses from public;

-- Settles messages of any number of accounts: results of lanes and receipts, in any order, any number of times, in one
-- call. Outcomes: sent, delivered, read, failed, expired, cancelled. A held price is captured by the first of sent,
-- delivered, read, and released by the first of the others; both at most once, and only for rows that changed. A
-- message that was sent and failed is charged, also when one call reports both. p_epoch, if given, fences out a worker
-- that has lost its lane. Every step is one row of the timeline, regardless of repeats. A final state that is proved
-- wrong is corrected: the status becomes the proved one, and a released price is charged again or waived
-- (correct_charges), at most once per message. Answers by message: its new status if it has changed; `lost` if another
-- worker owns the lane, and nothing was written; `unknown` if there is no such message. By token: `woken` if a receipt
-- ended a queued message, so that its lane may have more to send. Called by the settling of results and receipts, and
-- by settle_batch. Locks the accounts' statuses, the lanes (key share), the wallets whose money moves, in account
-- order, the queue's rows, and the lanes it wakes. The messages themselves are not locked while they are read: over
-- partitions PostgreSQL 18 loses rows that it had to wait for.
create or replace function settle_messages(
  p_account uuid[], p_token uuid[], p_epoch bigint[],
  p_id uuid[], p_outcome text[], p_failure text[], p_at timestamptz[]
) returns table (o_id uuid, o_answer text)
language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off
set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off
set random_page_cost = 0 set cpu_index_tuple_cost = 1 as $$
declare
  v_now timestamptz;
  v_low uuid;
  v_high uuid;
  v_owned text[];
  v_complete boolean;
  v_told int;
  m_account uuid[];
  m_id uuid[];
  m_token uuid[];
  m_peer text[];
  m_type text[];
  m_old text[];
  m_next text[];
  m_price bigint[];
  -- The charge before, and its change: captured, released, corrected, waived; null: unchanged.
  m_before text[];
  m_charge text[];
  -- Further facts of the outcomes: a failure, and whether a receipt reported it; and the round of the plan whose quota
  -- was used.
  m_failure text[];
  m_receipt boolean[];
  m_round int[];
  w_account uuid[];
  w_captured bigint[];
  w_released bigint[];
  w_corrected bigint[];
begin
  select min(i::text)::uuid, max(i::text)::uuid into v_low, v_high from unnest(p_id) as i;
  perform lock_statuses(p_account);
  if p_epoch is distinct from array_fill(null::bigint, array[cardinality(p_id)]) then
    select o.owned, o.complete into v_owned, v_complete from owned_lanes(p_account, p_token, p_epoch) o;
    if not v_complete then
      return query select i.id, 'lost' from unnest(p_id, p_token, p_epoch) as i(id, token, epoch)
        where i.epoch is not null and (lane_key(i.token, i.epoch) = any (v_owned)) is not true;
      select array_agg(i.account), array_agg(i.epoch), array_agg(i.id), array_agg(i.outcome),
          array_agg(i.failure), array_agg(i.at)
        into p_account, p_epoch, p_id, p_outcome, p_failure, p_at
        from unnest(p_account, p_token, p_epoch, p_id, p_outcome, p_failure, p_at)
          as i(account, token, epoch, id, outcome, failure, at)
        where i.epoch is null or lane_key(i.token, i.epoch) = any (v_owned);
      if p_id is null then
        return;
      end if;
    end if;
  end if;

  -- The next state of each message, from its row under the lock.
  select array_agg(s.account_id), array_agg(s.message_id), array_agg(s.token_id), array_agg(s.peer),
      array_agg(s.type), array_agg(s.status), array_agg(s.next), array_agg(s.price),
      array_agg(s.charge_state), array_agg(next_charge(s.charge_state, s.next, s.was_sent)),
      array_agg(s.told_failure), array_agg(s.receipt), max(s.told),
      array_agg(s.plan_round)
    into m_account, m_id, m_token, m_peer, m_type, m_old, m_next, m_price, m_before, m_charge,
      m_failure, m_receipt, v_told, m_round
    from (
      select m.*, next_status(m.status, m.failure, m.charge_state, g.rank, g.sent, g.bad) as next,
        g.sent as was_sent, g.failure as told_failure, g.receipt, g.told
      from (
        select i.account, i.id, max(status_rank(i.outcome)) as rank,
          bool_or(i.outcome = 'sent') as sent,
          max(i.outcome) filter (where i.outcome in ('failed', 'cancelled', 'expired')) as bad,
          min(i.failure) as failure, bool_or(i.epoch is null) as receipt, count(*) over () as told
        from unnest(p_account, p_epoch, p_id, p_outcome, p_failure)
          as i(account, epoch, id, outcome, failure)
        group by i.account, i.id
      ) g
      join messages m on m.account_id = g.account and m.message_id = g.id
        and m.message_id between v_low and v_high
      order by g.account, g.id
    ) s;
  if m_id is null or cardinality(m_id) <> v_told then
    return query select distinct i.id, 'unknown' from unnest(p_account, p_id) as i(account, id)
      where not exists (
        select from unnest(m_account, m_id) as m(account, id)
        where m.account = i.account and m.id = i.id
      );
    if m_id is null then
      return;
    end if;
    select array_agg(i.account), array_agg(i.id), array_agg(i.outcome), array_agg(i.failure),
        array_agg(i.at)
      into p_account, p_id, p_outcome, p_failure, p_at
      from unnest(p_account, p_id, p_outcome, p_failure, p_at) as i(account, id, outcome, failure, at)
      join unnest(m_account, m_id) as m(account, id) on m.account = i.account and m.id = i.id;
  end if;

  v_now := clock_timestamp();
  if m_charge && array['captured', 'released', 'corrected'] then
    perform 1 from wallets
      where account_id = any (array(
        select i.account from unnest(m_account, m_charge) as i(account, charge)
        where i.charge is not null
      ))
      order by account_id for no key update;
    select s.w_account, s.w_captured, s.w_released, s.w_corrected, s.m_charge
      into w_account, w_captured, w_released, w_corrected, m_charge
      from settle_charges(m_account, m_id, m_charge, m_price) s;
    perform return_plan_quota(m_account, m_round, m_charge);
  end if;
  return query select * from write_settled(
    v_now, v_low, v_high, p_account, p_id, p_outcome, p_failure, p_at,
    m_account, m_id, m_token, m_peer, m_type, m_old, m_next, m_price, m_before, m_charge,
    m_failure, m_receipt, w_account, w_captured, w_released, w_corrected
  );
end
$$;

revoke all on function settle_messages from public;
grant execute on function settle_messages to kabari_app;

-- Writes the settled messages: a step of the timeline for each outcome (once per step; but no bad end of an arrived
-- message, whose lane may have given it up before the receipt), the rows themselves, the removal from the queue, and
-- their events, which also contain the changes of the counts. m_* is the state of each message before and after; p_*
-- the outcomes, index by index; w_* the entries of settle_charges, by wallet. Answers as settle_messages does. Separate
-- statements, each only if it has work: the start-up of a statement is most of the cost of a small batch. Called by
-- settle_messages; only the owner may call it. Locks the messages' rows, the queue's, then the lanes of the messages
-- that receipts removed from it.
create or replace function write_settled(
  p_now timestamptz, p_low uuid, p_high uuid, p_account uuid[],
  p_id uuid[], p_outcome text[], p_failure text[], p_at timestamptz[],
  m_account uuid[], m_id uuid[], m_token uuid[], m_peer text[], m_type text[], m_old text[],
  m_next text[], m_price bigint[], m_before text[], m_charge text[],
  m_failure text[], m_receipt boolean[],
  w_account uuid[], w_captured bigint[], w_released bigint[], w_corrected bigint[]
) returns table (o_id uuid, o_answer text)
language plpgsql as $$
begin
  insert into message_events (account_id, message_id, kind, at, detail)
    select i.account, i.id, i.outcome, coalesce(i.at, p_now), i.failure
    from unnest(p_account, p_id, p_outcome, p_at, p_failure) as i(account, id, outcome, at, failure)
    where i.outcome not in ('failed', 'cancelled', 'expired') or i.id = any (array(
      select e.id from unnest(m_id, m_next) as e(id, next)
      where e.next in ('failed', 'cancelled', 'expired')
    ))
    order by 1, 2, 3, 4, 5
    on conflict do nothing;
  if m_old && array['failed', 'cancelled', 'expired'] then
    insert into message_events (account_id, message_id, kind, at)
      select i.account, i.id, 'corrected', p_now
      from unnest(m_account, m_id, m_old, m_next) as i(account, id, old, next)
      where i.old in ('failed', 'cancelled', 'expired') and i.next <> i.old order by 1, 2
      on conflict do nothing;
  end if;

  if array_remove(m_charge, null) = '{}' and not m_next && array['failed', 'cancelled', 'expired'] then
    -- Most receipts change only the status.
    update messages m set status = i.next, failure = null
      from unnest(m_account, m_id, m_old, m_next) as i(account, id, old, next)
      where m.account_id = i.account and m.message_id = i.id
        and m.message_id between p_low and p_high and i.next <> i.old;
  else
    update messages m
      set status = i.next,
        charge_state = case
          when i.charge = 'corrected' then 'captured' else coalesce(i.charge, m.charge_state) end,
        settle_seq = case
          when m.price = 0 then null
          when i.charge = 'captured' then w_captured[array_position(w_account, i.account)]
          when i.charge = 'released' then w_released[array_position(w_account, i.account)]
          else m.settle_seq end,
        correct_seq = case
          when m.price > 0 and i.charge = 'corrected'
            then w_corrected[array_position(w_account, i.account)]
          else m.correct_seq end,
        failure = case
          when i.next in ('sent', 'delivered', 'read') then null
          when i.next = 'failed' and m.status <> 'failed' then coalesce(i.failure, m.failure)
          else m.failure end
      from unnest(m_account, m_id, m_old, m_next, m_charge, m_failure)
        as i(account, id, old, next, charge, failure)
      where m.account_id = i.account and m.message_id = i.id
        and m.message_id between p_low and p_high
        and (i.next <> i.old or i.charge is not null);
  end if;

  -- A queued message has not been captured.
  if m_before is distinct from array_fill('captured'::text, array[cardinality(m_id)]) then
    return query
    with gone as (
      delete from dispatch d using unnest(m_account, m_id, m_next, m_receipt)
          as i(account, id, next, receipt)
        where d.account_id = i.account and d.message_id = i.id
          and i.next not in ('queued', 'scheduled')
        returning d.account_id, d.token_id, i.receipt
    ), woken as (
      -- A lane polls after its own results. A message that a receipt, a cancellation or its ttl removes from the queue
      -- may have held up a later one to the same phone.
      update lanes l set wakes = l.wakes + 1, ready_at = least(l.ready_at, p_now)
        from (
          select o.account_id, o.token_id
          from (select distinct account_id, token_id from gone where receipt) i
          join lanes o on o.account_id = i.account_id and o.token_id = i.token_id
          order by o.account_id, o.token_id for no key update of o
        ) g
        where l.account_id = g.account_id and l.token_id = g.token_id
        returning l.token_id
    )
    select woken.token_id, 'woken' from woken;
  end if;

  insert into outbox (
    account_id, outbox_id, at, kind, message_ids, token_ids, peers, types, statuses,
    statuses_before, costs, costs_before, data
  )
  select c.account, gen_random_uuid(), p_now, 'message.changed', c.ids, c.tokens, c.peers, c.types,
    c.nexts, c.olds, c.costs, c.costs_before, (
      select jsonb_build_object('available', w.available, 'held', w.held, 'seq', w.seq)
      from wallets w where w.account_id = c.account and c.account = any (w_account)
    )
  from (
    select i.account, array_agg(i.id) as ids, array_agg(i.token) as tokens,
      array_agg(i.peer) as peers, array_agg(i.type) as types, array_agg(i.next) as nexts,
      array_agg(i.old) as olds, array_agg(case
        when coalesce(i.charge, i.before) in ('released', 'waived') then 0 else i.price end) as costs,
      array_agg(case when i.before in ('released', 'waived') then 0 else i.price end) as costs_before
    from unnest(m_account, m_id, m_token, m_peer, m_type, m_old, m_next, m_price, m_before, m_charge)
      as i(account, id, token, peer, type, old, next, price, before, charge)
    where i.old <> i.next group by i.account
  ) c;
  return query select i.id, i.next from unnest(m_id, m_old, m_next) as i(id, old, next)
    where i.old <> i.next;
end
$$;

revoke all on function write_settled from public;

-- Like settle_messages, for messages of one account, with one epoch for all. Answers the messages whose status changed.
-- Called by withdraw_messages. Raises LN001 when another worker owns the lane.
create or replace function settle_batch(
  p_account uuid, p_token uuid, p_epoch bigint,
  p_id uuid[], p_outcome text[], p_failure text[], p_at timestamptz[]
) returns table (o_id uuid, o_status text)
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if p_epoch is not null then
    perform fence_lane(p_account, p_token, p_epoch);
  end if;
  return query select s.o_id, s.o_answer from settle_messages(
      array_fill(p_account, array[cardinality(p_id)]), array_fill(p_token, array[cardinality(p_id)]),
      array_fill(p_epoch, array[cardinality(p_id)]), p_id, p_outcome, p_failure, p_at
    ) s
    where s.o_answer not in ('unknown', 'lost', 'woken');
end
$$;

revoke all on function settle_batch from public;
grant execute on function settle_batch to kabari_app;

-- settle_messages for many accounts, with a lock time-out of 100 ms, so that one locked account does not delay the
-- others (55P03 after that: the caller then goes account by account). Called by the settling of results and receipts.
create or replace function settle_together(
  p_account uuid[], p_token uuid[], p_epoch bigint[],
  p_id uuid[], p_outcome text[], p_failure text[], p_at timestamptz[]
) returns table (o_id uuid, o_answer text)
language sql security definer set search_path = public, pg_temp set lock_timeout = '100ms' as $$
select * from settle_messages(
  p_account, p_token, p_epoch, p_id, p_outcome, p_failure, p_at
)
$$;

revoke all on function settle_together from public;
grant execute on function settle_together to kabari_app;

-- Stores outcomes that could not be settled: only the settling is retried, never the sending. Their messages are due
-- again after p_rest_ms, for settling only; for a day only a receipt ends them otherwise. Called by a lane's owner.
-- Locks the lane (share), then the rows. Raises LN001 when the lane was lost.
create or replace function store_outcomes(
  p_account uuid, p_token uuid, p_epoch bigint,
  p_id uuid[], p_outcome text[], p_failure text[], p_at timestamptz[], p_rest_ms int
) returns void
language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off
set plan_cache_mode = force_generic_plan as $$
declare
  v_now timestamptz := clock_timestamp();
begin
  perform fence_lane(p_account, p_token, p_epoch);
  update dispatch d
    set state = 'unknown', ready_at = v_now + p_rest_ms * interval '1 millisecond',
      unsure_until = case when d.outcome is null
        then v_now + interval '1 day' else d.unsure_until end,
      outcome = i.outcome, failure = i.failure, outcome_at = i.at
    from unnest(p_id, p_outcome, p_failure, p_at) as i(id, outcome, failure, at)
    where d.account_id = p_account and d.message_id = any (p_id) and d.message_id = i.id
      and d.state = 'sending';
end
$$;

revoke all on function store_outcomes from public;
grant execute on function store_outcomes to kabari_app;

-- Removes messages from the queue before they leave: cancelled by their owner, past their ttl, or failed because their
-- lane sends no more. Those that certainly have not left end with p_outcome and p_failure. One that may have left is
-- never cancelled: after the wait for its receipt it fails with `no_answer`; before that, or while a try is in flight,
-- it is skipped. Returns the ids that were removed. Called by cancelling, the sweep of expired messages, and a lane
-- that sends no more. Locks the account's statuses, the queue's rows, then as settle_messages does.
create or replace function withdraw_messages(
  p_account uuid, p_id uuid[], p_outcome text, p_failure text default null
) returns uuid[]
language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off
set plan_cache_mode = force_generic_plan as $$
declare
  v_now timestamptz := clock_timestamp();
  v_taken uuid[];
  v_outcome text[];
  v_failure text[];
begin
  perform lock_statuses(array[p_account]);
  select array_agg(d.message_id),
      array_agg(case when d.unsure_until is null then p_outcome else 'failed' end),
      array_agg(case when d.unsure_until is null then p_failure else 'no_answer' end)
    into v_taken, v_outcome, v_failure
    from (
      select message_id, unsure_until from dispatch
      where account_id = p_account and message_id = any (p_id) and case
        when unsure_until is null then state = 'ready'
        else p_outcome <> 'cancelled' and state <> 'sending' and unsure_until <= v_now end
      for update
    ) d;
  if v_taken is not null then
    perform settle_batch(
      p_account, null, null, v_taken, v_outcome, v_failure,
      array_fill(v_now, array[cardinality(v_taken)])
    );
  end if;
  return coalesce(v_taken, '{}');
end
$$;

revoke all on function withdraw_messages from public;
grant execute on function withdraw_messages to kabari_app;

-- Stores an inbound message with its event, idempotent by provider id. False when it was known, or the account is
-- closed, which receives no messages. p_preview is its excerpt for notices and lists; p_contact the account's name for
-- the sender. Called by channels for inbound messages. Locks the wallet.
create or replace function receive_message(
  p_account uuid, p_token uuid, p_id uuid, p_peer text, p_name text, p_type text, p_body jsonb,
  p_provider text, p_preview text, p_contact text
) returns boolean
language plpgsql security definer set search_path = public, pg_temp
set plan_cache_mode = force_generic_plan as $$
declare
  v_status text;
begin
  select status into v_status from wallets where account_id = p_account for no key update;
  if v_status = 'closed' then
    return false;
  end if;
  insert into message_refs (account_id, ref, message_id, hash)
    values (p_account, chr(1) || 'in:' || p_provider, p_id, '') on conflict do nothing;
  if not found then
    return false;
  end if;
  insert into messages (
    account_id, message_id, token_id, peer, direction, type, body, status, price, created_at
  ) values (p_account, p_id, p_token, p_peer, 'in', p_type, p_body, 'received', 0, uuid_time(p_id));
  insert into outbox (
    account_id, outbox_id, kind, message_ids, token_ids, peers, types, statuses, statuses_before,
    costs, costs_before, data
  ) values (
    p_account, gen_random_uuid(), 'message.received', array[p_id], array[p_token], array[p_peer],
    array[p_type], array['received'], array[null::text], array[0::bigint], array[0::bigint],
    jsonb_build_object('peer_name', p_name, 'preview', p_preview)
      || case when p_contact is null then '{}' else jsonb_build_object('contact_name', p_contact) end
  );
  return true;
end
$$;

revoke all on function receive_message(
  uuid, uuid, uuid, text, text, text, jsonb, text, text, text
) from public;
grant execute on function receive_message(
  uuid, uuid, uuid, text, text, text, jsonb, text, text, text
) to kabari_app;

-- Adds the file to an inbound message that was stored without it, or the reason why there is none. False when there is
-- no such message, when it does not wait for a file, or when its sender has deleted it. Called by channels once the
-- file is fetched. Locks the account's statuses (a receipt that had to wait for the message's row would lose it), then
-- that row.
create or replace function complete_inbound(
  p_account uuid, p_token uuid, p_provider text, p_file jsonb
) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_id uuid;
  v_peer text;
begin
  perform lock_statuses(array[p_account]);
  update messages m set body = m.body - 'missing' || p_file
    where m.account_id = p_account and m.token_id = p_token and m.direction = 'in'
      and m.message_id = (
        select r.message_id from message_refs r
        where r.account_id = p_account and r.ref = chr(1) || 'in:' || p_provider
      )
      and m.body ->> 'missing' = 'fetching' and not m.body ? 'revoked_at'
    returning m.message_id, m.peer into v_id, v_peer;
  if not found then
    return false;
  end if;
  -- Without a type, counts skip it: no message was added.
  perform enqueue_event(
    p_account, 'message.edited', null, array[v_id], array[p_token], array[v_peer], array['received']
  );
  return true;
end
$$;

revoke all on function complete_inbound from public;
grant execute on function complete_inbound to kabari_app;

-- Edits or deletes an inbound message for its sender: p_text is its new text or caption, null for a deletion. The
-- former text is added to its timeline, for the first fifty edits. False when this sender has no such message; a
-- repeated change, and one of a deleted message, change nothing. Called by channels for inbound messages. Locks the
-- account's statuses (a receipt that had to wait for the message's row would lose it), then that row.
create or replace function change_inbound(
  p_account uuid, p_token uuid, p_peer text, p_provider text, p_change text, p_text text, p_at timestamptz
) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_message messages%rowtype;
  v_kind text := case when p_text is null then 'revoked' else 'edited' end;
begin
  perform lock_statuses(array[p_account]);
  select m.* into v_message from messages m
    where m.account_id = p_account and m.token_id = p_token and m.peer = p_peer and m.direction = 'in'
      and m.message_id = (
        select r.message_id from message_refs r
        where r.account_id = p_account and r.ref = chr(1) || 'in:' || p_provider
      )
    for no key update;
  if not found then
    return false;
  end if;
  insert into message_refs (account_id, ref, message_id, hash)
    values (p_account, chr(1) || 'in:' || p_change, v_message.message_id, '') on conflict do nothing;
  if not found or v_message.body ? 'revoked_at' then
    return true;
  end if;
  insert into message_events (account_id, message_id, kind, n, at, detail)
    select p_account, v_message.message_id, v_kind, coalesce(max(n) + 1, 0), p_at,
      coalesce(v_message.body ->> 'text', v_message.body ->> 'caption', v_message.body ->> 'name')
    from message_events
    where account_id = p_account and message_id = v_message.message_id and kind = v_kind
    having coalesce(max(n) + 1, 0) < 50;
  -- A deleted message still names its file, so that the file is erased with it.
  update messages set body = case v_kind
    when 'edited' then body - 'choice' || jsonb_build_object(
      case when type in ('text', 'other') then 'text' else 'caption' end, p_text,
      'edited_at', utc_text(p_at)
    )
    else jsonb_build_object('revoked_at', utc_text(p_at)) || (
      select coalesce(jsonb_object_agg(b.key, b.value), '{}') from jsonb_each(body) b
      where b.key in ('provider_id', 'quoted', 'reply_to', 'file', 'mime', 'bytes', 'sha256', 'preview')
    )
  end
  where account_id = p_account and message_id = v_message.message_id;
  -- Without a type, counts skip it: no message was added.
  perform enqueue_event(
    p_account, 'message.' || v_kind, null, array[v_message.message_id], array[p_token], array[p_peer],
    array['received']
  );
  return true;
end
$$;

revoke all on function change_inbound from public;
grant execute on function change_inbound to kabari_app;

-- Puts messages back whose links are being fetched, or (p_fetch null) whose files cannot be read now: they have not
-- left, and hold up later ones to the same phone. They are due again when their fetch ends (wake_media_waits), or after
-- p_after_ms as a fallback. This does not count as a try. Called by a lane's owner. Locks the lane (share), then the
-- rows. Raises LN001 when the lane was lost.
create or replace function wait_for_media(
  p_account uuid, p_token uuid, p_epoch bigint, p_id uuid[], p_fetch uuid[], p_after_ms int
) returns void
language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off
set plan_cache_mode = force_generic_plan as $$
begin
  perform fence_lane(p_account, p_token, p_epoch);
  update dispatch d
    set state = 'ready', ready_at = clock_timestamp() + p_after_ms * interval '1 millisecond',
      awaits = i.awaited, attempt = greatest(1, d.attempt - 1)
    from unnest(p_id, p_fetch) as i(id, awaited)
    where d.account_id = p_account and d.message_id = any (p_id) and d.message_id = i.id
      and d.state = 'sending';
end
$$;

revoke all on function wait_for_media from public;
grant execute on function wait_for_media to kabari_app;

-- Adds the file of a message's link, with its metadata, to the message's body. Called by a lane's owner before the
-- message leaves, and by message_image_load. Locks the account's statuses (a receipt that had to wait for the message's
-- row would lose it), then that row.
create or replace function attach_file(p_account uuid, p_message uuid, p_file jsonb) returns void
language sql security definer set search_path = public, pg_temp as $$
  select lock_statuses(array[p_account]);
  update messages set body = body || p_file
  where account_id = p_account and message_id = p_message
$$;

revoke all on function attach_file from public;
grant execute on function attach_file to kabari_app;

-- Makes the messages that wait for a fetch due, and wakes their lanes; answers their tokens. Called when the fetch has
-- ended. Locks the lanes, in order, then the rows, as a lane's owner does.
create or replace function wake_media_waits(p_account uuid, p_fetch uuid) returns setof uuid
language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off as $$
declare
  v_tokens uuid[] := array(
    select distinct token_id from dispatch where account_id = p_account and awaits = p_fetch
    order by token_id
  );
begin
  if v_tokens = '{}' then
    return;
  end if;
  perform 1 from lanes where account_id = p_account and token_id = any (v_tokens)
    order by token_id for no key update;
  update dispatch
    set ready_at = clock_timestamp(), awaits = null, attempt = greatest(0, attempt - 1)
    where account_id = p_account and awaits = p_fetch and state = 'ready';
  update lanes set wakes = wakes + 1, ready_at = least(ready_at, clock_timestamp())
    where account_id = p_account and token_id = any (v_tokens);
  return query select unnest(v_tokens);
end
$$;

revoke all on function wake_media_waits from public;
grant execute on function wake_media_waits to kabari_app;
