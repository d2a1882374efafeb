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

-- Writes an event about a thread to the stream that operators follow, that of the installation's own account,
-- in the transaction that makes it true: a caller that sees one account may not write to another's.
-- Called by the domain support for every line and change. Raises when the event is of another kind. Locks
-- nothing.
create or replace function notify_operators(p_kind text, p_data jsonb) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if p_kind not in ('support.message', 'support.changed') then
    raise exception 'operators are not told of %', p_kind;
  end if;
  -- Of a distributed database, whichever part that account lies in.
  perform set_config('search_path', 'public, pg_temp', true);
  perform enqueue_event(system_account(), p_kind, p_data);
end
$$;

revoke all on function notify_operators from public;
grant execute on function notify_operators to kabari_app;
