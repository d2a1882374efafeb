-- Publishes the oldest rows of the outbox, of any number of accounts, in one statement: positions in a
-- row without gaps, a conversation_seq for messages, and the conversations' newest state
-- (advance_conversations). The saldo is published once for an account, as its latest entry left it, and
-- never an older one after a newer. Answers the accounts with how many rows they had, and whether
-- messages came in; every process is notified of them at COMMIT.
-- p_account: only the rows of one account; p_row: only one row, also one that was set aside.
-- Called by the relay. Publishes nothing while another relay is publishing. Locks the rows it takes, the
-- conversations in token and peer order, the accounts' positions.
create or replace function publish_outbox(
  p_max int, p_account uuid default null, p_row uuid default null
) returns table (o_account uuid, o_rows int, o_received boolean)
language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off
set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_now timestamptz;
  v_names text;
begin
  if not pg_try_advisory_xact_lock(7206217) then
    return;
  end if;
  v_now := clock_timestamp();
  for o_account, o_rows, o_received in
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
  ), item as materialized (
    select t.account_id as account, t.kind, t.data, i.*,
      row_number() over (partition by t.account_id order by t.at, t.outbox_id, i.ord) as nth,
      row_number() over (
        partition by t.account_id, i.token, i.peer order by t.at, t.outbox_id, i.ord
      ) as conversation_nth
    from taken t
    left join lateral unnest(
      t.message_ids, t.token_ids, t.peers, t.types, t.statuses, t.statuses_before, t.costs,
      t.costs_before
    ) with ordinality as i(
      message, token, peer, type, status, status_before, cost, cost_before, ord
    ) on true
    where t.kind <> 'saldo.changed'
  ), conversation as materialized (
    select c.*
    from (
      select array_agg(account) as accounts, array_agg(kind) as kinds, array_agg(message) as messages,
        array_agg(token) as tokens, array_agg(peer) as peers,
        array_agg(data ->> 'peer_name') as names
      from item where message is not null
    ) i
    cross join lateral advance_conversations(
      i.accounts, i.kinds, i.messages, i.tokens, i.peers, i.names
    ) c
  ), account as (
    -- Nobody else writes positions meanwhile: one relay publishes at a time.
    select t.account_id as id, count(*)::int as n_rows, coalesce(p.last, 0) as last,
      coalesce(p.saldo_seq, 0) as saldo_seq, bool_or(t.kind = 'message.received') as received,
      max((t.data ->> 'seq')::bigint) as newest_seq,
      (select count(*) from item i where i.account = t.account_id) as n_items
    from taken t left join event_positions p on p.account_id = t.account_id
    group by t.account_id, p.last, p.saldo_seq
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
    select i.account, a.last + i.nth, i.kind, i.message, c.o_before + i.conversation_nth, i.token,
      i.peer, i.type, i.status, i.status_before, i.cost, i.cost_before,
      case when i.message is null or i.kind = 'message.received' then i.data end
    from item i
    join account a on a.id = i.account
    left join conversation c
      on c.o_account = i.account and c.o_token = i.token and c.o_peer = i.peer
    union all
    select a.id, a.last + a.n_items + 1, 'saldo.changed', null, null, null, null, null, null, null,
      null, null, (
        select jsonb_build_object('available', t.data -> 'available', 'held', t.data -> 'held')
        from taken t where t.account_id = a.id and (t.data ->> 'seq')::bigint = a.newest_seq limit 1
      )
    from account a where a.newest_seq > a.saldo_seq
  )
  select a.id, a.n_rows, a.received from account a
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
