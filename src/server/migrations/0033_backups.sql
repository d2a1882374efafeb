-- Every backup that was begun: the operator sees when the last one was made, and why one was not.
create table backups (
  backup_id    uuid primary key,
  started_at   timestamptz not null,
  -- Null while it is being made.
  finished_at  timestamptz,
  is_ok        boolean,
  bytes        bigint,
  path         text,
  -- Why it did not come about.
  problem      text,
  constraint finished_is_judged check ((finished_at is null) = (is_ok is null)),
  constraint failed_has_problem check (coalesce(not is_ok, false) = (problem is not null))
);
create index backups_by_start on backups (started_at);
call all_accounts_table('backups', 'select, insert, update, delete');
