-- The ground of every other migration: the application's role, row-level security, and the tables of the
-- infrastructure, which belong to no domain.
--
-- Migrations hold tables, indexes, policies, grants and data, and only go forward. Functions and triggers
-- live beside the code that calls them (src/server/domains, src/server/infra) and are loaded after all
-- migrations; so a migration calls none of them. The five below are the exception: policies, partition
-- bounds and migrations themselves need them.

-- The role the application works as: no superuser, no BYPASSRLS. Roles are the cluster's, so another
-- database on the same server may have made it already.
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

-- Row-level security, the second wall: a row is seen by its own account, or by work over all accounts
-- ('*'). Asked once per statement, not per row: comparing every row's id as text was half the cost of a
-- read.
create function seen_account() returns uuid
language sql stable parallel safe
return nullif(nullif(current_setting('app.account', true), '*'), '')::uuid;

create function sees_all() returns boolean
language sql stable parallel safe
return coalesce(current_setting('app.account', true) = '*', false);

-- The smallest UUIDv7 of an instant: a time range is an id range.
create function uuid_floor(p_at timestamptz) returns uuid
language sql immutable parallel safe
return (
  lpad(to_hex(floor(extract(epoch from p_at) * 1000)::bigint), 12, '0') || '70008000000000000000'
)::uuid;

-- A tenant table: row-level security on, and the application may read and write an account's own rows.
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

-- A table that only work over all accounts sees: looked up across accounts by nature.
create procedure all_accounts_table(p_table text, p_rights text) language plpgsql as $$
begin
  execute format('alter table %I enable row level security', p_table);
  execute format(
    'create policy all_accounts on %I using (current_setting(''app.account'', true) = ''*'')', p_table
  );
  execute format('grant %s on %I to kabari_app', p_rights, p_table);
end
$$;

-- Fixed-window counters for limits that must hold on every node and fail closed.
create table limit_counters (
  scope        text not null,
  subject      text not null,
  window_start timestamptz not null,
  hits         int not null,
  primary key (scope, subject, window_start)
);
grant select, insert, update, delete on limit_counters to kabari_app;

-- The first answer to a repeated `key`, sealed; kept 24 hours.
create table act_answers (
  person      text not null,
  key         uuid not null,
  act         text not null,
  input_hash  bytea not null,
  status      int,
  sealed      bytea,
  created_at  timestamptz not null default clock_timestamp(),
  primary key (person, key)
);
create index act_answers_by_age on act_answers (created_at);
grant select, insert, update, delete on act_answers to kabari_app;

-- Append-only, but for addresses and facts while an account is erased (deny_but_blanking).
create table audit_log (
  account_id  uuid not null,
  audit_id    uuid not null,
  at          timestamptz not null default clock_timestamp(),
  actor       text not null,
  act         text not null,
  outcome     text not null,
  ip          text not null,
  request     text not null,
  facts       jsonb not null default '{}',
  primary key (account_id, audit_id)
);
-- Lines of people who were not signed in, whose addresses are still there.
create index audit_log_strangers on audit_log (audit_id)
  where account_id = '00000000-0000-0000-0000-000000000000' and ip <> '';
call tenant_table('audit_log', 'select, insert');

-- Made once per installation: peppers and signing keys, sealed where they can be.
create table installation_secrets (
  name   text primary key,
  value  bytea not null
);
grant select, insert on installation_secrets to kabari_app;
