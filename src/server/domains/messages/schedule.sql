-- Gives a planned message another time, p_ready, and its end (ttl) moves along. False when it is no plan any
-- more: it was handed to a lane, may have left, was withdrawn, or was never planned. A lane that takes it at the
-- same moment wins: its row is locked, and looked at again once it is free.
-- Called by the API of messages. Locks the account's statuses, for a receipt that had to wait for the message's row
-- would lose it, the queue's row, the message's, then the lane.
create or replace function reschedule_message(
  p_account uuid, p_token uuid, p_message uuid, p_ready timestamptz
) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_expires timestamptz;
begin
  perform lock_statuses(array[p_account]);
  update dispatch d
    set ready_at = p_ready, expires_at = d.expires_at + (p_ready - d.ready_at)
    where d.account_id = p_account and d.message_id = p_message and d.token_id = p_token
      and d.state = 'ready' and d.attempt = 0 and d.unsure_until is null and d.awaits is null
      and exists (
        select from messages m
        where m.account_id = p_account and m.message_id = p_message and m.status = 'scheduled'
      )
    returning d.expires_at into v_expires;
  if not found then
    return false;
  end if;
  update messages set expires_at = v_expires
    where account_id = p_account and message_id = p_message and expires_at is not null;
  insert into message_events (account_id, message_id, kind, n, detail)
    select p_account, p_message, 'scheduled', coalesce(max(n) + 1, 0), utc_text(p_ready)
    from message_events
    where account_id = p_account and message_id = p_message and kind = 'scheduled';
  update lanes set wakes = wakes + 1, ready_at = least(ready_at, p_ready)
    where account_id = p_account and token_id = p_token;
  return true;
end
$$;

revoke all on function reschedule_message from public;
grant execute on function reschedule_message to kabari_app;
