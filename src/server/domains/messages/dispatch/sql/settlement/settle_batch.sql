-- What became of messages: results of a lane and receipts, in any order, any number of times.
-- Outcomes: sent, delivered, read, failed, expired, cancelled. A held price is captured by the
-- first of sent, delivered, read, and given back by the first of the others; both at most once, and
-- only for rows that really moved. p_epoch, when given, fences out a worker that has lost its lane
-- (LN001). Every step is one row of the timeline, however often it is told.
-- A final state that is proved wrong is corrected: the status becomes what was proved, and a price
-- that had been given back is charged again or waived (settle_charges), at most once per message.
-- Called by the settling of lanes and receipts, and by withdraw_messages. Locks the wallet, then
-- the lane (share), the messages, the rollups, the queue's rows. Answers the messages whose status
-- changed.
create or replace function settle_batch(
  p_account uuid, p_token uuid, p_epoch bigint,
  p_id uuid[], p_outcome text[], p_failure text[], p_at timestamptz[], p_duplicate boolean[]
) returns table (o_id uuid, o_status text)
language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off as $$
declare
  w wallets%rowtype;
  v_money record;
  v_count int;
  v_woken uuid[];
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
begin
  select * into strict w from wallets where account_id = p_account for no key update;
  if p_epoch is not null then
    perform fence_lane(p_account, p_token, p_epoch);
  end if;

  -- What each message becomes, under the wallet's lock.
  select array_agg(s.message_id), array_agg(s.token_id), array_agg(s.peer), array_agg(s.type),
      array_agg(s.status), array_agg(s.next), array_agg(s.price), array_agg(s.charge_state),
      array_agg(case
        when s.charge_state = 'held' and s.next in ('sent', 'delivered', 'read') then 'captured'
        when s.charge_state = 'held' and s.next in ('failed', 'cancelled', 'expired') then 'released'
        when s.charge_state = 'released' and s.next in ('sent', 'delivered', 'read')
          then 'corrected'
      end)
    into m_id, m_token, m_peer, m_type, m_old, m_next, m_price, m_before, m_charge
    from settled_statuses(p_account, p_id, p_outcome) s;
  if m_id is null then
    return;
  end if;

  v_money := settle_charges(w, m_id, m_charge, m_price);
  v_count := write_settled(
    p_account, p_id, p_outcome, p_failure, p_at, p_duplicate, m_id, m_token, m_type, m_old, m_next,
    m_price, m_before, v_money.o_charge,
    v_money.o_captured, v_money.o_released, v_money.o_corrected
  );

  -- A lane looks after its own results by itself. What a receipt, a cancelling or a ttl takes out of the
  -- queue may have held a later message to the same phone: its lane is woken, before the rows go, for a
  -- lane is locked before its rows everywhere.
  if p_epoch is null then
    select array_agg(distinct d.token_id) into v_woken from dispatch d
      where d.account_id = p_account and d.message_id = any (m_id);
    if v_woken is not null then
      perform wake_lanes(p_account, v_woken);
    end if;
  end if;
  delete from dispatch d using unnest(m_id, m_next) as i(id, next)
    where d.account_id = p_account and d.message_id = any (m_id) and d.message_id = i.id
      and i.next not in ('queued', 'scheduled');

  if v_count > 0 then
    insert into outbox (account_id, outbox_id, kind, message_ids, token_ids, peers, statuses, data)
      select p_account, gen_random_uuid(), 'message.changed', array_agg(i.id), array_agg(i.token),
        array_agg(i.peer), array_agg(i.next),
        jsonb_build_object('available', v_money.o_available, 'held', v_money.o_held)
      from unnest(m_id, m_token, m_peer, m_old, m_next) as i(id, token, peer, old, next)
      where i.old <> i.next
      having count(*) > 0;
  end if;

  return query select i.id, i.next from unnest(m_id, m_old, m_next) as i(id, old, next)
    where i.old <> i.next;
end
$$;

revoke all on function settle_batch from public;
grant execute on function settle_batch to kabari_app;
