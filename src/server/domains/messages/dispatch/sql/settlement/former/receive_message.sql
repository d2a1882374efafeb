-- The former signature, which nodes of the release before still call: looks up what the account calls the sender.
create or replace function receive_message(
  p_account uuid, p_token uuid, p_id uuid, p_peer text, p_name text, p_type text, p_body jsonb,
  p_provider text, p_preview text
) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  return receive_message(
    p_account, p_token, p_id, p_peer, p_name, p_type, p_body, p_provider, p_preview,
    (select k.name from contacts k where k.account_id = p_account and k.peer = p_peer)
  );
end
$$;

revoke all on function receive_message(
  uuid, uuid, uuid, text, text, text, jsonb, text, text
) from public;
grant execute on function receive_message(
  uuid, uuid, uuid, text, text, text, jsonb, text, text
) to kabari_app;
