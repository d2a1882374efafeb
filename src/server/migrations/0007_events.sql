-- Events: written with what made them true (outbox), published in order (events).

-- What others must be notified of, written in the transaction that made it true. One row may stand for a batch.
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
  -- An event that cannot be published is set aside, and tried again later: it holds up nobody else's.
  tries       int not null default 0,
  retry_at    timestamptz,
  primary key (account_id, outbox_id)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);
create index outbox_in_order on outbox (at);
call tenant_table('outbox');

create table event_positions (
  account_id  uuid primary key,
  last        bigint not null
) with (fillfactor = 50);
call tenant_table('event_positions');

-- What was published, by the one relay: the live stream and the pull feed read this; kept 30 days.
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
