-- Counts a batch of message events, of any number of accounts, into their conversations: the newest
-- conversation_seq, the newest message, and what is unread. The events come as parallel arrays, those of a
-- conversation in their order; answers the conversation_seq of each.
-- What belongs together is found by sorting, not by a join: a join of arrays compares each with each.
-- Called by publish_outbox; only the owner may call it. Locks the conversations in account, token and
-- peer order.
create or replace function advance_conversations(
  p_account uuid[], p_kind text[], p_message uuid[], p_token uuid[], p_peer text[], p_name text[]
) returns bigint[]
language plpgsql as $$
declare
  v_seqs bigint[];
begin
  with item as materialized (
    select i.*, row_number() over (partition by i.account, i.token, i.peer order by i.ord) as nth
    from unnest(p_account, p_kind, p_message, p_token, p_peer, p_name) with ordinality
      as i(account, kind, message, token, peer, name, ord)
  ), advanced as (
    insert into conversations as c (
      account_id, token_id, peer, peer_name, seq, last_message_id, last_at, unread, last_in_at
    )
      select t.account, t.token, t.peer, t.name, t.messages, t.newest, uuid_time(t.newest), t.unread,
        uuid_time(t.newest_in)
      from (
        select account, token, peer, max(name) as name, count(*) as messages,
          max(message::text)::uuid as newest,
          count(*) filter (where kind = 'message.received') as unread,
          (max(message::text) filter (where kind = 'message.received'))::uuid as newest_in
        from item group by account, token, peer
      ) t
      order by t.account, t.token, t.peer
      on conflict (account_id, token_id, peer) do update
        set seq = c.seq + excluded.seq,
          peer_name = coalesce(excluded.peer_name, c.peer_name),
          unread = c.unread + excluded.unread,
          last_message_id = greatest(c.last_message_id::text, excluded.last_message_id::text)::uuid,
          last_at = greatest(c.last_at, excluded.last_at),
          last_in_at = greatest(c.last_in_at, excluded.last_in_at)
      returning c.account_id, c.token_id, c.peer, c.seq
  )
  select array_agg(s.seq order by s.ord) filter (where s.ord is not null) into v_seqs
  from (
    select u.ord, max(u.seq) over mine - max(u.nth) over mine + u.nth as seq
    from (
      select account, token, peer, ord, nth, null::bigint as seq from item
      union all select account_id, token_id, peer, null, null, seq from advanced
    ) u
    window mine as (partition by u.account, u.token, u.peer)
  ) s;
  return v_seqs;
end
$$;

revoke all on function advance_conversations from public;

-- The number of a peer whose number was hidden has become known: their conversation, with all that an account stores
-- about them, goes on under the number, in one conversation with what stands there. False when there is none.
-- Called by channels. Locks the account's statuses, then the queue's rows, messages, events that are not published yet,
-- and the conversations in peer order.
create or replace function join_hidden(
  p_account uuid, p_token uuid, p_hidden text, p_peer text
) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform lock_statuses(array[p_account]);
  update dispatch set peer = p_peer
    where account_id = p_account and token_id = p_token and peer = p_hidden;
  update messages set peer = p_peer
    where account_id = p_account and token_id = p_token and peer = p_hidden;
  if not found then
    return false;
  end if;
  perform rename_queued_peer(p_account, p_hidden, p_peer);
  perform 1 from conversations
    where account_id = p_account and token_id = p_token and peer in (p_hidden, p_peer)
    order by peer for no key update;
  insert into conversations as c (
    account_id, token_id, peer, peer_name, seq, last_message_id, last_at, unread, last_in_at
  )
    select account_id, token_id, p_peer, peer_name, seq, last_message_id, last_at, unread, last_in_at
    from conversations
    where account_id = p_account and token_id = p_token and peer = p_hidden
    on conflict (account_id, token_id, peer) do update
      set seq = c.seq + excluded.seq,
        peer_name = coalesce(c.peer_name, excluded.peer_name),
        unread = c.unread + excluded.unread,
        last_message_id = greatest(c.last_message_id::text, excluded.last_message_id::text)::uuid,
        last_at = greatest(c.last_at, excluded.last_at),
        last_in_at = greatest(c.last_in_at, excluded.last_in_at);
  update pinned_conversations p set peer = p_peer
    where account_id = p_account and token_id = p_token and peer = p_hidden and not exists (
      select from pinned_conversations o
      where o.account_id = p_account and o.token_id = p_token and o.peer = p_peer
    );
  delete from conversations
    where account_id = p_account and token_id = p_token and peer = p_hidden;
  update optouts set peer = p_peer
    where account_id = p_account and token_id = p_token and peer = p_hidden and not exists (
      select from optouts o
      where o.account_id = p_account and o.token_id = p_token and o.peer = p_peer
    );
  delete from optouts where account_id = p_account and token_id = p_token and peer = p_hidden;
  update contacts set peer = p_peer
    where account_id = p_account and peer = p_hidden and not exists (
      select from contacts o where o.account_id = p_account and o.peer = p_peer
    );
  delete from contacts where account_id = p_account and peer = p_hidden;
  return true;
end
$$;

revoke all on function join_hidden from public;
grant execute on function join_hidden to kabari_app;
