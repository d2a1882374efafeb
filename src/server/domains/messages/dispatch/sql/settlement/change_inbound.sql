-- Changes an inbound message as its sender asks: p_text is its new text or caption, null where it is deleted. The
-- former text joins its timeline, of the first fifty edits. False when this sender has no such message; a change that was made before, and one
-- of a message that is deleted, change nothing.
-- Called by channels for what arrives. Locks the account's statuses, for a receipt that had to wait for the message's
-- row would lose it, then that row.
create or replace function change_inbound(
  p_account uuid, p_token uuid, p_peer text, p_provider text, p_change text, p_text text, p_at timestamptz
) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_message messages%rowtype;
  v_kind text := case when p_text is null then 'revoked' else 'edited' end;
begin
  perform lock_statuses(array[p_account]);
  select m.* into v_message from messages m
    where m.account_id = p_account and m.token_id = p_token and m.peer = p_peer and m.direction = 'in'
      and m.message_id = (
        select r.message_id from message_refs r
        where r.account_id = p_account and r.ref = chr(1) || 'in:' || p_provider
      )
    for no key update;
  if not found then
    return false;
  end if;
  insert into message_refs (account_id, ref, message_id, hash)
    values (p_account, chr(1) || 'in:' || p_change, v_message.message_id, '') on conflict do nothing;
  if not found or v_message.body ? 'revoked_at' then
    return true;
  end if;
  insert into message_events (account_id, message_id, kind, n, at, detail)
    select p_account, v_message.message_id, v_kind, coalesce(max(n) + 1, 0), p_at,
      coalesce(v_message.body ->> 'text', v_message.body ->> 'caption', v_message.body ->> 'name')
    from message_events
    where account_id = p_account and message_id = v_message.message_id and kind = v_kind
    having coalesce(max(n) + 1, 0) < 50;
  -- A deleted message keeps its file, so that it is erased with it.
  update messages set body = case v_kind
    when 'edited' then body - 'choice' || jsonb_build_object(
      case when type in ('text', 'other') then 'text' else 'caption' end, p_text,
      'edited_at', utc_text(p_at)
    )
    else jsonb_build_object('revoked_at', utc_text(p_at)) || (
      select coalesce(jsonb_object_agg(b.key, b.value), '{}') from jsonb_each(body) b
      where b.key in ('provider_id', 'quoted', 'reply_to', 'file', 'mime', 'bytes', 'sha256', 'preview')
    )
  end
  where account_id = p_account and message_id = v_message.message_id;
  -- Without a type, counts pass over it: no message was added.
  perform enqueue_event(
    p_account, 'message.' || v_kind, null, array[v_message.message_id], array[p_token], array[p_peer],
    array['received']
  );
  return true;
end
$$;

revoke all on function change_inbound from public;
grant execute on function change_inbound to kabari_app;
