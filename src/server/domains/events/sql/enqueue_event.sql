-- Writes what others must be notified of, in the transaction that made it true. One row may stand for a
-- batch of messages: then the arrays have an entry per message, index by index.
-- Called by whatever makes something true, with the rights of its caller. Locks nothing.
create or replace function enqueue_event(
  p_account uuid, p_kind text, p_data jsonb, p_messages uuid[] default null,
  p_tokens uuid[] default null, p_peers text[] default null, p_statuses text[] default null
) returns void
language plpgsql as $$
begin
  insert into outbox (account_id, outbox_id, kind, message_ids, token_ids, peers, statuses, data)
    values (p_account, gen_random_uuid(), p_kind, p_messages, p_tokens, p_peers, p_statuses, p_data);
end
$$;

revoke all on function enqueue_event from public;
grant execute on function enqueue_event to kabari_app;
