-- An inbound message, with its event; the same provider id twice is one message. False when it was
-- known, or the account is closed: for that one nothing comes in any more.
-- Called by channels for what arrives. Locks the wallet.
create or replace function receive_message(
  p_account uuid, p_token uuid, p_id uuid, p_peer text, p_name text, p_type text, p_body jsonb,
  p_provider text
) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
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
  insert into rollups as u (account_id, hour, token_id, direction, status, type, messages, cost)
    values (p_account, date_trunc('hour', uuid_time(p_id)), p_token, 'in', 'received', p_type, 1, 0)
    on conflict (account_id, hour, token_id, direction, status, type) do update
      set messages = u.messages + 1;
  insert into rollup_sums as u (account_id, grain, since, token_id, direction, status, type, messages)
    select p_account, grain, wib_since(grain, uuid_time(p_id)), p_token, 'in', 'received', p_type, 1
    from unnest(array['day', 'month']) as grain
    on conflict (account_id, grain, since, token_id, direction, status, type) do update
      set messages = u.messages + 1;
  perform enqueue_event(
    p_account, 'message.received', jsonb_build_object('peer_name', p_name),
    array[p_id], array[p_token], array[p_peer], array['received']
  );
  return true;
end
$$;

revoke all on function receive_message from public;
grant execute on function receive_message to kabari_app;
