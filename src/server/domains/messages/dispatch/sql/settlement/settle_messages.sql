-- What became of messages of any number of accounts: results of lanes and receipts, in any order, any
-- number of times, in one call.
-- Outcomes: sent, delivered, read, failed, expired, cancelled. A held price is captured by the
-- first of sent, delivered, read, and given back by the first of the others; both at most once, and
-- only for rows that really moved. What was sent and failed is charged, also when one call tells both. p_epoch, where given, fences out a worker that has lost its lane.
-- p_duplicate is only told by the release before: that a message may arrive twice is noted before it is sent
-- again (mark_resent).
-- Every step is one row of the timeline, however often it is told.
-- A final state that is proved wrong is corrected: the status becomes what was proved, and a price
-- that had been given back is charged again or waived (correct_charges), at most once per message.
-- Answers by message: its new status where that has changed; `lost` where the lane is another
-- worker's now, and nothing was written; `unknown` where there is no such message. By token: `woken`
-- where a receipt ended what was queued, so that its lane may have more to send.
-- Called by the settling of results and receipts, and by settle_batch. Locks the accounts' statuses, the
-- lanes (key share), the wallets whose money moves, in account order, the queue's rows, and the lanes it wakes. The messages
-- themselves are not locked while they are read: over partitions PostgreSQL 18 loses rows that it had to
-- wait for.
create or replace function settle_messages(
  p_account uuid[], p_token uuid[], p_epoch bigint[],
  p_id uuid[], p_outcome text[], p_failure text[], p_at timestamptz[], p_duplicate boolean[]
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
  -- How the charge stood, and what it becomes: captured, released, corrected, waived; null: unchanged.
  m_before text[];
  m_charge text[];
  -- What was told of it beside: a failure, that it may have left twice, whether a receipt told it; and
  -- the round whose quota it was taken from.
  m_failure text[];
  m_duplicate boolean[];
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
          array_agg(i.failure), array_agg(i.at), array_agg(i.duplicate)
        into p_account, p_epoch, p_id, p_outcome, p_failure, p_at, p_duplicate
        from unnest(p_account, p_token, p_epoch, p_id, p_outcome, p_failure, p_at, p_duplicate)
          as i(account, token, epoch, id, outcome, failure, at, duplicate)
        where i.epoch is null or lane_key(i.token, i.epoch) = any (v_owned);
      if p_id is null then
        return;
      end if;
    end if;
  end if;

  -- What each message becomes, as its row stands under the lock.
  select array_agg(s.account_id), array_agg(s.message_id), array_agg(s.token_id), array_agg(s.peer),
      array_agg(s.type), array_agg(s.status), array_agg(s.next), array_agg(s.price),
      array_agg(s.charge_state), array_agg(next_charge(s.charge_state, s.next, s.was_sent)),
      array_agg(s.told_failure), array_agg(s.duplicate), array_agg(s.receipt), max(s.told),
      array_agg(s.plan_round)
    into m_account, m_id, m_token, m_peer, m_type, m_old, m_next, m_price, m_before, m_charge,
      m_failure, m_duplicate, m_receipt, v_told, m_round
    from (
      select m.*, next_status(m.status, m.failure, m.charge_state, g.rank, g.sent, g.bad) as next,
        g.sent as was_sent, g.failure as told_failure, g.duplicate, g.receipt, g.told
      from (
        select i.account, i.id, max(status_rank(i.outcome)) as rank,
          bool_or(i.outcome = 'sent') as sent,
          max(i.outcome) filter (where i.outcome in ('failed', 'cancelled', 'expired')) as bad,
          min(i.failure) as failure, bool_or(i.duplicate) as duplicate,
          bool_or(i.epoch is null) as receipt, count(*) over () as told
        from unnest(p_account, p_epoch, p_id, p_outcome, p_failure, p_duplicate)
          as i(account, epoch, id, outcome, failure, duplicate)
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
    m_failure, m_duplicate, m_receipt, w_account, w_captured, w_released, w_corrected
  );
end
$$;

revoke all on function settle_messages from public;
grant execute on function settle_messages to kabari_app;
