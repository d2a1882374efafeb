-- The query of the batches in which messages have a word, $2, and so many others, $5, all of them: as bits, or as ids;
-- in order. $1 is the account; the batches are those from $3 to $4. Called by find_words.
create or replace function hits_of_words(p_others int, p_newest boolean) returns text
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
        -- Bits decide where there are some, else places.
        string_agg(format('coalesce(get_bit(%1$s.bits, i.place) = 1, i.place = any (%1$s.places))', w.name), ' and '),
        string_agg(format(
          'join message_words %1$s on %1$s.account_id = $1 and %1$s.word = $5[%2$s] and %1$s.upto = d.upto
            and %1$s.upto >= $3 and %1$s.upto <= $4', w.name, w.n
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

revoke all on function hits_of_words from public;
grant execute on function hits_of_words to kabari_app;
