-- WhatsApp Web: sessions of numbers that an unofficial client holds (docs/decisions/052-whatsapp-web.md).

-- For whom the network is asked for a pairing code: the number that its owner typed with the consent.
alter table links add column pairing_phone text;

-- A session with the network. It begins with a link, has that link's id, and belongs to one worker at a time.
create table web_sessions (
  account_id       uuid not null,
  session_id       uuid not null,
  token_id         uuid not null,
  -- linking: its QR is shown; paired: a phone has read it; linked: it is the token's session; ended: another one is,
  -- and this one is still to be logged out.
  state            text not null default 'linking' check (state in ('linking', 'paired', 'linked', 'ended')),
  -- The identity and secrets of the session, sealed.
  creds            bytea,
  -- What /scan shows, sealed.
  qr               bytea,
  qr_expires_at    timestamptz,
  pairing_code     bytea,
  -- The worker that holds it: only with its epoch is anything written.
  owner            uuid,
  epoch            bigint not null default 0,
  lease_until      timestamptz,
  -- When the network last brought something.
  last_seen_at     timestamptz,
  created_at       timestamptz not null default clock_timestamp(),
  primary key (account_id, session_id),
  foreign key (account_id, token_id) references tokens
) with (fillfactor = 70);
call tenant_table('web_sessions');
create index web_sessions_by_token on web_sessions (account_id, token_id);
create unique index web_sessions_linked on web_sessions (account_id, token_id) where state = 'linked';

-- The keys of a session's encryption, each sealed.
create table web_keys (
  account_id  uuid not null,
  session_id  uuid not null,
  type        text not null,
  id          text not null,
  value       bytea not null,
  primary key (account_id, session_id, type, id),
  foreign key (account_id, session_id) references web_sessions on delete cascade
);
call tenant_table('web_keys');

-- Since when a token has a number: a young number begins slowly.
create table web_numbers (
  account_id       uuid not null,
  token_id         uuid not null,
  phone            text not null,
  first_linked_at  timestamptz not null default clock_timestamp(),
  primary key (account_id, token_id, phone),
  foreign key (account_id, token_id) references tokens
);
call tenant_table('web_numbers');

-- With whom a token's number has a chat: the first message to anybody else begins a new one.
create table web_chats (
  account_id         uuid not null,
  token_id           uuid not null,
  peer               text not null,
  -- When we began it; null: they did.
  begun_at           timestamptz,
  first_received_at  timestamptz,
  primary key (account_id, token_id, peer),
  foreign key (account_id, token_id) references tokens
);
call tenant_table('web_chats');
create index web_chats_begun on web_chats (account_id, token_id, begun_at) where begun_at is not null;

-- What was sent, by its id in the network. The content is sealed and goes after three days: until then a phone that
-- could not read it is sent it again.
create table web_sent (
  account_id       uuid not null,
  message_id       uuid not null,
  token_id         uuid not null,
  wire_id          text not null,
  content          bytea,
  acknowledged_at  timestamptz,
  sent_at          timestamptz not null default clock_timestamp(),
  primary key (account_id, message_id),
  foreign key (account_id, token_id) references tokens
) with (fillfactor = 80);
call tenant_table('web_sent');
create unique index web_sent_by_wire_id on web_sent (account_id, token_id, wire_id);
create index web_sent_by_age on web_sent using brin (sent_at);

-- What came in and could not be stored yet: its sender's number is not known, or something was away. Sealed.
create table web_inbox (
  account_id   uuid not null,
  token_id     uuid not null,
  item_id      text not null,
  item         bytea not null,
  tries        int not null default 0,
  due_at       timestamptz not null default clock_timestamp(),
  received_at  timestamptz not null default clock_timestamp(),
  primary key (account_id, token_id, item_id),
  foreign key (account_id, token_id) references tokens
);
call tenant_table('web_inbox');

-- Links that a channel shows QRs for.
create index links_waiting on links (consent_at) where state = 'waiting' and consent_at is not null;
