-- Writes what became of messages: a step of the timeline for each outcome that was told (however
-- often; but no bad end of one that has arrived, whose lane may have given it up without hearing of it), the rows themselves, what leaves the queue, and their events, which also say what changes in
-- the counts. m_* say what each message was and becomes; p_* what was told of them, index by index; w_*
-- the entries of settle_charges, by wallet. Answers as settle_messages does.
-- Statements of their own, each only where there is work for it: what a statement costs before its first
-- row is most of what a small batch costs.
-- Called by settle_messages; only the owner may call it. Locks the messages' rows, the queue's, then
-- the lanes of what receipts took out of it.
create or replace function write_settled(
  p_now timestamptz, p_low uuid, p_high uuid, p_account uuid[],
  p_id uuid[], p_outcome text[], p_failure text[], p_at timestamptz[],
  m_account uuid[], m_id uuid[], m_token uuid[], m_peer text[], m_type text[], m_old text[],
  m_next text[], m_price bigint[], m_before text[], m_charge text[],
  m_failure text[], m_duplicate boolean[], m_receipt boolean[],
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

  if array_remove(m_charge, null) = '{}' and not true = any (m_duplicate)
      and not m_next && array['failed', 'cancelled', 'expired'] then
    -- Most receipts: nothing but the status moves.
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
          else m.failure end,
        possible_duplicate = m.possible_duplicate or coalesce(i.duplicate, false)
      from unnest(m_account, m_id, m_old, m_next, m_charge, m_failure, m_duplicate)
        as i(account, id, old, next, charge, failure, duplicate)
      where m.account_id = i.account and m.message_id = i.id
        and m.message_id between p_low and p_high
        and (i.next <> i.old or i.charge is not null or coalesce(i.duplicate, false));
  end if;

  -- What is in the queue has not been captured.
  if m_before is distinct from array_fill('captured'::text, array[cardinality(m_id)]) then
    return query
    with gone as (
      delete from dispatch d using unnest(m_account, m_id, m_next, m_receipt)
          as i(account, id, next, receipt)
        where d.account_id = i.account and d.message_id = i.id
          and i.next not in ('queued', 'scheduled')
        returning d.account_id, d.token_id, i.receipt
    ), woken as (
      -- A lane looks after its own results by itself. What a receipt, a cancelling or a ttl takes out
      -- of the queue may have held up a later message to the same phone.
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
