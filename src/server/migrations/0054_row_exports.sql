-- Rows that an account takes along as a file: asked for, made by a worker under a lease, kept for a day.
create table row_exports (
  account_id   uuid not null references accounts,
  -- Its time is that of the request: what came after it is not in the file.
  export_id    uuid not null,
  user_id      uuid not null,
  kind         text not null check (kind in ('messages', 'campaign')),
  -- Which rows, as they were asked for.
  params       jsonb not null,
  format       text not null check (format in ('csv', 'xlsx')),
  timezone     text not null,
  -- empty: nothing matched, so there is no file.
  status       text not null default 'waiting'
                 check (status in ('waiting', 'working', 'ready', 'empty', 'failed')),
  progress     int not null default 0 check (progress between 0 and 100),
  tries        int not null default 0,
  -- The attempt that is under way, or made it: it names the file.
  owner        uuid,
  lease_until  timestamptz,
  rows         bigint,
  size_bytes   bigint,
  created_at   timestamptz not null default clock_timestamp(),
  expires_at   timestamptz,
  primary key (account_id, export_id),
  constraint ready_has_file check (
    status <> 'ready'
      or (owner is not null and rows is not null and size_bytes is not null and expires_at is not null)
  )
);
-- What workers look for: few at any time.
create index row_exports_under_way on row_exports (created_at) where status in ('waiting', 'working');
create index row_exports_by_age on row_exports (created_at);
call tenant_table('row_exports');
