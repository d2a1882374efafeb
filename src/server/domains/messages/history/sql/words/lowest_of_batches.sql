-- The lowest id in the batches from one to another. Called by find_words.
create or replace function lowest_of_batches(p_account uuid, p_first uuid, p_last uuid) returns uuid
language sql stable set search_path = public, pg_temp as $$
  select low from (
    select low from word_batches where account_id = p_account and upto >= p_first and upto <= p_last offset 0
  ) b order by low limit 1
$$;

revoke all on function lowest_of_batches from public;
grant execute on function lowest_of_batches to kabari_app;
