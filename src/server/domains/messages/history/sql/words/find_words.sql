-- How many messages have all of some words, at most p_max, and the ids of p_limit of them after the first p_offset, in
-- order, counted from the newest (from the oldest, unless p_newest): p_others, and those in batches up to p_mark, from
-- p_from to before p_until. With p_reads, when p_offset is 0: no more ids than lie in about so many pages of messages.
-- Whether they are all that there are.
-- Called by the history's search. Sees what the policy of message_words lets its caller see: it is the owner's, because
-- its plans must not depend on a policy.
--
-- Batches are walked through in the order of their last ids until p_max are counted. Their times may overlap: for the
-- ids, all batches are read that reach into those that hold the page.
create or replace function find_words(
  p_account uuid, p_words text[], p_from uuid, p_until uuid, p_mark uuid, p_others uuid[], p_newest boolean,
  p_offset int, p_limit int, p_max int, p_reads int default null
) returns table (o_total int, o_ids uuid[], o_all boolean)
language plpgsql stable security definer set search_path = public, pg_temp set enable_seqscan = off
set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_nestloop = on
set enable_material = off set join_collapse_limit = 1 as $$
declare
  c_first constant uuid := '00000000-0000-0000-0000-000000000000';
  -- The word in the fewest messages, and the others; the last batch that may hold some; batches that p_from or p_until cuts.
  v_rarest text;
  v_batches int;
  v_others text[];
  v_last uuid;
  v_cut uuid[];
  v_hits text;
  v_hit record;
  v_messages int;
  -- So many ids of batches are needed; counted so far; the batch that completes them.
  v_need int := least(p_max, p_offset + p_limit);
  v_counted int := 0;
  v_reads int := 0;
  v_full uuid;
  -- The batch in which the page begins, as far as batches follow each other; all up to it, with what is counted before
  -- each; so many messages are in batches that are not read.
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
  v_hits := hits_of_words(cardinality(v_others), p_newest);
  -- Of words in many batches all rows are read, side by side.
  if v_batches >= 500 and cardinality(v_others) <= 5 then
    perform set_config('enable_mergejoin', 'on', true), set_config('enable_nestloop', 'off', true);
  end if;

  for v_hit in execute 'select *, coalesce(cardinality(ids), bit_count(bits)) as messages from (' || v_hits || ') h
      where coalesce(cardinality(ids), bit_count(bits)) > 0'
    using p_account, v_rarest, v_first, v_last, v_others
  loop
    if v_hit.upto = any (v_cut) then
      select count(*) into v_messages from ids_of_places(p_account, v_hit.upto, v_hit.bits, v_hit.ids) as i(id)
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
        cross join lateral ids_of_places($1, h.upto, h.bits, h.ids) as f(id)
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
