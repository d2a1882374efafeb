-- The accept path: one call accepts, holds and queues all waiting requests, of any number of wallets, with a handful of
-- statements and one commit. Requests that fit whole are accepted and answered; the others are left to accept_batch.
-- Requests and items come as parallel arrays. A request owns the items p_from[r] .. p_upto[r], p_request names an
-- item's request, and p_sum[r] is the request's own price. Answers the accepted requests: the saldo after each, and, if
-- one of the wallets has a plan, the cost of their items by it. Called by submit. Locks the wallets in account order,
-- before any write of theirs, with a time-out of 100 ms each (55P03 after that: the caller then goes wallet by wallet),
-- so that one wallet that is locked for long does not delay the others for longer.
create or replace function accept_many(
  p_account uuid[], p_key text[], p_key_hash bytea[], p_key_token uuid[],
  p_from int[], p_upto int[], p_sum bigint[],
  p_request int[], p_id uuid[], p_token uuid[], p_peer text[], p_type text[], p_body jsonb[],
  p_price bigint[], p_ref text[], p_hash bytea[], p_priority smallint[], p_ready timestamptz[],
  p_expires timestamptz[], p_secret text[], p_context jsonb[]
) returns table (o_request int, o_saldo bigint, o_prices bigint[])
language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off
set plan_cache_mode = force_generic_plan set lock_timeout = '100ms' as $$
declare
  v_now timestamptz;
  v_today date;
  w_account uuid[];
  w_available bigint[];
  w_seq bigint[];
  w_left int[];
  w_price bigint[];
  w_round int[];
  w_bonus_only boolean[];
  v_ok boolean[];
  v_saldo bigint[];
  v_hold_seq bigint[];
  v_round int[];
begin
  with locked as (
    select account_id, available, seq, plan_price, plan_round, bonus_only,
      greatest(0, plan_quota - plan_used) as plan_left
    from wallets
    where account_id = any (p_account) and status = 'active'
    order by account_id for no key update
  )
  select array_agg(account_id), array_agg(available), array_agg(seq), array_agg(plan_left),
      array_agg(plan_price), array_agg(plan_round), array_agg(bonus_only)
    into w_account, w_available, w_seq, w_left, w_price, w_round, w_bonus_only from locked;
  if w_account is null then
    return;
  end if;
  v_now := clock_timestamp();
  v_today := (v_now at time zone 'Asia/Jakarta')::date;

  select array_agg(q.fits order by q.ord), array_agg(q.saldo order by q.ord),
      array_agg(q.hold_seq order by q.ord)
    into v_ok, v_saldo, v_hold_seq
    from fitting_requests(
      p_account, p_key_token, p_from, p_upto, p_sum, p_peer, v_today, w_account, w_available, w_seq,
      w_left, w_price, w_bonus_only
    ) q;
  v_ok := claim_idempotency_keys(
    p_account, p_key, p_key_hash, p_key_token, p_from, p_upto, p_request, p_id, p_ref, p_hash,
    p_context, v_saldo, v_ok
  );
  if not true = any (v_ok) then
    return;
  end if;

  if array_remove(w_price, null) <> '{}' then
    select q.p_price, q.p_round into p_price, v_round
      from plan_prices(p_account, p_key_token, v_ok, p_request, p_price, w_account, w_left, w_price, w_round) q;
  end if;
  perform insert_messages(
    p_account, v_hold_seq, v_ok, p_request, p_id, p_token, p_peer, p_type, p_body, p_price, v_round,
    p_ref, p_priority, p_ready, p_expires, p_secret, v_today, v_now
  );
  return query select r.ord::int, v_saldo[r.ord],
      case when v_round is not null then p_price[p_from[r.ord]:p_upto[r.ord]] end
    from unnest(v_ok) with ordinality as r(ok, ord) where r.ok;
end
$$;

revoke all on function accept_many from public;
grant execute on function accept_many to kabari_app;

-- Processes the requests that accept_many left: checks a wallet's requests item by item, accepts the possible ones, and
-- answers reasons for the rest. One round trip, one commit. Requests and items come as parallel arrays. A request owns
-- the items p_from[r] .. p_upto[r], and p_sum[r] is the price of all items up to its last. Outcomes per item: accepted,
-- duplicate (o_id is the first message's), ref_conflict, saldo_short (o_fact: the available saldo), limit (o_fact: the
-- token's daily limit), opted_out, not_linked, suspended, bonus_only; o_price is its cost, charged or not. Per request,
-- with o_item 0: replayed (o_ids, o_outcomes, o_saldo, o_context as first answered), conflict. Called by submit. Locks
-- the wallet, then the keys and the lanes in token order. Raises WA001 when the wallet is not active.
create or replace function accept_batch(
  p_account uuid,
  p_key text[], p_key_hash bytea[], p_key_token uuid[], p_from int[], p_upto int[], p_sum bigint[],
  p_id uuid[], p_token uuid[], p_peer text[], p_type text[], p_body jsonb[], p_price bigint[],
  p_ref text[], p_hash bytea[], p_priority smallint[], p_ready timestamptz[], p_expires timestamptz[],
  p_secret text[], p_context jsonb[]
) returns table (
  o_request int, o_item int, o_id uuid, o_outcome text, o_fact bigint, o_saldo bigint,
  o_ids uuid[], o_outcomes jsonb, o_context jsonb, o_price bigint
)
language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off
set plan_cache_mode = force_generic_plan as $$
declare
  w wallets%rowtype;
  v_now timestamptz;
  v_today date;
  v_items int[];
  v_left int;
  v_round int[] := array_fill(null::int, array[cardinality(p_id)]);
  v_ok boolean[] := array_fill(false, array[cardinality(p_id)]);
begin
  select * into strict w from wallets where account_id = p_account for no key update;
  if w.status <> 'active' then
    raise exception 'wallet is %', w.status using errcode = 'WA001';
  end if;
  v_now := clock_timestamp();
  v_today := (v_now at time zone 'Asia/Jakarta')::date;
  v_left := case when w.plan_price is null then 0 else greatest(0, w.plan_quota - w.plan_used) end;
  for o_request, o_item, o_id, o_outcome, o_fact, o_saldo, o_ids, o_outcomes, o_context, o_price in
    select * from accept_each(
      p_account, w.available, v_left, w.plan_price, w.bonus_only, v_today, p_key, p_key_hash, p_key_token, p_from, p_upto,
      p_id, p_token, p_peer, p_price, p_ref, p_hash, p_context
    )
  loop
    return next;
    if o_outcome = 'accepted' then
      v_ok[o_item] := true;
      if p_price[o_item] > 0 and o_price = 0 and v_left > 0 then
        v_left := v_left - 1;
        v_round[o_item] := w.plan_round;
      end if;
      p_price[o_item] := o_price;
    end if;
  end loop;
  if not true = any (v_ok) then
    return;
  end if;
  -- Accepted as requests of one item each.
  select array_agg(i) into v_items from generate_series(1, cardinality(p_id)) as i;
  perform insert_messages(
    array_fill(p_account, array[cardinality(p_id)]), array_fill(w.seq + 1, array[cardinality(p_id)]),
    v_ok, v_items, p_id, p_token, p_peer, p_type, p_body, p_price, v_round, p_ref,
    p_priority, p_ready, p_expires, p_secret, v_today, v_now
  );
end
$$;

revoke all on function accept_batch from public;
grant execute on function accept_batch to kabari_app;

-- Checks a wallet's requests one by one, and their items one by one: each is accepted when the remaining saldo, the
-- token's daily limit and its own checks allow it. By a plan (p_plan_price) the first p_left cost nothing, the others
-- its price; but messages of the Cloud API have the price of their category. Outcomes and columns as accept_batch
-- answers them. Takes the keys and references of accepted items; the caller inserts them. Called by accept_batch when
-- not everything fits, under the wallet's lock; only the owner may call it. STOP to the installation's own token ends
-- notices, which check it themselves, but not codes.
create or replace function accept_each(
  p_account uuid, p_available bigint, p_left int, p_plan_price bigint, p_bonus_only boolean,
  p_today date,
  p_key text[], p_key_hash bytea[], p_key_token uuid[], p_from int[], p_upto int[],
  p_id uuid[], p_token uuid[], p_peer text[], p_price bigint[], p_ref text[], p_hash bytea[],
  p_context jsonb[]
) returns table (
  o_request int, o_item int, o_id uuid, o_outcome text, o_fact bigint, o_saldo bigint,
  o_ids uuid[], o_outcomes jsonb, o_context jsonb, o_price bigint
)
language plpgsql as $$
declare
  v_ok boolean[] := array_fill(false, array[cardinality(p_id)]);
  v_avail bigint := p_available;
  v_price bigint;
  v_outcome text;
  v_fact bigint;
  v_other uuid;
  v_results jsonb[];
  v_taken int;
  v_accepted bigint;
  v_key idempotency_keys%rowtype;
  v_ref message_refs%rowtype;
  v_tok record;
  -- The token of v_tok and v_accepted, which are read only when the items' token changes.
  v_token uuid;
  -- Whether a plan counts its messages.
  v_counts boolean;
begin
  for r in 1..cardinality(p_from) loop
    if p_key[r] is not null then
      select * into v_key from idempotency_keys
        where account_id = p_account and token_id = p_key_token[r] and key = p_key[r];
      if found then
        return query select r, 0, null::uuid,
          case when v_key.hash = p_key_hash[r] then 'replayed' else 'conflict' end,
          null::bigint, v_key.saldo, v_key.message_ids, first_outcomes(v_key), v_key.answer_context,
          null::bigint;
        continue;
      end if;
    end if;
    v_taken := 0;
    v_results := '{}';
    for i in p_from[r]..p_upto[r] loop
      v_outcome := 'accepted';
      v_fact := null;
      v_other := p_id[i];
      if p_token[i] is distinct from v_token then
        v_token := p_token[i];
        select case when k2.account_suspended then 'suspended' else k2.status end as status,
            k2.daily_limit, k2.channel, k2.is_system,
            case when l.day = p_today then l.accepted else 0 end as accepted
          into v_tok
          from tokens k2 left join lanes l on l.account_id = p_account and l.token_id = k2.token_id
          where k2.account_id = p_account and k2.token_id = v_token and k2.deleted_at is null;
        v_counts := v_tok.channel is distinct from 'cloud';
        select coalesce(v_tok.accepted, 0) + count(*) into v_accepted
          from unnest(p_token, v_ok) as x(token, ok) where x.ok and x.token = v_token;
      end if;
      v_price := case when p_price[i] = 0 or (v_counts and p_left > 0) then 0
        when v_counts then coalesce(p_plan_price, p_price[i]) else p_price[i] end;
      if p_ref[i] is not null then
        select * into v_ref from message_refs where account_id = p_account and ref = p_ref[i];
        if found then
          v_outcome := case when v_ref.hash = p_hash[i] then 'duplicate' else 'ref_conflict' end;
          v_other := v_ref.message_id;
          select price into v_price from messages
            where account_id = p_account and message_id = v_other;
        end if;
      end if;
      if v_outcome = 'accepted' then
        if coalesce(v_tok.status, '') not in ('linked', 'disconnected') then
          v_outcome := case when v_tok.status = 'suspended' then 'suspended' else 'not_linked' end;
        elsif not v_tok.is_system and exists (
          select 1 from optouts o
          where o.account_id = p_account and o.token_id = p_token[i] and o.peer = p_peer[i]
        ) then
          v_outcome := 'opted_out';
        elsif v_accepted + 1 > v_tok.daily_limit then
          v_outcome := 'limit';
          v_fact := v_tok.daily_limit;
        elsif v_price > v_avail then
          v_outcome := 'saldo_short';
          v_fact := v_avail;
        elsif p_bonus_only and v_price > 0 and v_tok.channel <> 'simulator' and not exists (
          select from user_phones where account_id = p_account and phone = p_peer[i]
        ) then
          v_outcome := 'bonus_only';
        end if;
      end if;
      if v_outcome = 'accepted' then
        v_ok[i] := true;
        v_accepted := v_accepted + 1;
        v_avail := v_avail - v_price;
        p_left := p_left - (p_price[i] > 0 and v_counts)::int;
        if p_ref[i] is not null then
          insert into message_refs (account_id, ref, message_id, hash)
            values (p_account, p_ref[i], p_id[i], p_hash[i]);
        end if;
      end if;
      v_taken := v_taken + (v_outcome in ('accepted', 'duplicate'))::int;
      v_results[i - p_from[r] + 1] :=
        jsonb_build_object('id', v_other, 'outcome', v_outcome, 'fact', v_fact, 'price', v_price);
      return query select r, i, v_other, v_outcome, v_fact, v_avail, null::uuid[], null::jsonb,
        null::jsonb, v_price;
    end loop;
    -- Refusals are not stored: a request that was refused whole may be tried again. One that only named messages
    -- accepted before was accepted, and its saldo is part of that answer.
    if p_key[r] is not null and v_taken > 0 then
      insert into idempotency_keys (
        account_id, token_id, key, hash, message_ids, outcomes, saldo, answer_context
      ) values (
        p_account, p_key_token[r], p_key[r], p_key_hash[r], p_id[p_from[r]:p_upto[r]],
        to_jsonb(v_results), v_avail, p_context[r]
      );
    end if;
  end loop;
end
$$;

revoke all on function accept_each from public;

-- Takes the idempotency keys and references of requests of several wallets. p_ok marks the requests; it becomes false
-- for those with a used key or reference, which go to accept_batch as a whole. Called by accept_many, which holds the
-- wallets' locks; only the owner may call it. Takes keys in the order of wallets; waits for a transaction that is
-- taking the same key. A batch sent again has the same message ids, so the rows of this call are identified by what its
-- own inserts return.
create or replace function claim_idempotency_keys(
  p_account uuid[], p_key text[], p_key_hash bytea[], p_key_token uuid[], p_from int[], p_upto int[],
  p_request int[], p_id uuid[], p_ref text[], p_hash bytea[], p_context jsonb[], p_saldo bigint[],
  inout p_ok boolean[]
)
language plpgsql as $$
declare
  -- The first message of each request whose key was taken now; the messages whose references were.
  v_first uuid[];
  v_ref uuid[];
begin
  if array_remove(p_key, null) <> '{}' then
    with taken as (
      insert into idempotency_keys (account_id, token_id, key, hash, message_ids, saldo, answer_context)
      select r.account, r.token, r.key, r.hash, p_id[r.start:r.upto], p_saldo[r.ord], r.context
      from unnest(p_account, p_key, p_key_hash, p_key_token, p_from, p_upto, p_context) with ordinality
        as r(account, key, hash, token, start, upto, context, ord)
      where r.key is not null and p_ok[r.ord]
      order by r.account, r.token, r.key
      on conflict do nothing returning message_ids[1] as first
    )
    select array_agg(first) into v_first from taken;
    if cardinality(v_first) is distinct from cardinality(array_remove(p_key, null)) then
      select array_agg(p_ok[r.ord] and (r.key is null or p_id[r.start] = any (v_first)) is true
          order by r.ord)
        into p_ok
        from unnest(p_key, p_from) with ordinality as r(key, start, ord);
    end if;
  end if;

  if array_remove(p_ref, null) = '{}' then
    return;
  end if;
  with taken as (
    insert into message_refs (account_id, ref, message_id, hash)
    select p_account[i.request], i.ref, i.id, i.hash
    from unnest(p_ref, p_request, p_id, p_hash) as i(ref, request, id, hash)
    where i.ref is not null and p_ok[i.request] order by 1, 2
    on conflict do nothing returning message_id
  )
  select array_agg(message_id) into v_ref from taken;
  if cardinality(v_ref) is distinct from cardinality(array_remove(p_ref, null)) then
    -- A request with a used ref, also one used in this call, goes to accept_batch as a whole.
    select array_agg(p_ok[r.ord] and not exists (
        select from generate_series(r.start, r.upto) as g(i)
        where p_ref[g.i] is not null and (p_id[g.i] = any (v_ref)) is not true
      ) order by r.ord)
      into p_ok
      from unnest(p_from, p_upto) with ordinality as r(start, upto, ord);
    delete from message_refs f using unnest(p_ref, p_request, p_id) as i(ref, request, id)
      where not p_ok[i.request] and i.id = any (v_ref)
        and f.account_id = p_account[i.request] and f.ref = i.ref and f.message_id = i.id;
    delete from idempotency_keys k
      using unnest(p_account, p_key, p_key_token, p_from, p_ok) as r(account, key, token, start, ok)
      where not r.ok and p_id[r.start] = any (v_first)
        and k.account_id = r.account and k.token_id = r.token and k.key = r.key;
  end if;
end
$$;

revoke all on function claim_idempotency_keys from public;

-- The messages of a batch that exist after a lost connection. Called before the batch is sent again. Waits for the
-- wallet's lock, so that a call still running on the lost connection has ended either way.
create or replace function find_accepted(p_account uuid, p_id uuid[]) returns table (
  o_id uuid, o_available bigint, o_price bigint
)
language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off as $$
declare
  v_available bigint;
begin
  select available into strict v_available from wallets where account_id = p_account for no key update;
  return query select m.message_id, v_available, m.price from messages m
    where m.account_id = p_account and m.message_id = any (p_id);
end
$$;

revoke all on function find_accepted from public;
grant execute on function find_accepted to kabari_app;

-- The first answer for the items of a request whose key is used again. If everything was accepted, it is not stored,
-- but derived from its messages, with their prices; null if one of them no longer exists. Called by accept_each; only
-- the owner may call it.
create or replace function first_outcomes(p_key idempotency_keys) returns jsonb
language sql stable as $$
  select coalesce(p_key.outcomes, (
    select jsonb_agg(jsonb_build_object(
        'id', i.id, 'outcome', 'accepted', 'fact', null, 'price', m.price
      ) order by i.ord)
    from unnest(p_key.message_ids) with ordinality as i(id, ord)
    join messages m on m.account_id = p_key.account_id and m.message_id = i.id
    having count(*) = cardinality(p_key.message_ids)
  ))
$$;

revoke all on function first_outcomes from public;

-- The requests that fit whole, counting earlier ones of the same wallet and token; the saldo after each, and the number
-- of the entry that would hold its price. w_* are the locked wallets; w_left and w_price, of those with a plan, the
-- rest of its quota and the price beyond it. The cost of a request by a plan depends on all before it, so in such a
-- wallet none fits after one that does not. The items of a request all have a price, or none has (p_sum 0). Messages of
-- the Cloud API have the price of their category, also with a plan, and use no quota. Read by accept_many, within its
-- statement: PostgreSQL inlines it, so it must stay one plain `stable` select. Only the owner may call it.
create or replace function fitting_requests(
  p_account uuid[], p_token uuid[], p_from int[], p_upto int[], p_sum bigint[], p_peer text[],
  p_today date, w_account uuid[], w_available bigint[], w_seq bigint[], w_left int[],
  w_price bigint[], w_bonus_only boolean[]
) returns table (ord bigint, fits boolean, saldo bigint, hold_seq bigint)
language sql stable as $$
  select f.ord, f.fits,
    f.available - coalesce(
      sum(f.cost) filter (where f.fits) over (partition by f.account order by f.ord), 0
    )::bigint,
    f.hold_seq
  from (
    select c.ord, c.account, c.cost, c.available, c.seq + 1 as hold_seq, c.could and (
        c.price is null or bool_and(c.could) over (partition by c.account order by c.ord)
      ) as fits
    from (
      select r.ord, r.account, r.cost, r.available, r.seq, r.price, coalesce(
          r.available is not null and sum(r.cost) over mine <= r.available
            and r.status in ('linked', 'disconnected') and not r.account_suspended
            and r.accepted + sum(r.upto - r.start + 1) over theirs <= r.daily_limit
            and (not r.bonus_only or r.cost = 0 or r.channel = 'simulator')
            and not exists (
              select from optouts o
              where o.account_id = r.account and o.token_id = r.token
                and o.peer = any (p_peer[r.start:r.upto])
            ),
          false
        ) as could
      from (
        select i.*, w.available, w.seq, w.price, w.bonus_only, case when w.price is null then i.sum
            else (i.sum * (i.paid = 0)::int) + w.price * (
              greatest(0, sum(i.paid) over (partition by i.account order by i.ord) - w.left)
                - greatest(0, sum(i.paid) over (partition by i.account order by i.ord) - i.paid - w.left)
            ) end as cost
        from (
          select p.*, t.*,
            case when p.sum > 0 and t.channel is distinct from 'cloud'
              then p.upto - p.start + 1 else 0 end as paid
          from unnest(p_account, p_token, p_from, p_upto, p_sum) with ordinality
            as p(account, token, start, upto, sum, ord)
          left join lateral (
            select k.status, k.account_suspended, k.daily_limit, k.channel,
              case when l.day = p_today then l.accepted else 0 end as accepted
            from tokens k
            left join lanes l on l.account_id = k.account_id and l.token_id = k.token_id
            where k.account_id = p.account and k.token_id = p.token and k.deleted_at is null limit 1
          ) t on true
        ) i
        left join unnest(w_account, w_available, w_seq, w_left, w_price, w_bonus_only)
          as w(account, available, seq, "left", price, bonus_only) on w.account = i.account
      ) r
      window mine as (partition by r.account order by r.ord),
        theirs as (partition by r.account, r.token order by r.ord)
    ) c
  ) f
$$;

revoke all on function fitting_requests from public;

-- The cost of accepted requests' items by the plans of their wallets, and the round whose quota they use: nothing
-- within the quota, the plan's price beyond it. Items of wallets without a plan, free ones, and those of the Cloud API
-- stay unchanged. Called by accept_many, which holds the wallets' locks; only the owner may call it.
create or replace function plan_prices(
  p_account uuid[], p_token uuid[], p_ok boolean[], p_request int[], inout p_price bigint[],
  w_account uuid[], w_left int[], w_price bigint[], w_round int[], out p_round int[]
)
language sql stable as $$
  select array_agg(case
        when not q.counts then q.price when q.nth <= q."left" then 0 else q.plan_price end
      order by q.ord),
    array_agg(case when q.counts and q.nth <= q."left" then q.round end order by q.ord)
  from (
    select i.*, w."left", w.plan_price, w.round,
      coalesce(i.ok and i.price > 0 and not i.by_cloud and w.plan_price is not null, false) as counts,
      sum((i.ok and i.price > 0 and not i.by_cloud)::int)
        over (partition by i.account order by i.ord) as nth
    from (
      select p_account[u.request] as account, p_ok[u.request] as ok, u.price, u.ord, exists (
          select from tokens t
          where t.account_id = p_account[u.request] and t.token_id = p_token[u.request]
            and t.channel = 'cloud'
        ) as by_cloud
      from unnest(p_request, p_price) with ordinality as u(request, price, ord)
    ) i
    left join unnest(w_account, w_left, w_price, w_round) as w(account, "left", plan_price, round)
      on w.account = i.account
  ) q
$$;

revoke all on function plan_prices from public;

-- Inserts, holds, counts and queues the items of the requests in p_ok, of any number of locked wallets, with their
-- events, in one statement. p_hold_seq, for each request, is the number of the entry that holds its wallet's prices.
-- p_round (null if no wallet has a plan) is the round whose quota an item uses. The rollups are folded later, from the
-- events (fold_counts). Called by accept_many and accept_batch; only the owner may call it. Writes the tables of the
-- ledger and of events in the same statement as the messages: separate statements cost the hot path more. Raises a
-- unique violation when a message exists already.
create or replace function insert_messages(
  p_account uuid[], p_hold_seq bigint[], p_ok boolean[],
  p_request int[], p_id uuid[], p_token uuid[], p_peer text[], p_type text[], p_body jsonb[],
  p_price bigint[], p_round int[], p_ref text[], p_priority smallint[], p_ready timestamptz[],
  p_expires timestamptz[], p_secret text[], p_today date, p_now timestamptz
) returns void
language plpgsql as $$
begin
  if array_remove(p_ready, null) <> '{}' then
    insert into message_events (account_id, message_id, kind, at, detail)
      select p_account[i.request], i.id, 'scheduled', uuid_time(i.id), utc_text(i.ready)
      from unnest(p_request, p_id, p_ready) as i(request, id, ready)
      where p_ok[i.request] and i.ready is not null;
  end if;
  with item as materialized (
    select p_account[i.request] as account, p_hold_seq[i.request] as seq,
      case when i.ready is null then 'queued' else 'scheduled' end as status, i.*
    from unnest(
      p_request, p_id, p_token, p_peer, p_type, p_body, p_price, p_round, p_ref, p_priority,
      p_ready, p_expires, p_secret
    ) as i(
      request, id, token, peer, type, body, price, round, ref, priority, ready, expires, secret
    )
    where p_ok[i.request]
  ), placed as (
    insert into messages (
      account_id, message_id, token_id, peer, direction, type, body, status, price, charge_state,
      hold_seq, ref, expires_at, created_at, plan_round
    )
    select account, id, token, peer, 'out', type, body, status, price, 'held',
      case when price > 0 then seq end, ref, expires, uuid_time(id), round
    from item
  ), queued as (
    insert into dispatch (account_id, message_id, token_id, priority, peer, ready_at, expires_at, secret)
    select account, id, token, priority, peer, coalesce(ready, p_now), expires, secret from item
  ), paid as (
    update wallets w
      set available = w.available - s.total, held = w.held + s.total,
        seq = w.seq + (s.total > 0)::int, plan_used = w.plan_used + s.taken
      from (
        select account, sum(price)::bigint as total, (count(*) filter (where price > 0))::int as n,
          count(round)::int as taken
        from item group by account
      ) s
      where w.account_id = s.account and (s.total > 0 or s.taken > 0)
      returning w.account_id, w.seq, w.available, w.held, s.total, s.n
  ), entered as (
    insert into wallet_entries (
      account_id, seq, kind, d_available, d_held, contra, available_after, held_after, n_items,
      ref_type, ref_id, actor
    )
    select account_id, seq, 'hold', -total, total, 'none', available, held, n, 'batch', seq::text,
      'accept'
    from paid where total > 0
  ), woken as (
    -- Every wake-up counts, so that a worker closing the lane sees it; lanes in order.
    insert into lanes as l (account_id, token_id, ready_at, wakes, day, accepted)
    select account, token, min(coalesce(ready, p_now)), 1, p_today, count(*) from item
    group by account, token order by account, token
    on conflict (account_id, token_id) do update
      set wakes = l.wakes + 1, ready_at = least(l.ready_at, excluded.ready_at), day = excluded.day,
        accepted = excluded.accepted + case when l.day = excluded.day then l.accepted else 0 end
  )
  insert into outbox (
    account_id, outbox_id, at, kind, message_ids, token_ids, peers, types, statuses, statuses_before,
    costs, costs_before, data
  )
  select i.account, gen_random_uuid(), p_now, 'message.accepted', i.ids, i.tokens, i.peers, i.types,
    i.statuses, array_fill(null::text, array[cardinality(i.ids)]), i.prices,
    array_fill(0::bigint, array[cardinality(i.ids)]), case when p.account_id is not null
      then jsonb_build_object('available', p.available, 'held', p.held, 'seq', p.seq) end
  from (
    select account, array_agg(id) as ids, array_agg(token) as tokens, array_agg(peer) as peers,
      array_agg(type) as types, array_agg(status) as statuses, array_agg(price) as prices
    from item group by account
  ) i
  left join paid p on p.account_id = i.account;
end
$$;

revoke all on function insert_messages from public;
