-- Adds an event to the outbox in the transaction that causes it. One row may hold a batch of messages: then the
-- arrays have an entry per message, index by index.
-- Called by functions that change state, with the rights of their caller. Locks nothing.
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

-- Adds the same kind of event for several accounts: one event per index of the arrays, in one statement.
-- Called like enqueue_event, by functions that change many rows at once, with the rights of their caller. Locks
-- nothing.
create or replace function enqueue_events(p_account uuid[], p_kind text, p_data jsonb[])
returns void
language plpgsql as $$
begin
  insert into outbox (account_id, outbox_id, kind, data)
    select e.account, gen_random_uuid(), p_kind, e.data
    from unnest(p_account, p_data) as e(account, data);
end
$$;

revoke all on function enqueue_events from public;
grant execute on function enqueue_events to kabari_app;

-- Publishes the oldest rows of the outbox, of any number of accounts, in one statement: positions without gaps, a
-- conversation_seq for messages, and the conversations' newest state (advance_conversations). The saldo is published
-- once per account, as of its latest entry, and never an older one after a newer. Returns the accounts with their
-- number of rows, whether messages came in, and their positions: after o_from, up to o_from + o_items. Notifies every
-- process at COMMIT.
-- p_account: only the rows of one account; p_row: only one row, also one that was set aside.
-- Called by the relay. Publishes nothing while another relay is publishing. Locks the rows it takes, the
-- conversations in account, token and peer order, the accounts' positions.
create or replace function publish_outbox(
  p_max int, p_account uuid default null, p_row uuid default null
) returns table (o_account uuid, o_rows int, o_received boolean, o_from bigint, o_items int)
language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off
set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off
set random_page_cost = 0 set cpu_index_tuple_cost = 1 as $$
declare
  v_now timestamptz;
  v_names text;
begin
  if not pg_try_advisory_xact_lock(7206217) then
    return;
  end if;
  v_now := clock_timestamp();
  for o_account, o_rows, o_received, o_from, o_items in
  with oldest as materialized (
    select o.account_id, o.outbox_id from outbox o
    where case when p_row is null then o.retry_at is null or o.retry_at <= v_now
        else o.account_id = p_account and o.outbox_id = p_row end
      and (p_account is null or o.account_id = p_account)
    order by o.at limit p_max
  ), taken as (
    delete from outbox o using oldest
      where o.account_id = oldest.account_id and o.outbox_id = oldest.outbox_id
      returning o.*
  ), source as materialized (
    -- Only one relay publishes at a time, so no other transaction writes positions meanwhile.
    select t.*, coalesce(p.last, 0) as last, coalesce(p.saldo_seq, 0) as saldo_seq
    from taken t left join event_positions p on p.account_id = t.account_id
  ), item as materialized (
    select t.account_id as account, t.kind, t.data, t.last, i.*,
      row_number() over (partition by t.account_id order by t.at, t.outbox_id, i.ord) as nth,
      -- The message's index over all accounts.
      count(i.message) over (order by t.account_id, t.at, t.outbox_id, i.ord) as message_nth
    from source t
    left join lateral unnest(
      t.message_ids, t.token_ids, t.peers, t.types, t.statuses, t.statuses_before, t.costs,
      t.costs_before
    ) with ordinality as i(
      message, token, peer, type, status, status_before, cost, cost_before, ord
    ) on true
    where t.kind <> 'saldo.changed'
  ), conversation as materialized (
    select advance_conversations(
      array_agg(account), array_agg(kind), array_agg(message), array_agg(token), array_agg(peer),
      array_agg(data ->> 'peer_name')
    ) as seqs
    from (select * from item where message is not null order by message_nth) i
    having count(*) > 0
  ), account as (
    select account_id as id, last, saldo_seq, count(*)::int as n_rows,
      bool_or(kind = 'message.received') as received,
      coalesce(sum(greatest(1, cardinality(message_ids))) filter (where kind <> 'saldo.changed'), 0)
        as n_items,
      -- Only where the event carries a saldo; other data may have a seq of its own.
      max((data ->> 'seq')::bigint) filter (where data ? 'available') as newest_seq,
      (array_agg(data order by (data ->> 'seq')::bigint desc)
        filter (where data ? 'available'))[1] as newest
    from source group by account_id, last, saldo_seq
  ), positioned as (
    insert into event_positions as e (account_id, last, saldo_seq)
    select a.id, a.last + a.n_items + coalesce(a.newest_seq > a.saldo_seq, false)::int,
      greatest(a.saldo_seq, a.newest_seq)
    from account a order by a.id
    on conflict (account_id) do update set last = excluded.last, saldo_seq = excluded.saldo_seq
  ), published as (
    insert into events (
      account_id, position, kind, message_id, conversation_seq, token_id, peer, type, status,
      status_before, cost, cost_before, data
    )
    select i.account, i.last + i.nth, i.kind, i.message,
      case when i.message is not null then c.seqs[i.message_nth] end, i.token, i.peer, i.type,
      i.status, i.status_before, i.cost, i.cost_before,
      case when i.message is null or i.kind = 'message.received' then i.data end
    from item i left join conversation c on true
    union all
    select a.id, a.last + a.n_items + 1, 'saldo.changed', null, null, null, null, null, null, null,
      null, null, jsonb_build_object('available', a.newest -> 'available', 'held', a.newest -> 'held')
    from account a where a.newest_seq > a.saldo_seq
  )
  select a.id, a.n_rows, a.received, a.last, a.n_items::int from account a
  loop
    v_names := concat_ws(',', v_names, o_account);
    return next;
  end loop;
  if v_names is not null then
    perform pg_notify('kabari_live', v_names);
  end if;
end
$$;

revoke all on function publish_outbox from public;
grant execute on function publish_outbox to kabari_app;

-- Removes an account's outbox rows that were set aside because they cannot be published and that name some numbers;
-- returns the changes, message by message.
-- Called by count_set_aside; only the owner may call it. Locks the rows.
create or replace function take_set_aside(p_account uuid, p_peers text[])
returns table (
  kind text, message_id uuid, token_id uuid, type text, status text, status_before text, cost bigint,
  cost_before bigint
)
language plpgsql as $$
begin
  return query
  with gone as (
    delete from outbox o where o.account_id = p_account and o.tries > 0 and o.peers && p_peers
      returning o.*
  )
  select g.kind, i.*
  from gone g cross join lateral unnest(
    g.message_ids, g.token_ids, g.types, g.statuses, g.statuses_before, g.costs, g.costs_before
  ) as i(message_id, token_id, type, status, status_before, cost, cost_before)
  where g.types is not null;
end
$$;

revoke all on function take_set_aside from public;

-- The events after a position of each account, p_max of each at most, with the account's newest position; a row without
-- o_position when there are none, or more than p_behind. Called for open tabs, with the rights of its caller. A function
-- so that it is planned once: planning took five times as long as reading. Locks nothing.
create or replace function read_events(p_account uuid[], p_since bigint[], p_behind int, p_max int)
returns table (
  o_account uuid, o_last bigint, o_position bigint, o_kind text, o_message uuid, o_token uuid, o_peer text,
  o_status text, o_data jsonb
)
language plpgsql stable set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
begin
  return query
  select f.account, f.last, e.position, e.kind, e.message_id, e.token_id, e.peer, e.status, e.data
  from (
    select u.account, u.since, coalesce(p.last, 0) as last
    from unnest(p_account, p_since) as u(account, since)
    left join event_positions p on p.account_id = u.account
  ) f
  left join lateral (
    select v.position, v.kind, v.message_id, v.token_id, v.peer, v.status, v.data from events v
    where v.account_id = f.account and v.position > f.since and f.last - f.since <= p_behind
    order by v.position limit p_max
  ) e on true
  order by f.account, e.position;
end
$$;

revoke all on function read_events from public;
grant execute on function read_events to kabari_app;
