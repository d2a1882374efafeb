-- The ids of some messages of a batch: p_ids, or those that p_bits mark. Called by find_words.
create or replace function ids_of_places(p_account uuid, p_upto uuid, p_bits bit varying, p_ids uuid[])
returns setof uuid
language sql stable as $$
  select unnest(p_ids)
  union all
  select i.id from word_batches b cross join lateral unnest(b.ids) with ordinality as i(id, nth)
  where p_bits is not null and b.account_id = p_account and b.upto = p_upto and get_bit(p_bits, i.nth::int - 1) = 1
$$;

revoke all on function ids_of_places from public;
grant execute on function ids_of_places to kabari_app;
