-- Gives an inbound message its file, which could not be had when it came; or says why there will be none. False when
-- there is no such message, when it does not wait for a file, or when its sender has deleted it.
-- Called by channels once the file is fetched. Locks the account's statuses, for a receipt that had to wait for the
-- message's row would lose it, then that row.
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
  -- Without a type, counts pass over it: no message was added.
  perform enqueue_event(
    p_account, 'message.edited', null, array[v_id], array[p_token], array[v_peer], array['received']
  );
  return true;
end
$$;

revoke all on function complete_inbound from public;
grant execute on function complete_inbound to kabari_app;
