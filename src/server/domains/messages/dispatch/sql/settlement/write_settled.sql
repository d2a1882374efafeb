-- Writes what became of messages: a step of the timeline for each outcome that was told (however
-- often), the rows themselves, and their counts. m_* say what each message was and becomes; p_* what
-- was told, index by index; the entries are those of settle_charges. Answers how many rows changed.
-- Called by settle_batch; only the owner may call it. Locks the messages' rows, then the rollups'.
create or replace function write_settled(
  p_account uuid,
  p_id uuid[], p_outcome text[], p_failure text[], p_at timestamptz[], p_duplicate boolean[],
  m_id uuid[], m_token uuid[], m_type text[], m_old text[], m_next text[], m_price bigint[],
  m_before text[], m_charge text[],
  p_captured bigint, p_released bigint, p_corrected bigint
) returns int
language plpgsql as $$
declare
  v_count int;
begin
  insert into message_events (account_id, message_id, kind, at, detail)
    select p_account, i.id, i.outcome, coalesce(min(i.at), clock_timestamp()), min(i.failure)
    from unnest(p_id, p_outcome, p_at, p_failure) as i(id, outcome, at, failure)
    where i.id = any (m_id) group by i.id, i.outcome order by i.id, i.outcome
    on conflict do nothing;
  if m_old && array['failed', 'cancelled', 'expired'] then
    insert into message_events (account_id, message_id, kind)
      select p_account, i.id, 'corrected' from unnest(m_id, m_old, m_next) as i(id, old, next)
      where i.old in ('failed', 'cancelled', 'expired') and i.next <> i.old
      on conflict do nothing;
  end if;

  update messages m
    set status = i.next,
      charge_state = case
        when i.charge = 'corrected' then 'captured' else coalesce(i.charge, m.charge_state) end,
      settle_seq = case
        when m.price = 0 then null
        when i.charge = 'captured' then p_captured
        when i.charge = 'released' then p_released
        else m.settle_seq end,
      correct_seq = case
        when m.price > 0 and i.charge = 'corrected' then p_corrected else m.correct_seq end,
      failure = case
        when i.next in ('sent', 'delivered', 'read') then null
        when i.next = 'failed' and m.status <> 'failed' then coalesce(i.failure, m.failure)
        else m.failure end,
      possible_duplicate = m.possible_duplicate or coalesce(i.duplicate, false)
    from (
      select c.id, c.next, c.charge, c.old, min(g.failure) as failure, bool_or(g.duplicate) as duplicate
      from unnest(m_id, m_next, m_charge, m_old) as c(id, next, charge, old)
      join unnest(p_id, p_failure, p_duplicate) as g(id, failure, duplicate) on g.id = c.id
      group by c.id, c.next, c.charge, c.old
    ) i
    -- Named again as an array: joined by i.id alone, the plan reads every message of the account.
    where m.account_id = p_account and m.message_id = any (m_id) and m.message_id = i.id
      and (i.next <> i.old or i.charge is not null or coalesce(i.duplicate, false));
  get diagnostics v_count = row_count;

  -- Counts move from the old status to the new one; what is given back, or waived, costs nothing.
  with change as materialized (
    select d.hour, d.token, d.status, d.type, sum(d.n) as messages,
      sum(case when d.charge in ('released', 'waived') then 0 else d.n * d.price end) as cost
    from (
      select date_trunc('hour', uuid_time(i.id)) as hour, i.token, i.type, i.price, s.*
      from unnest(m_id, m_token, m_type, m_old, m_next, m_price, m_before, m_charge)
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
  return v_count;
end
$$;

revoke all on function write_settled from public;
