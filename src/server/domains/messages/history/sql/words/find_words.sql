-- How many messages have all of some words, at most p_max, and the ids of p_limit of them after the first p_offset, in
-- order, counted from the newest (from the oldest, unless p_newest): p_others, and those in batches up to p_mark, from
-- p_from to before p_until.
-- Called by the history's search. Sees what the policy of message_words lets its caller see: it is the owner's, because
-- its plans must not depend on a policy.
--
-- Batches are walked through in the order of their last ids until p_max are counted. Their times may overlap: for the
-- ids, all batches are read that reach into those that hold the page and all before it.
create or replace function find_words(
  p_account uuid, p_words text[], p_from uuid, p_until uuid, p_mark uuid, p_others uuid[], p_newest boolean,
  p_offset int, p_limit int, p_max int
) returns table (o_total int, o_ids uuid[])
language plpgsql stable security definer set search_path = public, pg_temp set enable_seqscan = off
set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_material = off as $$
declare
  c_count constant int := cardinality(p_words);
  c_first constant uuid := '00000000-0000-0000-0000-000000000000';
  -- The word in the fewest messages, and the others; the last batch that may hold some; batches that p_from or p_until cuts.
  v_rarest text;
  v_others text[];
  v_last uuid;
  v_cut uuid[];
  v_hits text;
  v_hit record;
  v_messages int;
  -- So many ids of batches are needed; counted so far; the batch that completes them.
  v_need constant int := least(p_max, p_offset + p_limit);
  v_counted int := 0;
  v_full uuid;
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
  v_rarest := case when c_count = 1 then p_words[1] else rarest_word(p_account, p_words) end;
  v_others := array_remove(p_words, v_rarest);
  if c_count = 1 then
    v_hits := 'select upto, bits, ids from message_words
      where account_id = $1 and word = $2 and upto >= $3 and upto <= $4';
  else
    -- The general way, of several words in few messages each, reads them anew.
    v_hits := 'select d.upto,
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
      cross join lateral (
        select count(*) as found, count(o.places) as sparse, bit_and(o.bits) as bits from message_words o
        where o.account_id = $1 and o.word = any ($5) and o.upto = d.upto
      ) s
      where d.account_id = $1 and d.word = $2 and d.upto >= $3 and d.upto <= $4 and s.found = cardinality($5)';
  end if;

  for v_hit in execute v_hits || ' order by upto ' || case when p_newest then 'desc' else 'asc' end
    using p_account, v_rarest, v_first, v_last, v_others
  loop
    if v_hit.upto = any (v_cut) then
      select count(*) into v_messages from ids_of_places(p_account, v_hit.upto, v_hit.bits, v_hit.ids) as i(id)
        where id >= p_from and id < p_until;
    else
      v_messages := coalesce(cardinality(v_hit.ids), bit_count(v_hit.bits));
    end if;
    v_counted := v_counted + v_messages;
    if v_full is null and v_counted >= v_need then
      v_full := v_hit.upto;
    end if;
    exit when v_full is not null and v_counted + cardinality(p_others) >= p_max;
  end loop;

  if v_full is not null and p_newest then
    select low into v_first from (
      select low from word_batches where account_id = p_account and upto >= v_full and upto <= v_last offset 0
    ) b order by low limit 1;
    v_first := greatest(v_first, p_from);
  elsif v_full is not null then
    select upto into v_last from (
      select upto, low from word_batches
      where account_id = p_account and upto >= v_full and upto <= v_last offset 0
    ) b where low <= v_full order by upto desc limit 1;
  end if;
  o_total := least(p_max, v_counted + cardinality(p_others));
  if o_total > p_offset then
    execute 'select array(select i.id from (
        select f.id from (' || v_hits || ') h
          cross join lateral ids_of_places($1, h.upto, h.bits, h.ids) as f(id)
          where f.id >= $6 and f.id < $7
        union all select unnest($8)
      ) i order by i.id ' || case when p_newest then 'desc' else 'asc' end || ' offset $9 limit $10)'
      into o_ids using p_account, v_rarest, v_first, v_last, v_others, p_from, p_until, p_others, p_offset,
        v_need - p_offset;
  end if;
  return next;
end
$$;

revoke all on function find_words from public;
grant execute on function find_words to kabari_app;
