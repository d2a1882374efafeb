-- How the database is: its version, size, connections, and for how many seconds its oldest transaction has
-- been open. As the owner, who sees the sessions of all of the application. `nodes`: processes of this
-- installation, each of which listens for live streams on one connection.
-- Called by the operator's overview.
create or replace function database_figures() returns table (
  version text, bytes bigint, connections int, connections_max int,
  oldest_transaction_seconds float8, nodes int
)
language sql stable security definer set search_path = public, pg_temp as $$
  select current_setting('server_version'), pg_database_size(current_database()),
    count(*)::int, current_setting('max_connections')::int,
    coalesce(extract(epoch from clock_timestamp() - min(xact_start)
      filter (where pid <> pg_backend_pid() and datname = current_database())), 0)::float8,
    (count(*) filter (where application_name = 'kabari live' and datname = current_database()))::int
  from pg_stat_activity where backend_type = 'client backend'
$$;

revoke all on function database_figures from public;
grant execute on function database_figures to kabari_app;
