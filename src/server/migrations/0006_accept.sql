-- The accept path (docs/money.md#accepting): one call places, reserves and queues a batch of
-- requests of one account, or refuses items one by one. One round trip, one commit.
--
-- Requests and items come as parallel arrays. A request owns the items p_from[r] .. p_upto[r], and
-- p_sum[r] is the price of all items up to its last: what the saldo must bear if all are accepted.
--
-- Outcomes per item: accepted · duplicate (o_id is the first message's) · ref_conflict · saldo_short
-- (o_fact: what was available) · limit (o_fact: the token's daily limit) · opted_out · not_linked ·
-- suspended; per request, with o_item 0: replayed (o_ids, o_outcomes, o_saldo as first answered) ·
-- conflict.
create function accept_batch(
  p_account uuid,
  p_key text[], p_key_hash bytea[], p_key_token uuid[], p_from int[], p_upto int[], p_sum bigint[],
  p_id uuid[], p_token uuid[], p_peer text[], p_type text[], p_body jsonb[], p_price bigint[],
  p_ref text[], p_hash bytea[], p_priority smallint[], p_ready timestamptz[], p_expires timestamptz[],
  p_secret text[]
) returns table (
  o_request int, o_item int, o_id uuid, o_outcome text, o_fact bigint, o_saldo bigint,
  o_ids uuid[], o_outcomes jsonb
)
language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off as $$
declare
  w wallets%rowtype;
  v_today date := (clock_timestamp() at time zone 'Asia/Jakarta')::date;
  v_now timestamptz := clock_timestamp();
  -- Rows with this xmin are this call's own: an order sent again has the same message ids.
  v_mine xid := pg_current_xact_id()::xid;
  n int := cardinality(p_id);
  n_keys int;
  n_refs int;
  n_done int;
  v_ok boolean[];
  v_total bigint;
  v_count int;
  v_fast boolean;
  v_avail bigint;
  v_outcome text;
  v_fact bigint;
  v_other uuid;
  v_results jsonb;
  v_taken int;
  v_key request_keys%rowtype;
  v_ref message_refs%rowtype;
  v_tok record;
begin
  select * into strict w from wallets where account_id = p_account for no key update;
  if w.status <> 'active' then
    raise exception 'wallet is %', w.status using errcode = 'WA001';
  end if;
  v_total := p_sum[cardinality(p_sum)];

  -- Common path: every item fits. Nothing is looked up beforehand: the unique keys decide.
  v_fast := v_total <= w.available
    and not exists (
      select 1
      from (select i.token, count(*) as wanted from unnest(p_token) as i(token) group by i.token) c
      left join tokens s on s.account_id = p_account and s.token_id = c.token and s.deleted_at is null
      left join token_days d on d.account_id = p_account and d.token_id = c.token and d.day = v_today
      where s.token_id is null or s.status not in ('linked', 'disconnected')
        or coalesce(d.accepted, 0) + c.wanted > s.daily_limit
    )
    and not exists (
      select 1 from optouts o where o.account_id = p_account and o.peer = any (p_peer)
    );

  if v_fast then
    insert into request_keys (account_id, token_id, key, hash, message_ids, saldo)
      select p_account, r.token, r.key, r.hash, p_id[r.a:r.z], w.available - r.sum
      from unnest(p_key, p_key_hash, p_key_token, p_from, p_upto, p_sum)
        as r(key, hash, token, a, z, sum)
      where r.key is not null
      order by r.token, r.key
      on conflict do nothing;
    get diagnostics n_done = row_count;
    n_keys := cardinality(array_remove(p_key, null));
    v_fast := n_done = n_keys;
    n_refs := cardinality(array_remove(p_ref, null));
    if v_fast and n_refs > 0 then
      insert into message_refs (account_id, ref, message_id, hash)
        select p_account, i.ref, i.id, i.hash from unnest(p_ref, p_id, p_hash) as i(ref, id, hash)
        where i.ref is not null order by i.ref
        on conflict do nothing;
      get diagnostics n_done = row_count;
      v_fast := n_done = n_refs;
      if not v_fast then
        delete from message_refs r using unnest(p_ref, p_id) as i(ref, id)
          where r.account_id = p_account and r.ref = i.ref and r.xmin = v_mine;
      end if;
    end if;
    if not v_fast and n_keys > 0 then
      -- Take back what this call put in (and not what an earlier one did), then go item by item.
      delete from request_keys q using unnest(p_key, p_key_token, p_from) as r(key, token, a)
        where q.account_id = p_account and q.token_id = r.token and q.key = r.key
          and q.xmin = v_mine;
    end if;
  end if;

  if v_fast then
    v_ok := array_fill(true, array[n]);
    v_count := n;
    return query select r.ord::int, g.i, p_id[g.i], 'accepted', null::bigint, w.available - r.sum,
        null::uuid[], null::jsonb
      from unnest(p_from, p_upto, p_sum) with ordinality as r(a, z, sum, ord),
        generate_series(r.a, r.z) as g(i);
  else
    v_ok := array_fill(false, array[n]);
    v_avail := w.available;
    v_total := 0;
    v_count := 0;
    for r in 1..cardinality(p_from) loop
      if p_key[r] is not null then
        select * into v_key from request_keys
          where account_id = p_account and token_id = p_key_token[r] and key = p_key[r];
        if found then
          return query select r, 0, null::uuid,
            case when v_key.hash = p_key_hash[r] then 'replayed' else 'conflict' end,
            null::bigint, v_key.saldo, v_key.message_ids, v_key.outcomes;
          continue;
        end if;
      end if;
      v_taken := 0;
      v_results := '[]';
      for i in p_from[r]..p_upto[r] loop
        v_outcome := 'accepted';
        v_fact := null;
        v_other := p_id[i];
        if p_ref[i] is not null then
          select * into v_ref from message_refs where account_id = p_account and ref = p_ref[i];
          if found then
            v_outcome := case when v_ref.hash = p_hash[i] then 'duplicate' else 'ref_conflict' end;
            v_other := v_ref.message_id;
          end if;
        end if;
        if v_outcome = 'accepted' then
          select k2.status, k2.daily_limit, coalesce(d.accepted, 0) as accepted into v_tok
            from tokens k2
            left join token_days d
              on d.account_id = p_account and d.token_id = k2.token_id and d.day = v_today
            where k2.account_id = p_account and k2.token_id = p_token[i] and k2.deleted_at is null;
          if not found or v_tok.status not in ('linked', 'disconnected') then
            v_outcome := case when v_tok.status = 'suspended' then 'suspended' else 'not_linked' end;
          elsif exists (
            select 1 from optouts o
            where o.account_id = p_account and o.token_id = p_token[i] and o.peer = p_peer[i]
          ) then
            v_outcome := 'opted_out';
          elsif v_tok.accepted + (
            select count(*) from unnest(p_token, v_ok) as x(token, ok)
            where x.ok and x.token = p_token[i]
          ) + 1 > v_tok.daily_limit then
            v_outcome := 'limit';
            v_fact := v_tok.daily_limit;
          elsif p_price[i] > v_avail then
            v_outcome := 'saldo_short';
            v_fact := v_avail;
          end if;
        end if;
        if v_outcome = 'accepted' then
          v_ok[i] := true;
          v_count := v_count + 1;
          v_taken := v_taken + 1;
          v_avail := v_avail - p_price[i];
          v_total := v_total + p_price[i];
          if p_ref[i] is not null then
            insert into message_refs (account_id, ref, message_id, hash)
              values (p_account, p_ref[i], p_id[i], p_hash[i]);
          end if;
        end if;
        v_results := v_results || jsonb_build_array(
          jsonb_build_object('id', v_other, 'outcome', v_outcome, 'fact', v_fact)
        );
        return query select r, i, v_other, v_outcome, v_fact, v_avail, null::uuid[], null::jsonb;
      end loop;
      -- Refusals are not stored: a request of which nothing was accepted may be tried again.
      if p_key[r] is not null and v_taken > 0 then
        insert into request_keys (account_id, token_id, key, hash, message_ids, outcomes, saldo)
          values (p_account, p_key_token[r], p_key[r], p_key_hash[r], p_id[p_from[r]:p_upto[r]],
                  v_results, v_avail);
      end if;
    end loop;
    if v_count = 0 then
      return;
    end if;
  end if;

  insert into messages (
    account_id, message_id, token_id, peer, direction, type, body, status, price, charge_state,
    hold_seq, ref, expires_at, created_at
  )
    select p_account, i.id, i.token, i.peer, 'out', i.type, i.body,
      case when i.ready is null then 'queued' else 'scheduled' end,
      i.price, 'held', case when i.price > 0 then w.seq + 1 end, i.ref, i.expires, uuid_time(i.id)
    from unnest(
      p_id, p_token, p_peer, p_type, p_body, p_price, p_ref, p_ready, p_expires, v_ok
    ) as i(id, token, peer, type, body, price, ref, ready, expires, ok)
    where i.ok;

  insert into dispatch (
    account_id, message_id, token_id, priority, peer, ready_at, expires_at, secret
  )
    select p_account, i.id, i.token, i.priority, i.peer, coalesce(i.ready, v_now), i.expires, i.secret
    from unnest(p_id, p_token, p_priority, p_peer, p_ready, p_expires, p_secret, v_ok)
      as i(id, token, priority, peer, ready, expires, secret, ok)
    where i.ok;

  insert into message_events (account_id, message_id, kind, at, detail)
    select p_account, i.id, 'scheduled', uuid_time(i.id), utc_text(i.ready)
    from unnest(p_id, p_ready, v_ok) as i(id, ready, ok) where i.ok and i.ready is not null;

  if v_total > 0 then
    update wallets set available = available - v_total, held = held + v_total, seq = seq + 1
      where account_id = p_account returning * into w;
    insert into wallet_entries (
      account_id, seq, kind, d_available, d_held, contra, available_after, held_after, n_items,
      ref_type, ref_id, actor
    ) values (
      p_account, w.seq, 'hold', -v_total, v_total, 'none', w.available, w.held,
      (select count(*) from unnest(p_price, v_ok) as i(price, ok) where i.ok and i.price > 0),
      'batch', w.seq::text, 'accept'
    );
  end if;

  insert into token_days as d (account_id, token_id, day, accepted)
    select p_account, i.token, v_today, count(*) from unnest(p_token, v_ok) as i(token, ok)
    where i.ok group by i.token order by i.token
    on conflict (account_id, token_id, day) do update set accepted = d.accepted + excluded.accepted;

  with change as materialized (
    select date_trunc('hour', uuid_time(i.id)) as hour, i.token,
      case when i.ready is null then 'queued' else 'scheduled' end as status, i.type,
      count(*) as messages, sum(i.price) as cost
    from unnest(p_id, p_token, p_type, p_price, p_ready, v_ok)
      as i(id, token, type, price, ready, ok)
    where i.ok group by 1, 2, 3, 4
  ), rolled as (
    insert into rollups as u (account_id, hour, token_id, direction, status, type, messages, cost)
    select p_account, hour, token, 'out', status, type, messages, cost from change
    on conflict (account_id, hour, token_id, direction, status, type) do update
      set messages = u.messages + excluded.messages, cost = u.cost + excluded.cost
  )
  insert into rollup_sums as u (account_id, grain, since, token_id, direction, status, type, messages)
    select p_account, grain, wib_since(grain, hour), token, 'out', status, type, sum(messages)
    from change cross join unnest(array['day', 'month']) as grain group by 2, 3, 4, 6, 7
    on conflict (account_id, grain, since, token_id, direction, status, type) do update
      set messages = u.messages + excluded.messages;

  -- Every wake-up counts, so that a worker closing the lane sees it; in token order.
  insert into lanes as l (account_id, token_id, ready_at, wakes)
    select p_account, i.token, min(coalesce(i.ready, v_now)), 1
    from unnest(p_token, p_ready, v_ok) as i(token, ready, ok)
    where i.ok group by i.token order by i.token
    on conflict (account_id, token_id) do update
      set wakes = l.wakes + 1, ready_at = least(l.ready_at, excluded.ready_at);

  insert into outbox (account_id, outbox_id, kind, message_ids, token_ids, peers, statuses, data)
    select p_account, gen_random_uuid(), 'message.accepted', array_agg(i.id), array_agg(i.token),
      array_agg(i.peer), array_agg(case when i.ready is null then 'queued' else 'scheduled' end),
      jsonb_build_object('available', w.available, 'held', w.held)
    from unnest(p_id, p_token, p_peer, p_ready, v_ok) as i(id, token, peer, ready, ok) where i.ok;
end
$$;

-- The common path over many accounts at once: requests that fit whole are placed, the others are left to
-- accept_batch (they are not answered). One call, a handful of statements and one commit for whatever queued
-- meanwhile: with 100 wallets this is what carries the rate (docs/decisions/010).
--
-- A wallet that someone else holds just now is left out rather than waited for. Wallets are locked in
-- account order, before anything of theirs is written.
create function accept_many(
  p_account uuid[], p_key text[], p_key_hash bytea[], p_key_token uuid[],
  p_from int[], p_upto int[], p_sum bigint[],
  p_request int[], p_id uuid[], p_token uuid[], p_peer text[], p_type text[], p_body jsonb[],
  p_price bigint[], p_ref text[], p_hash bytea[], p_priority smallint[], p_ready timestamptz[],
  p_expires timestamptz[], p_secret text[]
) returns table (o_request int, o_saldo bigint)
language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off as $$
declare
  v_today date := (clock_timestamp() at time zone 'Asia/Jakarta')::date;
  v_now timestamptz := clock_timestamp();
  -- Rows with this xmin are this call's own: an order sent again has the same message ids.
  v_mine xid := pg_current_xact_id()::xid;
  l_account uuid[];
  l_available bigint[];
  l_held bigint[];
  l_seq bigint[];
  v_ok boolean[];
  v_saldo bigint[];
  v_seq bigint[];
  v_keyed int;
  v_refs int;
  v_done int;
begin
  with locked as (
    select account_id, available, held, seq from wallets
    where account_id = any (p_account) and status = 'active'
    order by account_id for no key update skip locked
  )
  select array_agg(account_id), array_agg(available), array_agg(held), array_agg(seq)
    into l_account, l_available, l_held, l_seq from locked;
  if l_account is null then
    return;
  end if;

  -- Which requests fit whole, counting those before them of the same wallet and token.
  select array_agg(coalesce(q.fits, false) order by q.ord),
      array_agg(q.available - q.run order by q.ord), array_agg(q.seq + 1 order by q.ord)
    into v_ok, v_saldo, v_seq
    from (
      select r.ord, w.available, w.seq, sum(r.sum) over mine as run,
        w.account is not null and sum(r.sum) over mine <= w.available
          and t.status in ('linked', 'disconnected')
          and coalesce(d.accepted, 0) + sum(r.upto - r.start + 1) over theirs <= t.daily_limit as fits
      from unnest(p_account, p_key_token, p_from, p_upto, p_sum) with ordinality
        as r(account, token, start, upto, sum, ord)
      left join unnest(l_account, l_available, l_seq) as w(account, available, seq)
        on w.account = r.account
      left join lateral (
        select k.status, k.daily_limit from tokens k
        where k.account_id = r.account and k.token_id = r.token and k.deleted_at is null limit 1
      ) t on true
      left join lateral (
        select x.accepted from token_days x
        where x.account_id = r.account and x.token_id = r.token and x.day = v_today limit 1
      ) d on true
      window mine as (partition by r.account order by r.ord),
        theirs as (partition by r.account, r.token order by r.ord)
    ) q;
  select array_agg(v_ok[r.ord] and not exists (
      select 1 from unnest(p_peer[r.start:r.upto]) as i(peer)
      join optouts o on o.account_id = r.account and o.token_id = r.token and o.peer = i.peer
    ) order by r.ord)
    into v_ok
    from unnest(p_account, p_key_token, p_from, p_upto) with ordinality
      as r(account, token, start, upto, ord);

  insert into request_keys (account_id, token_id, key, hash, message_ids, saldo)
    select r.account, r.token, r.key, r.hash, p_id[r.start:r.upto], v_saldo[r.ord]
    from unnest(p_account, p_key, p_key_hash, p_key_token, p_from, p_upto) with ordinality
      as r(account, key, hash, token, start, upto, ord)
    where r.key is not null and v_ok[r.ord]
    order by r.account, r.token, r.key
    on conflict do nothing;
  get diagnostics v_done = row_count;
  select count(*) into v_keyed from unnest(p_key, v_ok) as r(key, ok) where r.ok and r.key is not null;
  if v_done < v_keyed then
    select array_agg(v_ok[r.ord] and (r.key is null or exists (
        select 1 from request_keys k
        where k.account_id = r.account and k.token_id = r.token and k.key = r.key
          and k.xmin = v_mine
      )) order by r.ord)
      into v_ok
      from unnest(p_account, p_key, p_key_token, p_from) with ordinality
        as r(account, key, token, start, ord);
  end if;

  if cardinality(array_remove(p_ref, null)) > 0 then
    select count(*) into v_refs from unnest(p_ref, p_request) as i(ref, request)
      where i.ref is not null and v_ok[i.request];
    insert into message_refs (account_id, ref, message_id, hash)
      select p_account[i.request], i.ref, i.id, i.hash
      from unnest(p_ref, p_request, p_id, p_hash) as i(ref, request, id, hash)
      where i.ref is not null and v_ok[i.request] order by 1, 2
      on conflict do nothing;
    get diagnostics v_done = row_count;
    if v_done < v_refs then
      -- A request of which one ref was used before, also in this very call, goes the other way, whole.
      select array_agg(v_ok[r.ord] and not exists (
          select 1 from generate_series(r.start, r.upto) as g(i)
          where p_ref[g.i] is not null and not exists (
            select 1 from message_refs f
            where f.account_id = r.account and f.ref = p_ref[g.i] and f.message_id = p_id[g.i]
              and f.xmin = v_mine
          )
        ) order by r.ord)
        into v_ok
        from unnest(p_account, p_from, p_upto) with ordinality as r(account, start, upto, ord);
      delete from message_refs f using unnest(p_ref, p_request, p_id) as i(ref, request, id)
        where f.account_id = p_account[i.request] and f.ref = i.ref and f.message_id = i.id
          and f.xmin = v_mine and not v_ok[i.request];
      delete from request_keys k
        using unnest(p_account, p_key, p_key_token, p_from, v_ok) as r(account, key, token, start, ok)
        where not r.ok and k.account_id = r.account and k.token_id = r.token and k.key = r.key
          and k.xmin = v_mine;
    end if;
  end if;
  if not true = any (v_ok) then
    return;
  end if;

  return query
  with item as materialized (
    select p_account[i.request] as account, v_seq[i.request] as seq, i.*
    from unnest(
      p_request, p_id, p_token, p_peer, p_type, p_body, p_price, p_ref, p_priority, p_ready,
      p_expires, p_secret
    ) as i(
      request, id, token, peer, type, body, price, ref, priority, ready, expires, secret
    )
    where v_ok[i.request]
  ), placed as (
    insert into messages (
      account_id, message_id, token_id, peer, direction, type, body, status, price, charge_state,
      hold_seq, ref, expires_at, created_at
    )
    select account, id, token, peer, 'out', type, body,
      case when ready is null then 'queued' else 'scheduled' end,
      price, 'held', case when price > 0 then seq end, ref, expires, uuid_time(id)
    from item
  ), queued as (
    insert into dispatch (account_id, message_id, token_id, priority, peer, ready_at, expires_at, secret)
    select account, id, token, priority, peer, coalesce(ready, v_now), expires, secret from item
  ), planned as (
    insert into message_events (account_id, message_id, kind, at, detail)
    select account, id, 'scheduled', uuid_time(id), utc_text(ready) from item where ready is not null
  ), spent as (
    select account, sum(price)::bigint as total, (count(*) filter (where price > 0))::int as n
    from item group by account
  ), paid as (
    update wallets w
      set available = w.available - s.total, held = w.held + s.total, seq = w.seq + 1
      from spent s where w.account_id = s.account and s.total > 0
      returning w.account_id, w.seq, w.available, w.held, s.total, s.n
  ), entered as (
    insert into wallet_entries (
      account_id, seq, kind, d_available, d_held, contra, available_after, held_after, n_items,
      ref_type, ref_id, actor
    )
    select account_id, seq, 'hold', -total, total, 'none', available, held, n, 'batch', seq::text,
      'accept'
    from paid
  ), counted as (
    insert into token_days as d (account_id, token_id, day, accepted)
    select account, token, v_today, count(*) from item group by account, token
    on conflict (account_id, token_id, day) do update set accepted = d.accepted + excluded.accepted
  ), change as materialized (
    select account, date_trunc('hour', uuid_time(id)) as hour, token,
      case when ready is null then 'queued' else 'scheduled' end as status, type,
      count(*) as messages, sum(price) as cost
    from item group by 1, 2, 3, 4, 5
  ), rolled as (
    insert into rollups as u (account_id, hour, token_id, direction, status, type, messages, cost)
    select account, hour, token, 'out', status, type, messages, cost from change
    on conflict (account_id, hour, token_id, direction, status, type) do update
      set messages = u.messages + excluded.messages, cost = u.cost + excluded.cost
  ), summed as (
    insert into rollup_sums as u (account_id, grain, since, token_id, direction, status, type, messages)
    select account, grain, wib_since(grain, hour), token, 'out', status, type, sum(messages)
    from change cross join unnest(array['day', 'month']) as grain group by 1, 2, 3, 4, 6, 7
    on conflict (account_id, grain, since, token_id, direction, status, type) do update
      set messages = u.messages + excluded.messages
  ), woken as (
    insert into lanes as l (account_id, token_id, ready_at, wakes)
    select account, token, min(coalesce(ready, v_now)), 1 from item group by account, token
    on conflict (account_id, token_id) do update
      set wakes = l.wakes + 1, ready_at = least(l.ready_at, excluded.ready_at)
  ), told as (
    insert into outbox (account_id, outbox_id, kind, message_ids, token_ids, peers, statuses, data)
    select i.account, gen_random_uuid(), 'message.accepted', array_agg(i.id), array_agg(i.token),
      array_agg(i.peer), array_agg(case when i.ready is null then 'queued' else 'scheduled' end),
      jsonb_build_object(
        'available', min(w.available) - sum(i.price), 'held', min(w.held) + sum(i.price)
      )
    from item i
    join unnest(l_account, l_available, l_held) as w(account, available, held)
      on w.account = i.account
    group by i.account
  )
  select r.ord::int, v_saldo[r.ord] from unnest(v_ok) with ordinality as r(ok, ord) where r.ok;
end
$$;

-- After a lost connection: which of a batch's messages stand. Waits for the wallet's lock, so that a call
-- still running on the lost connection has ended one way or the other.
create function accepted_of(p_account uuid, p_id uuid[]) returns table (o_id uuid, o_available bigint)
language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off as $$
declare
  v_available bigint;
begin
  select available into strict v_available from wallets where account_id = p_account for no key update;
  return query select m.message_id, v_available from messages m
    where m.account_id = p_account and m.message_id = any (p_id);
end
$$;

revoke all on function accept_batch, accept_many, accepted_of from public;
grant execute on function accept_batch, accept_many, accepted_of to kabari_app;
