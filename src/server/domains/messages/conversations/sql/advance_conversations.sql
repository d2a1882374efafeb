-- Counts a batch of message events, of any number of accounts, into their conversations: the newest
-- conversation_seq, the newest message, and what is unread. Answers, for each conversation, the seq
-- before the batch.
-- Called by publish_outbox; only the owner may call it. Locks the conversations in account, token and
-- peer order.
create or replace function advance_conversations(
  p_account uuid[], p_kind text[], p_message uuid[], p_token uuid[], p_peer text[], p_name text[]
) returns table (o_account uuid, o_token uuid, o_peer text, o_before bigint)
language plpgsql as $$
begin
  return query
  with talk as materialized (
    select i.account, i.token, i.peer, max(i.name) as name, count(*) as messages,
      max(i.message::text) as newest,
      count(*) filter (where i.kind = 'message.received') as unread
    from unnest(p_account, p_kind, p_message, p_token, p_peer, p_name)
      as i(account, kind, message, token, peer, name)
    group by i.account, i.token, i.peer
  ), advanced as (
    insert into conversations as c (
      account_id, token_id, peer, peer_name, seq, last_message_id, last_at, unread
    )
      select t.account, t.token, t.peer, t.name, t.messages, t.newest::uuid,
        uuid_time(t.newest::uuid), t.unread
      from talk t order by t.account, t.token, t.peer
      on conflict (account_id, token_id, peer) do update
        set seq = c.seq + excluded.seq,
          peer_name = coalesce(excluded.peer_name, c.peer_name),
          unread = c.unread + excluded.unread,
          last_message_id = greatest(c.last_message_id::text, excluded.last_message_id::text)::uuid,
          last_at = greatest(c.last_at, excluded.last_at)
      returning c.account_id, c.token_id, c.peer, c.seq
  )
  select a.account_id, a.token_id, a.peer, a.seq - t.messages
    from advanced a join talk t on t.account = a.account_id and t.token = a.token_id and t.peer = a.peer;
end
$$;

revoke all on function advance_conversations from public;
