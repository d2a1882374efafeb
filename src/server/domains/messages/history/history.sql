-- The timeline is append-only, except while an account is erased.
create or replace trigger message_events_append_only before update or delete on message_events
  for each row execute function deny_unless_erasing();

-- Creates the partitions of p_from's month and of the p_months after it; existing ones are unchanged. Called daily by
-- the worker. Serialized by an advisory lock; creating a partition locks messages_default.
create or replace function ensure_message_partitions(p_from timestamptz, p_months int) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  m timestamp := date_trunc('month', p_from at time zone 'UTC');
begin
  perform pg_advisory_xact_lock(hashtext('ensure_message_partitions'));
  for i in 0..p_months loop
    if to_regclass('messages_' || to_char(m, 'YYYYMM')) is null then
      execute format(
        'create table %I partition of messages for values from (%L) to (%L) with (fillfactor = 80)',
        'messages_' || to_char(m, 'YYYYMM'),
        uuid_floor(m at time zone 'UTC'),
        uuid_floor((m + interval '1 month') at time zone 'UTC')
      );
    end if;
    m := m + interval '1 month';
  end loop;
end
$$;

revoke all on function ensure_message_partitions from public;
grant execute on function ensure_message_partitions to kabari_app;

-- The phones of an account whose names begin with p_name, in lower case: names given by the account, and by the peers
-- themselves; at most p_limit of each. Called by the history's search and the list of conversations. Sees what the
-- policies of contacts and conversations let its caller see: it runs as the owner, because conditions on an expression
-- use no index under a policy.
create or replace function search_peers_by_name(p_account uuid, p_name text, p_limit int)
returns setof text
language sql stable security definer set search_path = public, pg_temp as $$
  select peer from (
    select peer from conversations
    where account_id = p_account and (sees_all() or account_id = seen_account())
      and lower(peer_name) ~>=~ p_name and lower(peer_name) ~<~ (p_name || chr(1114111))
    limit p_limit
  ) given
  union
  select peer from (
    select peer from contacts
    where account_id = p_account and (sees_all() or account_id = seen_account())
      and lower(name) ~>=~ p_name and lower(name) ~<~ (p_name || chr(1114111))
    limit p_limit
  ) own
$$;

revoke all on function search_peers_by_name from public;
grant execute on function search_peers_by_name to kabari_app;

-- The ids of p_limit messages after the first p_offset, counted from the newest (from the oldest, unless p_newest), of
-- those from p_from to before p_until with phones that begin with p_digits; in any order. Called by the history's
-- search, for prefixes so common that all their messages are too many to sort. Sees what the policy of messages lets
-- its caller see: it runs as the owner, because conditions on an expression use no index under a policy.
-- Counts messages_by_span: the span at one end of the time first, then twice as many spans each time, until those with
-- the page are known; only they are read and sorted.
create or replace function search_by_phone_prefix(
  p_account uuid, p_digits text, p_from uuid, p_until uuid, p_newest boolean, p_offset int, p_limit int
) returns setof uuid
language plpgsql stable security definer set search_path = public, pg_temp as $$
declare
  c_seconds constant numeric := 4194.304;
  -- The remaining spans, the current ones, and their range of ids.
  v_first int;
  v_last int;
  v_low int;
  v_high int;
  v_from uuid;
  v_until uuid;
  v_width int := 1;
  -- Messages before the current spans; and in them.
  v_before bigint := 0;
  v_messages bigint;
  -- The spans that contain some of the page; messages before them, and in them; the part of each in the page.
  v_spans int[];
  v_skipped bigint;
  v_held bigint;
  v_take bigint;
begin
  if sees_all() is not true and p_account is distinct from seen_account() then
    return;
  end if;
  select ('x' || substr(message_id::text, 1, 8))::bit(26)::int into v_first from messages
    where account_id = p_account and message_id >= p_from and message_id < p_until
    order by message_id limit 1;
  select ('x' || substr(message_id::text, 1, 8))::bit(26)::int into v_last from messages
    where account_id = p_account and message_id >= p_from and message_id < p_until
    order by message_id desc limit 1;
  while v_first <= v_last and v_before < p_offset + p_limit loop
    if p_newest then
      v_high := v_last;
      v_low := greatest(v_first, v_last - v_width + 1);
      v_last := v_low - 1;
    else
      v_low := v_first;
      v_high := least(v_last, v_first + v_width - 1);
      v_first := v_high + 1;
    end if;
    v_width := v_width * 2;
    v_from := greatest(p_from, uuid_floor(to_timestamp(v_low * c_seconds)));
    v_until := least(p_until, uuid_floor(to_timestamp((v_high + 1) * c_seconds)));

    select coalesce(sum(n), 0), array_agg(span) filter (where is_held),
      min(before) filter (where is_held), sum(n) filter (where is_held)
    into v_messages, v_spans, v_skipped, v_held
    from (
      select span, n, before, before + n > p_offset and before < p_offset + p_limit as is_held
      from (
        select s.span, c.n, v_before - c.n
          + sum(c.n) over (order by case when p_newest then -s.span else s.span end) as before
        from generate_series(v_low, v_high) as s(span)
        cross join lateral (
          select count(*) as n from messages x
          where x.account_id = p_account
            and ('x' || substr(x.message_id::text, 1, 8))::bit(26)::int = s.span
            and x.peer collate "C" >= p_digits and x.peer collate "C" < (p_digits || ':')
            and x.message_id >= v_from and x.message_id < v_until
        ) c
      ) placed
    ) counted;
    v_before := v_before + v_messages;

    if v_held > 0 then
      v_take := least(v_skipped + v_held, p_offset + p_limit) - greatest(v_skipped, p_offset);
      return query
        select m.message_id from unnest(v_spans) as s(span)
        cross join lateral (
          select x.message_id from messages x
          where x.account_id = p_account
            and ('x' || substr(x.message_id::text, 1, 8))::bit(26)::int = s.span
            and x.peer collate "C" >= p_digits and x.peer collate "C" < (p_digits || ':')
            and x.message_id >= v_from and x.message_id < v_until
          offset 0
        ) m
        order by m.message_id
        offset case
          when p_newest then v_held - v_take - greatest(0, p_offset - v_skipped)
          else greatest(0, p_offset - v_skipped)
        end
        limit v_take;
    end if;
  end loop;
end
$$;

revoke all on function search_by_phone_prefix from public;
grant execute on function search_by_phone_prefix to kabari_app;

-- Folds the changes of accounts' events into their rollups, up to the newest event, so that the tail that readers add
-- (pending_counts) stays short. Answers the number of folded changes. Called by the folding job, and before counts are
-- taken back. Skips accounts that another call is folding, unless p_waits. Failure reasons are counted as well, in
-- failure_counts, from the timelines of the few failed messages. Locks the accounts' marks, then the rollups.
create or replace function fold_counts(p_account uuid[], p_waits boolean default false) returns bigint
language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off
set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off
set random_page_cost = 0 set cpu_index_tuple_cost = 1 as $$
declare
  v_account uuid[];
  v_from bigint[];
  v_count bigint;
  c_account uuid[];
  c_hour timestamptz[];
  c_token uuid[];
  c_direction text[];
  c_status text[];
  c_type text[];
  c_messages bigint[];
  c_cost bigint[];
begin
  -- Only missing ones: an insert of an existing row would wait for the call that is folding it.
  insert into count_cursors (account_id, position) select i, 0 from unnest(p_account) as i
    where not exists (select from count_cursors m where m.account_id = i)
      and exists (select from message_changes e where e.account_id = i)
    order by i on conflict do nothing;
  if p_waits then
    perform 1 from count_cursors where account_id = any (p_account) order by account_id for update;
  end if;
  with open as (
    select account_id, position from count_cursors where account_id = any (p_account)
    order by account_id for update skip locked
  )
  select array_agg(account_id), array_agg(position) into v_account, v_from from open;

  with event as materialized (
    select e.* from unnest(v_account, v_from) as m(account, position)
    join message_changes e on e.account_id = m.account and e.position > m.position
  ), marked as (
    update count_cursors m set position = e.newest
      from (select account_id, max(position) as newest from event group by account_id) e
      where m.account_id = e.account_id
  ), failed as (
    -- From the timeline: a message that was sent after all no longer has its failure.
    select e.account_id, date_trunc('hour', uuid_time(e.message_id)) as hour, e.token_id,
      coalesce(x.detail, 'rejected') as failure,
      sum(case when e.status = 'failed' then 1 else -1 end) as messages
    from event e left join lateral (
      select detail from message_events s
      where s.account_id = e.account_id and s.message_id = e.message_id and s.kind = 'failed'
      order by s.n desc limit 1
    ) x on true
    where e.type is not null and (e.status = 'failed') <> (coalesce(e.status_before, '') = 'failed')
    group by 1, 2, 3, 4
  ), caused as (
    insert into failure_counts as u (account_id, hour, token_id, failure, messages)
    select account_id, hour, token_id, failure, messages from failed where messages <> 0
    on conflict (account_id, hour, token_id, failure) do update
      set messages = u.messages + excluded.messages
  )
  select count(*), array_agg(e.account_id), array_agg(date_trunc('hour', uuid_time(e.message_id))),
      array_agg(e.token_id),
      array_agg(case when e.kind = 'message.received' then 'in' else 'out' end),
      array_agg(s.status), array_agg(e.type), array_agg(s.messages), array_agg(s.cost)
    into v_count, c_account, c_hour, c_token, c_direction, c_status, c_type, c_messages, c_cost
    from event e cross join lateral (values
      (e.status_before, -1::bigint, -e.cost_before), (e.status, 1::bigint, e.cost)
    ) as s(status, messages, cost)
    where e.type is not null and s.status is not null;
  if v_count > 0 then
    perform add_counts(
      c_account, c_hour, c_token, c_direction, c_status, c_type, c_messages, c_cost
    );
  end if;
  return v_count;
end
$$;

revoke all on function fold_counts from public;
grant execute on function fold_counts to kabari_app;

-- Adds to the counts of messages, per hour in rollups, per day and month in rollup_sums; negative numbers subtract.
-- Parallel arrays: account, time and key of each. Called by fold_counts, count_set_aside and erase_notices; only the
-- owner may call it. Locks the rollups in the order of their keys.
create or replace function add_counts(
  p_account uuid[], p_hour timestamptz[], p_token uuid[], p_direction text[], p_status text[],
  p_type text[], p_messages bigint[], p_cost bigint[]
) returns void
language plpgsql as $$
begin
  with change as materialized (
    select account, hour, token, direction, status, type, sum(messages)::bigint as messages,
      sum(cost)::bigint as cost
    from unnest(p_account, p_hour, p_token, p_direction, p_status, p_type, p_messages, p_cost)
      as i(account, hour, token, direction, status, type, messages, cost)
    group by 1, 2, 3, 4, 5, 6 having sum(messages) <> 0 or sum(cost) <> 0
    order by 1, 2, 3, 4, 5, 6
  ), rolled as (
    insert into rollups as u (account_id, hour, token_id, direction, status, type, messages, cost)
    select account, hour, token, direction, status, type, messages, cost from change
    on conflict (account_id, hour, token_id, direction, status, type) do update
      set messages = u.messages + excluded.messages, cost = u.cost + excluded.cost
  )
  insert into rollup_sums as u (
    account_id, grain, since, token_id, direction, status, type, messages, cost
  )
    select account, grain, wib_since(grain, hour), token, direction, status, type, sum(messages),
      sum(cost)
    from change cross join unnest(array['day', 'month']) as grain group by 1, 2, 3, 4, 5, 6, 7
    having sum(messages) <> 0 or sum(cost) <> 0 order by 1, 2, 3, 4, 5, 6, 7
    on conflict (account_id, grain, since, token_id, direction, status, type) do update
      set messages = u.messages + excluded.messages, cost = u.cost + excluded.cost;
end
$$;

revoke all on function add_counts from public;

-- Erases set-aside (unpublishable) events of some numbers, and counts their changes: otherwise they would be published
-- later, or be missing in the counts. Called while an account is erased. Locks the outbox rows, then the rollups.
create or replace function count_set_aside(p_account uuid, p_peers text[]) returns void
language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off as $$
declare
  c_hour timestamptz[];
  c_token uuid[];
  c_direction text[];
  c_status text[];
  c_type text[];
  c_messages bigint[];
  c_cost bigint[];
begin
  select array_agg(date_trunc('hour', uuid_time(c.message_id))), array_agg(c.token_id),
      array_agg(case when c.kind = 'message.received' then 'in' else 'out' end), array_agg(s.status),
      array_agg(c.type), array_agg(s.messages), array_agg(s.cost)
    into c_hour, c_token, c_direction, c_status, c_type, c_messages, c_cost
    from take_set_aside(p_account, p_peers) c
    cross join lateral (values
      (c.status_before, -1::bigint, -c.cost_before), (c.status, 1::bigint, c.cost)
    ) as s(status, messages, cost)
    where c.type is not null and s.status is not null;
  if c_hour is not null then
    perform add_counts(
      array_fill(p_account, array[cardinality(c_hour)]), c_hour, c_token, c_direction, c_status, c_type,
      c_messages, c_cost
    );
  end if;
end
$$;

revoke all on function count_set_aside from public;
grant execute on function count_set_aside to kabari_app;

-- Erases the counts of a closed account's messages. Called while an account is erased, after its messages. Raises 42501
-- when the account is not closed.
create or replace function erase_counts(p_account uuid) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform begin_erasing(p_account);
  delete from rollups where account_id = p_account;
  delete from failure_counts where account_id = p_account;
  delete from rollup_sums where account_id = p_account;
  delete from count_cursors where account_id = p_account;
  perform set_config('app.erasing', '', true);
end
$$;

revoke all on function erase_counts from public;
grant execute on function erase_counts to kabari_app;

-- Erases up to p_limit messages of a closed account, with their timelines; answers the number. Called while an account
-- is erased. Raises 42501 when the account is not closed, P0001 while messages are in flight.
create or replace function erase_messages(p_account uuid, p_limit int) returns int
language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off as $$
declare
  v_ids uuid[];
begin
  perform begin_erasing(p_account);
  if exists (select from dispatch where account_id = p_account) then
    raise exception 'messages of % are on their way', p_account;
  end if;
  select array_agg(message_id) into v_ids from (
    select message_id from messages where account_id = p_account order by message_id limit p_limit
  ) few;
  delete from message_events where account_id = p_account and message_id = any (v_ids);
  delete from messages where account_id = p_account and message_id = any (v_ids);
  perform set_config('app.erasing', '', true);
  return coalesce(cardinality(v_ids), 0);
end
$$;

revoke all on function erase_messages from public;
grant execute on function erase_messages to kabari_app;

-- Erases up to p_limit messages between the installation and numbers that no account uses any more; answers the number.
-- Their counts are subtracted, so that the installation's own history still adds up. Called while an account is erased.
-- Locks the installation's statuses and wallet, the mark of its words, then the rows. Raises 42501 when a number is in
-- use.
create or replace function erase_notices(p_phones text[], p_limit int) returns int
language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off as $$
declare
  v_system uuid;
  v_ids uuid[];
  c_account uuid[];
  c_hour timestamptz[];
  c_token uuid[];
  c_direction text[];
  c_status text[];
  c_type text[];
  c_messages bigint[];
  c_cost bigint[];
begin
  select account_id into strict v_system from accounts where is_system;
  if exists (
    select from user_phones p join accounts a on a.account_id = p.account_id
    where p.phone = any (p_phones) and a.closed_at is null
  ) then
    raise exception 'a number is in use' using errcode = '42501';
  end if;
  perform lock_statuses(array[v_system]);
  perform 1 from wallets where account_id = v_system for no key update;
  -- Folds first: the counts subtracted below must be in the rollups, not in events about to be erased.
  perform fold_counts(array[v_system], true);
  select array_agg(message_id) into v_ids from (
    select message_id from messages
    where account_id = v_system and peer = any (p_phones) and price = 0 limit p_limit
  ) few;
  perform forget_words(v_system, v_ids);
  perform set_config('app.erasing', v_system::text, true);
  delete from dispatch where account_id = v_system and message_id = any (v_ids);
  delete from message_events where account_id = v_system and message_id = any (v_ids);
  with gone as (
    delete from messages where account_id = v_system and message_id = any (v_ids) returning *
  )
  select array_agg(v_system), array_agg(date_trunc('hour', uuid_time(message_id))),
      array_agg(token_id), array_agg(direction), array_agg(status), array_agg(type),
      array_agg(-1::bigint), array_agg(0::bigint)
    into c_account, c_hour, c_token, c_direction, c_status, c_type, c_messages, c_cost from gone;
  perform add_counts(c_account, c_hour, c_token, c_direction, c_status, c_type, c_messages, c_cost);
  perform set_config('app.erasing', '', true);
  return coalesce(cardinality(v_ids), 0);
end
$$;

revoke all on function erase_notices from public;
grant execute on function erase_notices to kabari_app;
