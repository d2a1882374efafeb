-- Range-partitioned by month on the UUIDv7: a time range is an id range.
create table messages (
  account_id          uuid not null,
  message_id          uuid not null,
  token_id            uuid not null,
  peer                text not null,
  direction           text not null check (direction in ('out', 'in')),
  type                text not null,
  body                jsonb not null,
  status              text not null,
  price               bigint not null check (price >= 0),
  charge_state        text check (charge_state in ('held', 'captured', 'released')),
  hold_seq            bigint,
  settle_seq          bigint,
  ref                 text,
  failure             text,
  possible_duplicate  boolean not null default false,
  expires_at          timestamptz,
  created_at          timestamptz not null,
  primary key (account_id, message_id),
  constraint held_when_priced check ((price > 0) = (hold_seq is not null)),
  constraint settled_after_held check (settle_seq is null or settle_seq > hold_seq)
) partition by range (message_id);
-- No index on what changes (status, charge_state, settle_seq): those updates stay HOT.
create index messages_by_peer on messages (account_id, peer text_pattern_ops, message_id);
create index messages_by_token on messages (account_id, token_id, message_id);
create index messages_by_hold on messages (account_id, hold_seq) where hold_seq is not null;
call tenant_table('messages', 'select');

-- Makes the partitions of p_from's month and of the p_months after it; those that exist are left alone.
create function ensure_message_partitions(p_from timestamptz, p_months int) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  m timestamp := date_trunc('month', p_from at time zone 'UTC');
begin
  perform pg_advisory_xact_lock(hashtext('ensure_message_partitions'));
  for i in 0..p_months loop
    if to_regclass('messages_' || to_char(m, 'YYYYMM')) is null then
      execute format(
        'create table %I partition of messages for values from (%L) to (%L) with (fillfactor = 80)',
        'messages_' || to_char(m, 'YYYYMM'),
        uuid_floor(m at time zone 'UTC'),
        uuid_floor((m + interval '1 month') at time zone 'UTC')
      );
    end if;
    m := m + interval '1 month';
  end loop;
end
$$;
create table messages_other partition of messages default with (fillfactor = 80);
select ensure_message_partitions(now() - interval '1 month', 4);
revoke all on function ensure_message_partitions from public;
grant execute on function ensure_message_partitions to kabari_app;

-- The timeline, append-only. `n` tells tries apart; a receipt that comes twice is one row.
create table message_events (
  account_id  uuid not null,
  message_id  uuid not null,
  kind        text not null,
  n           int not null default 0,
  at          timestamptz not null default clock_timestamp(),
  detail      text,
  primary key (account_id, message_id, kind, n)
);
create trigger message_events_append_only before update or delete on message_events
  for each row execute function deny();
call tenant_table('message_events', 'select');

-- The dispatch queue: small, so that the big table's updates stay cheap.
create table dispatch (
  account_id  uuid not null,
  message_id  uuid not null,
  token_id    uuid not null,
  -- 0 otp, 1 normal, 2 bulk
  priority    smallint not null,
  peer        text not null,
  -- ready: may leave; sending: handed to the channel under `epoch`; unknown: no answer came, a
  -- receipt is awaited until ready_at.
  state       text not null default 'ready' check (state in ('ready', 'sending', 'unknown')),
  ready_at    timestamptz not null,
  expires_at  timestamptz,
  attempt     int not null default 0,
  unknowns    int not null default 0,
  epoch       bigint,
  -- A text that must not rest in `messages` (docs/wire.md#message-states); gone with the row.
  secret      text,
  primary key (account_id, message_id)
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

-- Counts by accept hour; kept by the statements that change a status. History arithmetic reads these.
create table rollups (
  account_id  uuid not null,
  hour        timestamptz not null,
  token_id    uuid not null,
  direction   text not null,
  status      text not null,
  type        text not null,
  messages    bigint not null,
  cost        bigint not null,
  primary key (account_id, hour, token_id, direction, status, type)
) with (fillfactor = 50);
call tenant_table('rollups', 'select');

-- The rollups summed up once more, per day and per month (WIB), so that the place of a page is found
-- by months, then days, then hours. Summing 79,000 rollups of 1,000,000 messages took 60 ms a page.
-- Kept beside every change of a rollup, in the same statement: a trigger per row cost the accept path more.
create table rollup_sums (
  account_id  uuid not null,
  grain       text not null check (grain in ('day', 'month')),
  since       date not null,
  token_id    uuid not null,
  direction   text not null,
  status      text not null,
  type        text not null,
  messages    bigint not null,
  primary key (account_id, grain, since, token_id, direction, status, type)
) with (fillfactor = 50);
call tenant_table('rollup_sums', 'select');

-- Idempotency-Key → the whole reply; kept 30 days.
create table request_keys (
  account_id   uuid not null,
  token_id     uuid not null,
  key          text not null,
  hash         bytea not null,
  message_ids  uuid[] not null,
  -- null: every item was accepted. Else an outcome per item.
  outcomes     jsonb,
  saldo        bigint not null,
  created_at   timestamptz not null default clock_timestamp(),
  primary key (account_id, token_id, key)
);
create index request_keys_by_age on request_keys (created_at);
call tenant_table('request_keys', 'select, delete');

-- The caller's own reference of a message, unique per account; kept 30 days.
create table message_refs (
  account_id  uuid not null,
  ref         text not null,
  message_id  uuid not null,
  hash        bytea not null,
  created_at  timestamptz not null default clock_timestamp(),
  primary key (account_id, ref)
);
create index message_refs_by_age on message_refs (created_at);
call tenant_table('message_refs', 'select, delete');

create table conversations (
  account_id       uuid not null,
  token_id         uuid not null,
  peer             text not null,
  peer_name        text,
  -- The newest conversation_seq given (docs/wire.md#live-stream).
  seq              bigint not null default 0,
  last_message_id  uuid not null,
  last_at          timestamptz not null,
  unread           int not null default 0,
  primary key (account_id, token_id, peer),
  foreign key (account_id, token_id) references tokens
) with (fillfactor = 70);
create index conversations_newest on conversations (account_id, last_at desc);
create index conversations_unread on conversations (account_id) where unread > 0;
call tenant_table('conversations');

-- What must be told, written in the transaction that made it true. One row may stand for a batch.
create table outbox (
  account_id  uuid not null,
  outbox_id   uuid not null,
  at          timestamptz not null default clock_timestamp(),
  kind        text not null,
  -- For messages: one entry per message, index by index.
  message_ids uuid[],
  token_ids   uuid[],
  peers       text[],
  statuses    text[],
  data        jsonb,
  primary key (account_id, outbox_id)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);
create index outbox_in_order on outbox (at);
call tenant_table('outbox', 'select, insert, delete');

create table event_positions (
  account_id  uuid primary key,
  last        bigint not null
) with (fillfactor = 50);
call tenant_table('event_positions');

-- What was told, by the one relay: the live stream and the pull feed read this; kept 30 days.
create table events (
  account_id        uuid not null,
  position          bigint not null,
  kind              text not null,
  message_id        uuid,
  conversation_seq  bigint,
  data              jsonb not null,
  at                timestamptz not null default clock_timestamp(),
  primary key (account_id, position)
);
create index events_by_age on events using brin (at);
call tenant_table('events');
