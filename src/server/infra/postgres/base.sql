-- A public id (contract/base/ids.ts): a prefix and 26 characters of Crockford base32, the first of which has three
-- bits. Works on bytes because it runs for every event: a query over the bits took thirty times as long.
create or replace function public_id(p_prefix text, p_id uuid) returns text
language plpgsql immutable parallel safe as $$
declare
  v_digits constant bytea := '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
  v_bytes constant bytea := '\x00' || uuid_send(p_id) || '\x00';
  v_id bytea := '00000000000000000000000000';
  v_at int;
begin
  for i in 0 .. 25 loop
    v_at := i * 5 + 6;
    v_id := set_byte(v_id, i, get_byte(v_digits, ((
      get_byte(v_bytes, v_at / 8) * 256 + get_byte(v_bytes, v_at / 8 + 1)) >> (11 - v_at % 8)) & 31));
  end loop;
  return p_prefix || convert_from(v_id, 'UTF8');
end
$$;

-- The instant inside a UUIDv7 (PostgreSQL 18 has its own; 15 does not). Its inverse, uuid_floor, is in the
-- migrations, because the bounds of partitions depend on it.
create or replace function uuid_time(p_id uuid) returns timestamptz
language sql immutable parallel safe
return to_timestamp(
  ('x0000' || substr(p_id::text, 1, 8) || substr(p_id::text, 10, 4))::bit(64)::bigint / 1000.0
);

-- An instant in ISO 8601: 2026-11-21T02:05:00Z.
create or replace function utc_text(p_at timestamptz) returns text
language sql stable parallel safe
return to_char(p_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"');

-- The first day of the WIB day or month of an instant.
create or replace function wib_since(p_grain text, p_at timestamptz) returns date
language sql immutable parallel safe
return date_trunc(p_grain, p_at at time zone 'Asia/Jakarta')::date;

-- The trigger function of append-only tables: refuses every change. The tables' owners create the triggers. Raises
-- P0001.
create or replace function deny() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name;
end
$$;

-- The trigger function of tables that are append-only except for an account being erased: begin_erasing sets its id
-- in `app.erasing` once the account is closed. The application has no privilege to change such rows itself; this
-- prevents mistakes of every role. Raises P0001.
create or replace function deny_unless_erasing() returns trigger language plpgsql as $$
begin
  if current_setting('app.erasing', true) = old.account_id::text then
    if tg_op = 'DELETE' then
      return old;
    end if;
    return new;
  end if;
  raise exception '% is append-only', tg_table_name;
end
$$;

-- Figures of the database: version, size, connections, and the age in seconds of its oldest open transaction. Runs as
-- the owner, who sees all sessions of the application. `nodes` counts processes of this installation, each of which
-- listens for live streams on one connection. Called by the operators' overview.
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
