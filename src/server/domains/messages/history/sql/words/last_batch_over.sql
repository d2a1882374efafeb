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
