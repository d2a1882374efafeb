-- What became of messages of any number of accounts: results of lanes and receipts, in any order, any
-- number of times, in one call.
-- Outcomes: sent, delivered, read, failed, expired, cancelled. A held price is captured by the
-- first of sent, delivered, read, and given back by the first of the others; both at most once, and
-- only for rows that really moved. p_epoch, where given, fences out a worker that has lost its lane.
-- Every step is one row of the timeline, however often it is told.
-- A final state that is proved wrong is corrected: the status becomes what was proved, and a price
-- that had been given back is charged again or waived (correct_charges), at most once per message.
-- Answers by message: its new status where that has changed; `lost` where the lane is another
-- worker's now, and nothing was written; `unknown` where there is no such message. By token: `woken`
-- where a receipt ended what was queued, so that its lane may have more to send.
-- Called by the settling of results and receipts, and by settle_batch. Locks the wallets in account
-- order, which every change of a message's status holds, the lanes (key share), the queue's rows. The
-- messages themselves are not locked while they are read: over partitions PostgreSQL 18 loses rows that
-- it had to wait for.
create or replace function settle_messages(
  p_account uuid[], p_token uuid[], p_epoch bigint[],
  p_id uuid[], p_outcome text[], p_failure text[], p_at timestamptz[], p_duplicate boolean[]
) returns table (o_id uuid, o_answer text)
language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off
set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_now timestamptz;
  v_low uuid;
  v_high uuid;
  v_owned text[];
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
  w_account uuid[];
  w_captured bigint[];
  w_released bigint[];
  w_corrected bigint[];
begin
  select min(i::text)::uuid, max(i::text)::uuid into v_low, v_high from unnest(p_id) as i;
  perform 1 from wallets where account_id = any (p_account) order by account_id for no key update;
  if p_epoch is distinct from array_fill(null::bigint, array[cardinality(p_id)]) then
    v_owned := owned_lanes(p_account, p_token, p_epoch);
    return query select i.id, 'lost' from unnest(p_id, p_token, p_epoch) as i(id, token, epoch)
      where i.epoch is not null and (lane_key(i.token, i.epoch) = any (v_owned)) is not true;
    if found then
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

  -- What each message becomes, as its row stands under the wallet's lock.
  select array_agg(s.account_id), array_agg(s.message_id), array_agg(s.token_id), array_agg(s.peer),
      array_agg(s.type), array_agg(s.status), array_agg(s.next), array_agg(s.price),
      array_agg(s.charge_state), array_agg(case
        when s.charge_state = 'held' and s.next in ('sent', 'delivered', 'read') then 'captured'
        when s.charge_state = 'held' and s.next in ('failed', 'cancelled', 'expired') then 'released'
        when s.charge_state = 'released' and s.next in ('sent', 'delivered', 'read')
          then 'corrected'
      end)
    into m_account, m_id, m_token, m_peer, m_type, m_old, m_next, m_price, m_before, m_charge
    from (
      select m.*, next_status(m.status, m.failure, m.charge_state, g.rank, g.sent, g.bad) as next
      from (
        select i.account, i.id, max(status_rank(i.outcome)) as rank,
          bool_or(i.outcome = 'sent') as sent,
          max(i.outcome) filter (where i.outcome in ('failed', 'cancelled', 'expired')) as bad
        from unnest(p_account, p_id, p_outcome) as i(account, id, outcome)
        group by i.account, i.id
      ) g
      join messages m on m.account_id = g.account and m.message_id = g.id
        and m.message_id between v_low and v_high
    ) s;
  return query select distinct i.id, 'unknown' from unnest(p_account, p_id) as i(account, id)
    where not exists (
      select from unnest(m_account, m_id) as m(account, id) where m.account = i.account and m.id = i.id
    );
  if m_id is null then
    return;
  end if;

  v_now := clock_timestamp();
  if m_charge && array['captured', 'released', 'corrected'] then
    select s.w_account, s.w_captured, s.w_released, s.w_corrected, s.m_charge
      into w_account, w_captured, w_released, w_corrected, m_charge
      from settle_charges(m_account, m_id, m_charge, m_price) s;
  end if;
  return query select * from write_settled(
    v_now, v_low, v_high, p_account, p_id, p_epoch, p_outcome, p_failure, p_at, p_duplicate,
    m_account, m_id, m_token, m_peer, m_type, m_old, m_next, m_price, m_before, m_charge,
    w_account, w_captured, w_released, w_corrected
  );
end
$$;

revoke all on function settle_messages from public;
grant execute on function settle_messages to kabari_app;
