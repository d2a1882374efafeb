-- Takes messages out of the queue before they leave: cancelled by their owner, past their ttl, or
-- failed because their lane sends no more. What certainly has not left ends with p_outcome and
-- p_failure. What may have left is never cancelled; once its receipt has been awaited in vain it
-- fails with `no_answer`, and before that, or while a try is under way, it is left alone. Returns
-- the ids that were taken.
-- Called by cancelling, the sweep of expired messages, and a lane that sends no more. Locks the
-- account's statuses, the queue's rows, then what settle_messages locks.
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
      array_fill(v_now, array[cardinality(v_taken)]),
      array_fill(false, array[cardinality(v_taken)])
    );
  end if;
  return coalesce(v_taken, '{}');
end
$$;

revoke all on function withdraw_messages from public;
grant execute on function withdraw_messages to kabari_app;
