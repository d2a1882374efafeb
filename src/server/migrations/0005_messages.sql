-- Messages, their timelines and counts, what makes a request safe to repeat, who takes no more of them,
-- and conversations.

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
  -- waived: given back by mistake, and the saldo no longer held the price: the installation bears it.
  charge_state        text check (charge_state in ('held', 'captured', 'released', 'waived')),
  hold_seq            bigint,
  settle_seq          bigint,
  -- The entry that charged the price again, after it had been given back by mistake.
  correct_seq         bigint,
  ref                 text,
  failure             text,
  possible_duplicate  boolean not null default false,
  expires_at          timestamptz,
  created_at          timestamptz not null,
  primary key (account_id, message_id),
  constraint held_when_priced check ((price > 0) = (hold_seq is not null)),
  constraint settled_after_held check (settle_seq is null or settle_seq > hold_seq),
  constraint corrected_after_settled check (correct_seq is null or correct_seq > settle_seq)
) partition by range (message_id);
-- No index on what changes (status, charge_state, settle_seq): those updates stay HOT.
create index messages_by_peer on messages (account_id, peer text_pattern_ops, message_id);
create index messages_by_token on messages (account_id, token_id, message_id);
create index messages_by_hold on messages (account_id, hold_seq) where hold_seq is not null;
create index messages_by_correction on messages (account_id, correct_seq) where correct_seq is not null;
-- Rows that are few among many, by what never changes.
create index messages_received on messages (account_id, message_id) where direction = 'in';
create index messages_by_type on messages (account_id, type, message_id) where type <> 'text';
call tenant_table('messages', 'select');

-- The months around the first start; later ones are made ahead by ensure_message_partitions.
create table messages_other partition of messages default with (fillfactor = 80);
do $$
declare
  v_month timestamp := date_trunc('month', (now() - interval '1 month') at time zone 'UTC');
begin
  for i in 0..4 loop
    execute format(
      'create table %I partition of messages for values from (%L) to (%L) with (fillfactor = 80)',
      'messages_' || to_char(v_month, 'YYYYMM'),
      uuid_floor(v_month at time zone 'UTC'),
      uuid_floor((v_month + interval '1 month') at time zone 'UTC')
    );
    v_month := v_month + interval '1 month';
  end loop;
end
$$;

-- The timeline, append-only (but while an account is erased). `n` tells tries apart; a receipt that comes twice is one row.
create table message_events (
  account_id  uuid not null,
  message_id  uuid not null,
  kind        text not null,
  n           int not null default 0,
  at          timestamptz not null default clock_timestamp(),
  detail      text,
  primary key (account_id, message_id, kind, n)
);
call tenant_table('message_events', 'select');

-- Idempotency-Key → the whole reply; kept 30 days.
create table request_keys (
  account_id      uuid not null,
  token_id        uuid not null,
  key             text not null,
  hash            bytea not null,
  message_ids     uuid[] not null,
  -- null: every item was accepted. Else an outcome per item.
  outcomes        jsonb,
  -- What the first answer was written from beside its results: the hour, the price, the language, what was
  -- refused before the items were placed.
  answer_context  jsonb,
  saldo           bigint not null,
  created_at      timestamptz not null default clock_timestamp(),
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

-- Accepted per token and WIB day; counted when messages are accepted, under the wallet's lock.
create table token_days (
  account_id  uuid not null,
  token_id    uuid not null,
  day         date not null,
  accepted    int not null,
  primary key (account_id, token_id, day)
) with (fillfactor = 50);
call tenant_table('token_days', 'select');

-- Who asked to receive nothing more from a token.
create table optouts (
  account_id  uuid not null,
  token_id    uuid not null,
  peer        text not null,
  created_at  timestamptz not null default clock_timestamp(),
  primary key (account_id, token_id, peer),
  foreign key (account_id, token_id) references tokens
);
call tenant_table('optouts');

create table conversations (
  account_id       uuid not null,
  token_id         uuid not null,
  peer             text not null,
  peer_name        text,
  -- The newest conversation_seq given.
  seq              bigint not null default 0,
  last_message_id  uuid not null,
  last_at          timestamptz not null,
  unread           int not null default 0,
  primary key (account_id, token_id, peer),
  foreign key (account_id, token_id) references tokens
) with (fillfactor = 70);
create index conversations_newest on conversations (account_id, last_at desc);
create index conversations_unread on conversations (account_id) where unread > 0;
-- The beginning of a number or of a name.
create index conversations_by_peer on conversations (account_id, peer text_pattern_ops);
create index conversations_by_name
  on conversations (account_id, lower(peer_name) text_pattern_ops) where peer_name is not null;
call tenant_table('conversations');

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
