-- Publishes the oldest rows of the outbox, of any number of accounts, in one statement: positions in a
-- row without gaps, a conversation_seq for messages, and the conversations' newest state
-- (advance_conversations). The saldo is published once for an account, as its latest entry left it, and
-- never an older one after a newer. Answers the accounts with how many rows they had, whether
-- messages came in, and which positions they got: after o_from, up to o_from + o_items. Every process is
-- notified of them at COMMIT.
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
    -- Nobody else writes positions meanwhile: one relay publishes at a time.
    select t.*, coalesce(p.last, 0) as last, coalesce(p.saldo_seq, 0) as saldo_seq
    from taken t left join event_positions p on p.account_id = t.account_id
  ), item as materialized (
    select t.account_id as account, t.kind, t.data, t.last, i.*,
      row_number() over (partition by t.account_id order by t.at, t.outbox_id, i.ord) as nth,
      -- Which of the messages it is, over all accounts.
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
      -- Where a saldo comes with it; other data may have a seq of its own.
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
