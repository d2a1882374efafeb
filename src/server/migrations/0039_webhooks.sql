-- Customers' webhooks: where events of a token go, what of them waits, and every try.

-- One per token. `position` is up to where the account's events were taken.
create table webhooks (
  account_id       uuid not null references accounts,
  webhook_id       uuid not null,
  token_id         uuid not null,
  url              text not null,
  format           text not null check (format in ('kabari', 'cloud', 'fonnte', 'wablas')),
  -- Which events are sent; null: all, those of later versions too.
  kinds            text[],
  -- Sealed. The secret from before signs too until its end.
  secret           bytea not null,
  secret_hint      text not null,
  previous_secret  bytea,
  previous_until   timestamptz,
  state            text not null check (state in ('on', 'off')),
  off_reason       text check (off_reason in ('unconfirmed', 'owner', 'gone', 'failing')),
  -- Its owner is still to be told by message that it was switched off.
  notice_due       boolean not null default false,
  position         bigint not null,
  -- Failures in a row; after some it is tried one at a time, not before `paused_until`.
  failures         int not null default 0,
  failing_since    timestamptz,
  paused_until     timestamptz,
  -- It was too late with an answer a while ago: until then it gets few slots.
  slow_until       timestamptz,
  -- When there is something to send next; null while nothing may be sent.
  due_at           timestamptz,
  created_at       timestamptz not null,
  changed_at       timestamptz not null,
  primary key (account_id, webhook_id),
  unique (account_id, token_id),
  foreign key (account_id, token_id) references tokens,
  constraint webhook_off check ((state = 'off') = (off_reason is not null))
) with (fillfactor = 50);
create unique index webhooks_by_id on webhooks (webhook_id);
create index webhooks_due on webhooks (due_at) where due_at is not null;
create index webhooks_notices on webhooks (webhook_id) where notice_due;
call tenant_table('webhooks');

-- A conversation of a webhook (or, as '', what is of no conversation) of which something waits: one at a time.
-- A claimed one belongs to a worker until `leased_until`, by the database's clock.
create table webhook_lanes (
  account_id    uuid not null,
  webhook_id    uuid not null,
  lane          text not null,
  due_at        timestamptz not null,
  claim         uuid,
  claimed_at    timestamptz,
  leased_until  timestamptz,
  primary key (account_id, webhook_id, lane),
  constraint webhook_lane_leased check ((claim is null) = (leased_until is null))
) with (fillfactor = 70);
create index webhook_lanes_ready on webhook_lanes (account_id, webhook_id, due_at) where claim is null;
create index webhook_lanes_leased on webhook_lanes (account_id, webhook_id) where claim is not null;
create index webhook_lanes_leases on webhook_lanes (leased_until) where claim is not null;
call tenant_table('webhook_lanes');

-- An event on its way to a webhook: what it says is read from the event whenever it is sent.
create table webhook_deliveries (
  account_id   uuid not null,
  webhook_id   uuid not null,
  -- The event's.
  position     bigint not null,
  delivery_id  uuid not null,
  type         text not null,
  lane         text not null,
  at           timestamptz not null,
  state        text not null default 'waiting' check (state in ('waiting', 'delivered', 'parked', 'skipped')),
  -- Since it was last begun, and in all.
  tries        int not null default 0,
  attempts     int not null default 0,
  due_at       timestamptz,
  last_status  int,
  last_error   text,
  ended_at     timestamptz,
  primary key (account_id, webhook_id, position),
  unique (account_id, delivery_id),
  constraint delivery_ended check ((state = 'waiting') = (ended_at is null))
) with (fillfactor = 80);
create index webhook_deliveries_waiting on webhook_deliveries (account_id, webhook_id, lane, position)
  where state = 'waiting';
create index webhook_deliveries_parked on webhook_deliveries (account_id, webhook_id, position)
  where state = 'parked';
create index webhook_deliveries_by_age on webhook_deliveries using brin (at);
call tenant_table('webhook_deliveries');

create table webhook_attempts (
  account_id   uuid not null,
  delivery_id  uuid not null,
  n            int not null,
  at           timestamptz not null,
  ms           int not null,
  status       int,
  error        text,
  -- As they were sent, the signature too; never a secret.
  headers      jsonb not null,
  -- The first printable characters.
  answer       text not null,
  primary key (account_id, delivery_id, n)
);
create index webhook_attempts_by_age on webhook_attempts using brin (at);
call tenant_table('webhook_attempts');
