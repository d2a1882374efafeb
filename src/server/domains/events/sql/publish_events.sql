-- Publishes one account's events: positions in a row without gaps, a conversation_seq for messages,
-- and the conversation's newest state (advance_conversations). Answers the newest position.
-- Called by the one relay, in the transaction that empties the outbox. Locks the account's
-- position, then the conversations in token and peer order.
create or replace function publish_events(
  p_account uuid, p_kind text[], p_message uuid[], p_token uuid[], p_peer text[], p_name text[],
  p_data jsonb[]
) returns bigint
language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off as $$
declare
  v_last bigint;
  v_n int := cardinality(p_kind);
  c_token uuid[];
  c_peer text[];
  c_before bigint[];
begin
  insert into event_positions as e (account_id, last) values (p_account, v_n)
    on conflict (account_id) do update set last = e.last + v_n returning last into v_last;
  select array_agg(c.o_token), array_agg(c.o_peer), array_agg(c.o_before)
    into c_token, c_peer, c_before
    from advance_conversations(p_account, p_kind, p_message, p_token, p_peer, p_name) c;
  insert into events (account_id, position, kind, message_id, conversation_seq, data)
    select p_account, v_last - v_n + i.ord, i.kind, i.message, c.before + i.nth, i.data
    from (
      select u.*, row_number() over (partition by u.token, u.peer, u.message is null order by u.ord)
        as nth
      from unnest(p_kind, p_message, p_token, p_peer, p_data) with ordinality
        as u(kind, message, token, peer, data, ord)
    ) i
    left join unnest(c_token, c_peer, c_before) as c(token, peer, before)
      on i.message is not null and c.token = i.token and c.peer = i.peer;
  return v_last;
end
$$;

revoke all on function publish_events from public;
grant execute on function publish_events to kabari_app;
