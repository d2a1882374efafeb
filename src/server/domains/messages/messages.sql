-- Counts a batch of message events, of any number of accounts, into their conversations: the newest conversation_seq,
-- the newest message, and the unread count. The events come as parallel arrays, those of a conversation in their order;
-- answers the conversation_seq of each. Events are grouped by sorting, not by a join: a join of arrays compares each
-- with each. Called by publish_outbox; only the owner may call it. Locks the conversations in account, token and peer
-- order.
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

-- Moves messages with a peer whose number was hidden to the number, including queued ones. False when there are none.
-- Called by joinHidden, which continues with events and conversations. Locks the account's statuses, then the queue's
-- rows and messages.
create or replace function rename_peer(
  p_account uuid, p_token uuid, p_hidden text, p_peer text
) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform lock_statuses(array[p_account]);
  update dispatch set peer = p_peer
    where account_id = p_account and token_id = p_token and peer = p_hidden;
  update messages set peer = p_peer
    where account_id = p_account and token_id = p_token and peer = p_hidden;
  return found;
end
$$;

revoke all on function rename_peer from public;
grant execute on function rename_peer to kabari_app;

-- Locks an account for storing an opt-out, until COMMIT: a message accepted at the same moment is either committed
-- before, and withdrawn with the waiting ones, or checked after, and sees the opt-out. Called first in a transaction
-- that may store one. Locks the account's statuses, then its wallet, as settling does.
create or replace function lock_optouts(p_account uuid) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform lock_statuses(array[p_account]);
  perform from wallets where account_id = p_account for no key update;
end
$$;

revoke all on function lock_optouts from public;
grant execute on function lock_optouts to kabari_app;

-- Reschedules a message to p_ready, and moves its end (ttl) along. False when it is no longer scheduled: it was handed
-- to a lane, may have left, was withdrawn, or was never scheduled. A lane that takes it at the same moment wins: its
-- row is locked, and checked again once it is free. Called by the API of messages. Locks the account's statuses (a
-- receipt that had to wait for the message's row would lose it), the queue's row, the message's, then the lane.
create or replace function reschedule_message(
  p_account uuid, p_token uuid, p_message uuid, p_ready timestamptz
) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_expires timestamptz;
begin
  perform lock_statuses(array[p_account]);
  update dispatch d
    set ready_at = p_ready, expires_at = d.expires_at + (p_ready - d.ready_at)
    where d.account_id = p_account and d.message_id = p_message and d.token_id = p_token
      and d.state = 'ready' and d.attempt = 0 and d.unsure_until is null and d.awaits is null
      and exists (
        select from messages m
        where m.account_id = p_account and m.message_id = p_message and m.status = 'scheduled'
      )
    returning d.expires_at into v_expires;
  if not found then
    return false;
  end if;
  update messages set expires_at = v_expires
    where account_id = p_account and message_id = p_message and expires_at is not null;
  insert into message_events (account_id, message_id, kind, n, detail)
    select p_account, p_message, 'scheduled', coalesce(max(n) + 1, 0), utc_text(p_ready)
    from message_events
    where account_id = p_account and message_id = p_message and kind = 'scheduled';
  update lanes set wakes = wakes + 1, ready_at = least(ready_at, p_ready)
    where account_id = p_account and token_id = p_token;
  return true;
end
$$;

revoke all on function reschedule_message from public;
grant execute on function reschedule_message to kabari_app;

-- The newest message of a conversation that has left, or may have, if it offers its receiver choices: `{ id, type,
-- choices, buttons }`, the last two as in its body. Null when that one offers none, or none left within 24 hours;
-- reactions are skipped. Reads at most a hundred messages. Called for inbound texts that may be an answer. Locks
-- nothing. Its order is that of messages_by_peer alone: a plan made while tables are empty must not scan all messages
-- of the account.
create or replace function find_open_question(p_account uuid, p_token uuid, p_peer text) returns jsonb
language plpgsql stable security definer set search_path = public, pg_temp set enable_seqscan = off
set plan_cache_mode = force_generic_plan set enable_sort = off as $$
declare
  v_from uuid := uuid_floor(clock_timestamp() - interval '24 hours');
  v_newest record;
begin
  if sees_all() is not true and p_account is distinct from seen_account() then
    return null;
  end if;
  select m.message_id, m.type, m.body into v_newest
    from (
      select message_id, token_id, direction, type, status, body from messages
      where account_id = p_account and peer ~>=~ p_peer and peer ~<=~ p_peer and message_id >= v_from
      order by peer using ~>~, message_id desc limit 100
    ) m
    where m.token_id = p_token and m.direction = 'out' and m.type <> 'reaction'
      and m.status not in ('failed', 'cancelled', 'expired')
      and not exists (
        select from dispatch d
        where d.account_id = p_account and d.message_id = m.message_id
          and (d.attempt = 0 or d.awaits is not null)
      )
    limit 1;
  if (v_newest.body ?| array['choices', 'buttons']) is not true then
    return null;
  end if;
  return jsonb_build_object(
    'id', v_newest.message_id, 'type', v_newest.type, 'choices', v_newest.body -> 'choices',
    'buttons', v_newest.body -> 'buttons'
  );
end
$$;

revoke all on function find_open_question from public;
grant execute on function find_open_question to kabari_app;

-- Adds the choice of an inbound message to its body. Called in the transaction that stores the message. Locks its row.
create or replace function attach_choice(p_account uuid, p_message uuid, p_choice jsonb) returns void
language sql security definer set search_path = public, pg_temp as $$
  update messages set body = body || jsonb_build_object('choice', p_choice)
  where account_id = p_account and message_id = p_message and direction = 'in'
$$;

revoke all on function attach_choice from public;
grant execute on function attach_choice to kabari_app;
