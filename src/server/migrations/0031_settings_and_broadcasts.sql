-- Settings that operators change while it runs, as they were written; the newest version of a name counts,
-- and null means what the environment says. Nothing here is ever changed or deleted: it is also the history.
create table settings (
  name     text not null,
  version  int not null check (version > 0),
  value    text,
  set_by   uuid not null,
  set_at   timestamptz not null,
  reason   text not null,
  primary key (name, version)
);
call all_accounts_table('settings', 'select, insert');

-- What operators tell customers.
create table broadcasts (
  broadcast_id  uuid primary key,
  -- The browser's idempotency key: the same key twice is one.
  request_key   uuid not null,
  title         text not null,
  body          text not null,
  tone          text not null check (tone in ('info', 'warning')),
  audience      text not null check (audience in ('all', 'linked', 'plan')),
  plan          text,
  from_at       timestamptz not null,
  until_at      timestamptz not null check (until_at > from_at),
  by_push       boolean not null,
  by_message    boolean not null,
  created_by    uuid not null,
  created_at    timestamptz not null,
  changed_by    uuid not null,
  changed_at    timestamptz not null,
  stopped_by    uuid,
  stopped_at    timestamptz,
  -- Who gets it is written down account by account, up to this one; ready when all are.
  queued_to     uuid not null default '00000000-0000-0000-0000-000000000000',
  ready_at      timestamptz,
  constraint broadcast_asked_once unique (request_key),
  constraint plan_is_named check ((audience = 'plan') = (plan is not null)),
  constraint stop_is_whole check ((stopped_by is null) = (stopped_at is null))
);
create index broadcasts_by_end on broadcasts (until_at);
call all_accounts_table('broadcasts', 'select, insert, update');

-- Who has closed which, on all their browsers.
create table broadcast_reads (
  account_id    uuid not null references accounts,
  user_id       uuid not null,
  broadcast_id  uuid not null,
  read_at       timestamptz not null,
  primary key (account_id, user_id, broadcast_id)
);
create index broadcast_reads_by_broadcast on broadcast_reads (broadcast_id);
call tenant_table('broadcast_reads', 'select, insert, delete');

-- Who is told of which: browsers are, in the transaction that says so; the message's key is the broadcast.
create table broadcast_deliveries (
  account_id    uuid not null references accounts,
  broadcast_id  uuid not null references broadcasts,
  user_id       uuid not null,
  next_at       timestamptz not null,
  tries         int not null default 0,
  pushed_at     timestamptz,
  -- Nothing is left to do.
  ended_at      timestamptz,
  -- What became of the message, where one is sent.
  outcome       text check (outcome in ('sent', 'opted_out', 'failed', 'stopped')),
  primary key (account_id, broadcast_id, user_id)
);
create index broadcast_deliveries_due on broadcast_deliveries (next_at) where ended_at is null;
create index broadcast_deliveries_by_broadcast on broadcast_deliveries (broadcast_id);
call all_accounts_table('broadcast_deliveries', 'select, insert, update, delete');
