-- The phones of an account whose names begin with p_name, which is written small: those that the account gave them, and
-- those that they gave themselves; at most p_limit of each. Called by the history's search and the list of
-- conversations. Sees what the policies of contacts and conversations let its caller see: it is the owner's, because
-- conditions on an expression find no index under a policy.
create or replace function peers_named(p_account uuid, p_name text, p_limit int)
returns setof text
language sql stable security definer set search_path = public, pg_temp as $$
  select peer from (
    select peer from conversations
    where account_id = p_account and (sees_all() or account_id = seen_account())
      and lower(peer_name) ~>=~ p_name and lower(peer_name) ~<~ (p_name || chr(1114111))
    limit p_limit
  ) given
  union
  select peer from (
    select peer from contacts
    where account_id = p_account and (sees_all() or account_id = seen_account())
      and lower(name) ~>=~ p_name and lower(name) ~<~ (p_name || chr(1114111))
    limit p_limit
  ) own
$$;

revoke all on function peers_named from public;
grant execute on function peers_named to kabari_app;
