-- Of some words the one that the fewest messages of an account have, as far as a short look says, and in how many
-- batches, counted to 500. Called by find_words.
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
