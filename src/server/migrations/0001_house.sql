-- The role the app works as: no superuser, no BYPASSRLS. Roles are the cluster's, so
-- another database on the same server may have made it already.
do $$
begin
  create role kabari_app nologin;
exception
  when duplicate_object or unique_violation then null;
end
$$;
do $$
begin
  execute format('grant kabari_app to %I', current_user);
exception
  when others then
    if not pg_has_role(current_user, 'kabari_app', 'member') then raise; end if;
end
$$;
grant usage on schema public to kabari_app;

-- Row-level security, the second wall: a row is seen by its own account, or by the house ('*').
-- Asked once per statement, not per row: comparing every row's id as text was half the cost of a read.
create function seen_account() returns uuid
language sql stable parallel safe
return nullif(nullif(current_setting('app.account', true), '*'), '')::uuid;

create function sees_all() returns boolean
language sql stable parallel safe
return coalesce(current_setting('app.account', true) = '*', false);

create function deny() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name;
end
$$;

-- The instant inside a UUIDv7 (PostgreSQL 18 has its own; 15 does not).
create function uuid_time(p_id uuid) returns timestamptz
language sql immutable parallel safe
return to_timestamp(
  ('x0000' || substr(p_id::text, 1, 8) || substr(p_id::text, 10, 4))::bit(64)::bigint / 1000.0
);

-- The smallest UUIDv7 of an instant: a time range is an id range.
create function uuid_floor(p_at timestamptz) returns uuid
language sql immutable parallel safe
return (
  lpad(to_hex(floor(extract(epoch from p_at) * 1000)::bigint), 12, '0') || '70008000000000000000'
)::uuid;

-- An instant as programs write it: 2026-11-21T02:05:00Z.
create function utc_text(p_at timestamptz) returns text
language sql stable parallel safe
return to_char(p_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"');

-- The WIB day or month of an instant, as its first day.
create function wib_since(p_grain text, p_at timestamptz) returns date
language sql immutable parallel safe
return date_trunc(p_grain, p_at at time zone 'Asia/Jakarta')::date;

-- A tenant table: row-level security on, and the app may read and write its own rows.
create procedure tenant_table(p_table text, p_rights text default 'select, insert, update, delete')
language plpgsql as $$
begin
  execute format('alter table %I enable row level security', p_table);
  execute format(
    'create policy tenant on %1$I
      using (account_id = (select seen_account()) or (select sees_all()))
      with check (account_id = (select seen_account()) or (select sees_all()))', p_table
  );
  execute format('grant %s on %I to kabari_app', p_rights, p_table);
end
$$;
