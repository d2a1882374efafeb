-- The accounts in whose lines words stand, the newest first: an index on words is of no use behind row-level
-- security.
-- Called by the operators' inbox; answers nothing to connections that do not see all accounts. Locks nothing.
create or replace function search_support(p_query text, p_max int) returns setof uuid
language sql stable security definer set search_path = public, pg_temp as $$
  select found.account_id
  from (
    select m.account_id, m.at from support_messages m
    where (select sees_all()) and m.words @@ to_tsquery('simple', p_query) limit 20000
  ) found
  group by found.account_id order by max(found.at) desc limit p_max
$$;

revoke all on function search_support from public;
grant execute on function search_support to kabari_app;
