-- Stores what became of tries, and lets their conversations go on: the next of one is due when the one
-- before has ended, a failed one at its next try. Results of a claim that is somebody else's by now change
-- nothing. A webhook that fails several times in a row is paused; one that answered 410, or has done nothing
-- but fail for p_off_after, is switched off. When one answers again, what waits for it is due at once; each success
-- of one that failed less makes some of what waits due (retry_webhook_lanes). An early try that fails uses up none
-- of the tries, and the next one follows 30 s later at the earliest, then twice as long each time.
-- p_results: [{account, webhook, lane, claim, position, outcome, status, error, at, ms, headers, answer,
-- due, asked}]; `asked` is the end of the pause the endpoint asked for; the outcome is delivered, failed (with `due`: tried again then; without: parked), gone, skipped or
-- interrupted, which counts as no try. A failure of ours (`error`) says nothing of the endpoint. One that is
-- gone waits, due at once when the webhook is switched on again, with as many tries left as before. Answers
-- the webhooks that were switched off, and in a row without one whether there is something to send now.
-- Called by the sender. Locks the webhooks, in their order.
create or replace function settle_webhook_deliveries(
  p_results jsonb, p_now timestamptz, p_off_after interval
) returns table (o_account uuid, o_webhook uuid, o_token uuid, o_reason text, o_is_due boolean)
language plpgsql set search_path = public, pg_temp
set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_webhooks uuid[];
  v_recovered uuid[];
  v_taking uuid[];
  v_began timestamptz[];
  v_successes int[];
begin
  select array_agg(distinct r.webhook) into v_webhooks
    from jsonb_to_recordset(p_results) as r(webhook uuid);
  perform from webhooks w where w.webhook_id = any(v_webhooks) order by w.webhook_id for update;

  -- The health of each webhook, by the results that are still ours to tell.
  with result as materialized (
    select r.account, r.webhook, r.lane, r.position, r.outcome, r.status, r.error, r.at, r.ms, r.headers, r.answer,
      case r.outcome when 'gone' then 'failed' else r.outcome end as ended, l.replays,
      r.outcome = 'failed' and l.scheduled_at is not null as is_early,
      case when r.outcome = 'failed' and l.scheduled_at is not null then greatest(l.scheduled_at, r.asked)
        else r.due end as due
    from jsonb_to_recordset(p_results) as r(
      account uuid, webhook uuid, lane text, claim uuid, position bigint, outcome text, status int,
      error text, at timestamptz, ms int, headers jsonb, answer text, due timestamptz, asked timestamptz
    )
    join webhook_lanes l on l.account_id = r.account and l.webhook_id = r.webhook
      and l.lane = r.lane and l.claim = r.claim
  ), stored as (
    update webhook_deliveries d set
        state = case when r.ended = 'interrupted' or d.replays <> r.replays then 'waiting'
          when r.ended = 'failed' then case when r.due is null then 'parked' else 'waiting' end
          else r.ended end,
        tries = case when d.replays <> r.replays then 0 when r.is_early then d.tries
          else d.tries + (r.outcome in ('delivered', 'failed'))::int end,
        attempts = d.attempts + (r.ended in ('delivered', 'failed'))::int,
        due_at = case when d.replays = r.replays then r.due end,
        last_status = case when r.ended in ('delivered', 'failed') then r.status else d.last_status end,
        last_error = case when r.ended in ('delivered', 'failed') then r.error else d.last_error end,
        ended_at = case when d.replays = r.replays and r.due is null and r.ended <> 'interrupted' then p_now end
      from result r
      where d.account_id = r.account and d.webhook_id = r.webhook and d.position = r.position
      returning d.account_id, d.delivery_id, d.attempts, r.ended, r.at, r.ms, r.status, r.error,
        r.headers, r.answer
  ), attempted as (
    insert into webhook_attempts (account_id, delivery_id, n, at, ms, status, error, headers, answer)
    select account_id, delivery_id, attempts, at, ms, status, error, headers, answer
    from stored where ended in ('delivered', 'failed')
  ), health as (
    select account, webhook, bool_or(ended = 'delivered') as has_succeeded,
      max(at) filter (where ended = 'delivered') as began,
      count(*) filter (where ended = 'delivered')::int as n_delivered,
      count(*) filter (where ended = 'failed')::int as n_failed,
      bool_or(outcome = 'gone') as is_gone, bool_or(error = 'late') as is_late
    from result where ended in ('delivered', 'failed') and error is distinct from 'ours'
    group by account, webhook
  ), judged as (
    update webhooks w set
        failures = case when h.has_succeeded then 0 else w.failures + h.n_failed end,
        failing_since = case when not h.has_succeeded then coalesce(w.failing_since, p_now) end,
        slow_until = case when h.is_late then p_now + interval '5 minutes' else w.slow_until end,
        paused_until = case when not h.has_succeeded and w.failures + h.n_failed >= 5
          then p_now + make_interval(secs => least(300, 5 * 2 ^ least(10, w.failures + h.n_failed - 5)))
          end
      from health h, webhooks b
      where w.account_id = h.account and w.webhook_id = h.webhook
        and b.account_id = h.account and b.webhook_id = h.webhook
      returning w.webhook_id, h.has_succeeded, b.failures >= 5 as was_down, h.began, h.n_delivered
  )
  select array_agg(webhook_id) filter (where was_down), array_agg(webhook_id) filter (where not was_down),
      array_agg(began) filter (where not was_down), array_agg(n_delivered) filter (where not was_down)
    into v_recovered, v_taking, v_began, v_successes
    from judged where has_succeeded;

  -- When each conversation may be tried early.
  update webhook_lanes l set scheduled_at = null,
      early_tries = case when not e.is_waiting then 0
        else l.early_tries + (l.scheduled_at is not null)::int end,
      early_from = case when e.is_waiting then greatest(e.asked, case when l.scheduled_at is null then p_now
        else p_now + make_interval(secs => 30 * 2 ^ least(20, l.early_tries)) end) end
    from (
      select r.account, r.webhook, r.lane, r.claim, r.asked,
        r.outcome = 'failed' and d.state = 'waiting' and d.due_at is not null as is_waiting
      from jsonb_to_recordset(p_results) as r(
        account uuid, webhook uuid, lane text, claim uuid, position bigint, outcome text, asked timestamptz
      )
      left join webhook_deliveries d
        on d.account_id = r.account and d.webhook_id = r.webhook and d.position = r.position
      where r.outcome <> 'interrupted'
    ) e
    where l.account_id = e.account and l.webhook_id = e.webhook and l.lane = e.lane and l.claim = e.claim
      and (e.is_waiting or l.early_from is not null or l.early_tries > 0 or l.scheduled_at is not null);

  perform release_webhook_lanes(
    array_agg(r.account), array_agg(r.webhook), array_agg(r.lane), array_agg(r.claim), p_now
  ) from jsonb_to_recordset(p_results) as r(account uuid, webhook uuid, lane text, claim uuid);

  if v_recovered is not null then
    perform hurry_webhooks(v_recovered, p_now);
  end if;
  if v_taking is not null then
    perform retry_webhook_lanes(v_taking, v_began, v_successes, p_now);
  end if;

  return query
  update webhooks w set state = 'off', notice_due = true, changed_at = p_now,
      off_reason = case when g.is_gone then 'gone' else 'failing' end
    from (
      select r.webhook, bool_or(r.outcome = 'gone') as is_gone
      from jsonb_to_recordset(p_results) as r(webhook uuid, outcome text) group by r.webhook
    ) g
    where w.webhook_id = g.webhook and w.webhook_id = any(v_webhooks) and w.state = 'on'
      and (g.is_gone or w.failing_since <= p_now - p_off_after)
    returning w.account_id, w.webhook_id, w.token_id, w.off_reason, false;
  return query select null::uuid, null::uuid, null::uuid, null::text, schedule_webhooks(v_webhooks, p_now);
end
$$;

revoke all on function settle_webhook_deliveries from public;
grant execute on function settle_webhook_deliveries to kabari_app;
