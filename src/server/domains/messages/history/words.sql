-- The number of messages that have all of some words, at most p_max, and the ids of p_limit of them after the first
-- p_offset, in order, counted from the newest (from the oldest, unless p_newest): p_others, and those in batches up to
-- p_mark, from p_from to before p_until. With p_reads, when p_offset is 0: only as many ids as lie in about that many
-- pages of messages. Also whether these are all. Called by the history's search. Sees what the policy of message_words
-- lets its caller see: it runs as the owner, because its plans must not depend on a policy.
-- Batches are scanned in the order of their last ids until p_max are counted. Their times may overlap: for the ids, all
-- batches are read that overlap those of the page.
create or replace function find_words(
  p_account uuid, p_words text[], p_from uuid, p_until uuid, p_mark uuid, p_others uuid[], p_newest boolean,
  p_offset int, p_limit int, p_max int, p_reads int default null
) returns table (o_total int, o_ids uuid[], o_all boolean)
language plpgsql stable security definer set search_path = public, pg_temp set enable_seqscan = off
set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_nestloop = on
set enable_material = off set join_collapse_limit = 1 as $$
declare
  c_first constant uuid := '00000000-0000-0000-0000-000000000000';
  -- The rarest word, and the others; the last batch that may match; batches that p_from or p_until cuts.
  v_rarest text;
  v_batches int;
  v_others text[];
  v_is_merged boolean;
  v_last uuid;
  v_cut uuid[];
  v_hits text;
  v_hit record;
  v_messages int;
  -- Number of ids needed from batches; counted so far; the batch that completes them.
  v_need int := least(p_max, p_offset + p_limit);
  v_counted int := 0;
  v_reads int := 0;
  v_full uuid;
  -- The batch in which the page begins, as far as batches do not overlap; all up to it, with the counts before each;
  -- the number of messages in batches that are not read.
  v_next uuid;
  v_uptos uuid[];
  v_befores int[];
  v_before int;
  v_first uuid := p_from;
begin
  if sees_all() is not true and p_account is distinct from seen_account() then
    return;
  end if;
  select upto into v_last from word_batches
    where account_id = p_account and upto <= p_mark and upto >= p_from and low < p_until order by upto desc limit 1;
  if p_from > c_first or p_until <= v_last then
    v_cut := array(
      select upto from (
        select upto, low from word_batches
        where account_id = p_account and upto >= p_from and upto <= v_last offset 0
      ) b where low < p_from or upto >= p_until
    );
  end if;
  if cardinality(p_words) = 1 then
    v_rarest := p_words[1];
  else
    select o_word, o_batches into v_rarest, v_batches from rarest_word(p_account, p_words);
  end if;
  v_others := array_remove(p_words, v_rarest);
  -- For words in many batches all rows are read, side by side.
  v_is_merged := v_batches >= 500 and cardinality(v_others) <= 5;
  v_hits := match_words(cardinality(v_others), p_newest, v_is_merged);
  if v_is_merged then
    perform set_config('enable_mergejoin', 'on', true), set_config('enable_nestloop', 'off', true);
  end if;

  for v_hit in execute 'select *, coalesce(cardinality(ids), bit_count(bits)) as messages from (' || v_hits || ') h
      where coalesce(cardinality(ids), bit_count(bits)) > 0'
    using p_account, v_rarest, v_first, v_last, v_others
  loop
    if v_hit.upto = any (v_cut) then
      select count(*) into v_messages from ids_in_batch(p_account, v_hit.upto, v_hit.bits, v_hit.ids) as i(id)
        where id >= p_from and id < p_until;
    else
      v_messages := v_hit.messages;
    end if;
    if v_counted + cardinality(p_others) <= p_offset then
      v_next := v_hit.upto;
      v_uptos := v_uptos || v_next;
      v_befores := v_befores || v_counted;
    end if;
    v_counted := v_counted + v_messages;
    -- The messages of a batch lie in about a hundred pages.
    v_reads := v_reads + least(v_messages, 100);
    if v_full is null and (v_counted >= v_need or v_reads >= p_reads) then
      v_full := v_hit.upto;
      v_need := least(v_need, v_counted);
    end if;
    exit when v_full is not null and (v_counted + cardinality(p_others) >= p_max or v_reads >= p_reads);
  end loop;
  o_total := least(p_max, v_counted + cardinality(p_others));
  o_all := v_counted + cardinality(p_others) < v_need and (v_reads >= p_reads) is not true;
  if o_total <= p_offset then
    return next;
    return;
  end if;

  if p_newest then
    v_last := coalesce(last_batch_over(p_account, v_next, v_last), v_last);
    v_first := greatest(p_from, lowest_of_batches(p_account, v_full, v_last));
  else
    v_first := greatest(p_from, lowest_of_batches(p_account, v_next, v_last));
    v_last := coalesce(last_batch_over(p_account, v_full, v_last), v_last);
  end if;
  v_before := coalesce((
    select min(before) from unnest(v_uptos, v_befores) as u(upto, before) where upto >= v_first and upto <= v_last
  ), 0);
  execute 'select array(select i.id from (
      select f.id from (' || v_hits || ') h
        cross join lateral ids_in_batch($1, h.upto, h.bits, h.ids) as f(id)
        where f.id >= $6 and f.id < $7
      union all select unnest($8)
    ) i order by i.id ' || case when p_newest then 'desc' else 'asc' end || ' offset $9 limit $10)'
    into o_ids using p_account, v_rarest, v_first, v_last, v_others, p_from, p_until, p_others,
      p_offset - v_before, v_need - p_offset;
  return next;
end
$$;

revoke all on function find_words from public;
grant execute on function find_words to kabari_app;

-- The query of the batches in which messages have a word, $2, and this many others, $5, all of them: as bits, or as
-- ids; in order. $1 is the account; the batches are those from $3 to $4. With p_merged the rows of the others are in
-- that range too; else each is looked up, in a subquery: the planner expects one row in the range, and would read all
-- of them for each batch. Called by find_words.
create or replace function match_words(p_others int, p_newest boolean, p_merged boolean) returns text
language sql immutable set search_path = public, pg_temp as $$
  select case
      when p_others = 0 then 'select d.upto, d.bits, d.ids from message_words d'
      when p_others <= 5 then format(
        'select d.upto, case when coalesce(%1$s) is null then (%3$s)::bit varying end as bits,
          case when coalesce(%1$s) is not null then array(
            select i.id from (select unnest(coalesce(%1$s)) as place, unnest(coalesce(%2$s)) as id) i where %4$s
          ) end as ids
        from message_words d %5$s',
        string_agg(w.name || '.places', ', ' order by w.n), string_agg(w.name || '.ids', ', ' order by w.n),
        string_agg(w.name || '.bits', ' & ' order by w.n),
        -- Bits if there are any, else places.
        string_agg(format('coalesce(get_bit(%1$s.bits, i.place) = 1, i.place = any (%1$s.places))', w.name), ' and '),
        string_agg(format(
          case when p_merged then
            'join message_words %1$s on %1$s.account_id = $1 and %1$s.word = $5[%2$s] and %1$s.upto = d.upto
              and %1$s.upto >= $3 and %1$s.upto <= $4'
          else
            'cross join lateral (
              select places, ids, bits from message_words
              where account_id = $1 and word = $5[%2$s] and upto = d.upto offset 0
            ) %1$s'
          end, w.name, w.n
        ), ' ' order by w.n) filter (where w.n > 0)
      )
      -- So many joins would take longer to plan than to run.
      else 'select d.upto,
          case when s.sparse = 0 and d.bits is not null then (d.bits & s.bits)::bit varying end as bits,
          case
            when s.sparse = 0 and d.bits is null then array(
              select i.id from unnest(d.places, d.ids) as i(place, id) where get_bit(s.bits, i.place) = 1
            )
            when s.sparse > 0 then array(
              select i.id from message_words o cross join lateral unnest(o.places, o.ids) as i(place, id)
              where o.account_id = $1 and o.word = any ($5 || $2) and o.upto = d.upto and o.places is not null
                and (s.bits is null or get_bit(s.bits, i.place) = 1)
                and (d.bits is null or get_bit(d.bits, i.place) = 1)
              group by i.id having count(*) = s.sparse + (d.places is not null)::int
            )
          end as ids
        from message_words d
        join lateral (
          select count(*) as found, count(o.places) as sparse, bit_and(o.bits) as bits from message_words o
          where o.account_id = $1 and o.word = any ($5) and o.upto = d.upto
        ) s on s.found = cardinality($5)'
    end || ' where d.account_id = $1 and d.word = $2 and d.upto >= $3 and d.upto <= $4 order by d.upto '
      || case when p_newest then 'desc' else 'asc' end || ' offset 0'
  from (select n, case n when 0 then 'd' else 'o' || n end as name from generate_series(0, p_others) as n) w
$$;

revoke all on function match_words from public;
grant execute on function match_words to kabari_app;

-- The rarest of some words among an account's messages, as estimated from a sample, and its number of batches, counted
-- to 500. Called by find_words.
create or replace function rarest_word(p_account uuid, p_words text[], out o_word text, out o_batches int)
language sql stable set search_path = public, pg_temp as $$
  select w, b.batches from unnest(p_words) as w
    cross join lateral (
      select count(*) as batches from (
        select from message_words where account_id = p_account and word = w limit 500
      ) few
    ) b
    cross join lateral (
      select sum(coalesce(cardinality(places), bit_count(bits))) as messages from (
        select places, bits from message_words where account_id = p_account and word = w limit 20
      ) few
    ) m
    order by b.batches, m.messages limit 1
$$;

revoke all on function rarest_word from public;
grant execute on function rarest_word to kabari_app;

-- The lowest id in the batches from one to another. Called by find_words.
create or replace function lowest_of_batches(p_account uuid, p_first uuid, p_last uuid) returns uuid
language sql stable set search_path = public, pg_temp as $$
  select low from (
    select low from word_batches where account_id = p_account and upto >= p_first and upto <= p_last offset 0
  ) b order by low limit 1
$$;

revoke all on function lowest_of_batches from public;
grant execute on function lowest_of_batches to kabari_app;

-- The last batch, up to p_last, with messages on both sides of p_upto, where one ends: that one at least. Called by
-- find_words.
create or replace function last_batch_over(p_account uuid, p_upto uuid, p_last uuid) returns uuid
language sql stable set search_path = public, pg_temp as $$
  select upto from (
    select upto, low from word_batches where account_id = p_account and upto >= p_upto and upto <= p_last offset 0
  ) b where low <= p_upto order by upto desc limit 1
$$;

revoke all on function last_batch_over from public;
grant execute on function last_batch_over to kabari_app;

-- The ids of some messages of a batch: p_ids, or those that p_bits mark. Called by find_words.
create or replace function ids_in_batch(p_account uuid, p_upto uuid, p_bits bit varying, p_ids uuid[])
returns setof uuid
language sql stable as $$
  select unnest(p_ids)
  union all
  -- Side by side in a list of columns: in `from` each would be materialized first, which takes three times as long.
  select i.id from (
    select unnest(b.ids) as id, generate_series(0, cardinality(b.ids) - 1) as place from word_batches b
    where p_bits is not null and b.account_id = p_account and b.upto = p_upto
  ) i where get_bit(p_bits, i.place) = 1
$$;

revoke all on function ids_in_batch from public;
grant execute on function ids_in_batch to kabari_app;

-- Removes some messages from the words of their batches. Called where single messages are erased, before they are.
-- Locks the account's mark.
create or replace function forget_words(p_account uuid, p_messages uuid[]) returns void
language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off as $$
declare
  v_batch record;
begin
  perform 1 from word_cursors where account_id = p_account for update;
  if not found then
    return;
  end if;
  for v_batch in
    select b.upto, array_agg(i.nth::int - 1) as places
    from word_batches b cross join lateral unnest(b.ids) with ordinality as i(id, nth)
    where b.account_id = p_account and i.id = any (p_messages)
      and b.upto >= (select id from unnest(p_messages) as u(id) order by id limit 1)
      and b.low <= (select id from unnest(p_messages) as u(id) order by id desc limit 1)
    group by b.upto
  loop
    -- All words of the batch, since the present text of the messages may differ.
    update message_words w
      set bits = (
          select bit_and(set_bit(w.bits, p, 0)) from unnest(v_batch.places) as p
        ),
        places = case when w.places is not null then array(
          select i.place from unnest(w.places, w.ids) with ordinality as i(place, id, nth)
          where i.place <> all (v_batch.places) order by nth
        ) end,
        ids = case when w.places is not null then array(
          select i.id from unnest(w.places, w.ids) with ordinality as i(place, id, nth)
          where i.place <> all (v_batch.places) order by nth
        ) end
      where w.account_id = p_account and w.upto = v_batch.upto and (
        w.places && v_batch.places::smallint[]
        or exists (select from unnest(v_batch.places) as p where get_bit(w.bits, p) = 1)
      );
    delete from message_words
      where account_id = p_account and upto = v_batch.upto and (ids = '{}' or bit_count(bits) = 0);
  end loop;
end
$$;

revoke all on function forget_words from public;
grant execute on function forget_words to kabari_app;
