-- Deletes push subscriptions when the session of their owner ends, and when another person signs in in that browser,
-- signed out before or not. Called by triggers of sessions. Locks the subscriptions it deletes.
create or replace function end_push_of_session() returns trigger language plpgsql as $$
begin
  -- Each node has a copy of the row; only the node that received the statement acts.
  if starts_with(current_setting('application_name'), 'citus_internal') then
    return null;
  end if;
  if tg_op = 'UPDATE' then
    delete from push_subscriptions where session_id = new.session_id;
  else
    delete from push_subscriptions p using sessions s
      where s.device_hash = new.device_hash and p.session_id = s.session_id
        and (p.account_id, p.user_id) <> (new.account_id, new.user_id);
  end if;
  return null;
end
$$;

create or replace trigger push_ends_with_session after update of revoked_at on sessions
  for each row when (old.revoked_at is null and new.revoked_at is not null)
  execute function end_push_of_session();
create or replace trigger push_ends_with_newcomer after insert on sessions
  for each row when (new.device_hash is not null)
  execute function end_push_of_session();
