-- What waits to leave, the lanes it leaves by, and receipts that came before their message was known.

-- The dispatch queue: small, so that the big table's updates stay cheap.
create table dispatch (
  account_id    uuid not null,
  message_id    uuid not null,
  token_id      uuid not null,
  -- 0 otp, 1 normal, 2 bulk
  priority      smallint not null,
  peer          text not null,
  -- ready: may leave; sending: handed to the channel under `epoch`; unknown: no answer came, a
  -- receipt is awaited until ready_at.
  state         text not null default 'ready' check (state in ('ready', 'sending', 'unknown')),
  ready_at      timestamptz not null,
  expires_at    timestamptz,
  attempt       int not null default 0,
  unknowns      int not null default 0,
  epoch         bigint,
  -- When its last try began.
  tried_at      timestamptz,
  -- Set as soon as a try may have left without an answer: until then a receipt is awaited. It stays set
  -- from there on, for what may have left once may always have. Null: it certainly has not left.
  unsure_until  timestamptz,
  -- The known end of its last try, which waits to be settled. Null: none is known.
  outcome       text check (outcome in ('sent', 'failed', 'expired')),
  failure       text,
  outcome_at    timestamptz,
  -- A text that must not rest in `messages`; gone with the row.
  secret        text,
  primary key (account_id, message_id),
  constraint outcome_has_time check ((outcome is null) = (outcome_at is null))
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);
create index dispatch_lane on dispatch (account_id, token_id, priority, message_id);
create index dispatch_expiry on dispatch (expires_at) where expires_at is not null;
create index dispatch_conversation on dispatch (account_id, token_id, peer, message_id);
call tenant_table('dispatch', 'select');

-- A lane is owned by one worker at a time: by the database's clock, fenced by `epoch`.
create table lanes (
  account_id   uuid not null,
  token_id     uuid not null,
  owner        uuid,
  epoch        bigint not null default 0,
  lease_until  timestamptz,
  -- The earliest work, null when there is none. `wakes` grows with every wake-up, so that a worker
  -- can tell that nothing came while it was closing the lane.
  ready_at     timestamptz,
  wakes        bigint not null default 0,
  primary key (account_id, token_id),
  foreign key (account_id, token_id) references tokens
) with (fillfactor = 50);
create index lanes_due on lanes (ready_at) where ready_at is not null;
call tenant_table('lanes');

-- Receipts for messages we do not know yet; tried again for a day.
create table parked_receipts (
  account_id  uuid not null,
  message_id  uuid not null,
  status      text not null,
  failure     text,
  at          timestamptz not null,
  parked_at   timestamptz not null default clock_timestamp(),
  primary key (account_id, message_id, status)
);
call tenant_table('parked_receipts');
