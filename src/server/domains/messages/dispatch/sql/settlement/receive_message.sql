-- An inbound message, with its event; the same provider id twice is one message. False when it was
-- known, or the account is closed: for that one nothing comes in any more. p_preview is what notices
-- and lists show of it; p_contact what the account calls the sender.
-- Called by channels for what arrives. Locks the wallet.
create or replace function receive_message(
  p_account uuid, p_token uuid, p_id uuid, p_peer text, p_name text, p_type text, p_body jsonb,
  p_provider text, p_preview text, p_contact text
) returns boolean
language plpgsql security definer set search_path = public, pg_temp
set plan_cache_mode = force_generic_plan as $$
declare
  v_status text;
begin
  select status into v_status from wallets where account_id = p_account for no key update;
  if v_status = 'closed' then
    return false;
  end if;
  insert into message_refs (account_id, ref, message_id, hash)
    values (p_account, chr(1) || 'in:' || p_provider, p_id, '') on conflict do nothing;
  if not found then
    return false;
  end if;
  insert into messages (
    account_id, message_id, token_id, peer, direction, type, body, status, price, created_at
  ) values (p_account, p_id, p_token, p_peer, 'in', p_type, p_body, 'received', 0, uuid_time(p_id));
  insert into outbox (
    account_id, outbox_id, kind, message_ids, token_ids, peers, types, statuses, statuses_before,
    costs, costs_before, data
  ) values (
    p_account, gen_random_uuid(), 'message.received', array[p_id], array[p_token], array[p_peer],
    array[p_type], array['received'], array[null::text], array[0::bigint], array[0::bigint],
    jsonb_build_object('peer_name', p_name, 'preview', p_preview)
      || case when p_contact is null then '{}' else jsonb_build_object('contact_name', p_contact) end
  );
  return true;
end
$$;

revoke all on function receive_message(
  uuid, uuid, uuid, text, text, text, jsonb, text, text, text
) from public;
grant execute on function receive_message(
  uuid, uuid, uuid, text, text, text, jsonb, text, text, text
) to kabari_app;
