-- Notices to browsers (Web Push). Global look-ups, as sessions are: by token, by endpoint.

-- A browser that takes notices. Of its token nothing is stored but the hash; where it is reached, and
-- the keys for it, are sealed. One endpoint belongs to one person: whoever registered it last.
create table push_subscriptions (
  subscription_id  uuid primary key,
  token_hash       bytea not null unique,
  endpoint_hash    bytea not null unique,
  -- Whose push service it is: `fcm.googleapis.com`, `*.push.apple.com`, or a listed origin.
  service          text not null,
  sealed           bytea not null,
  account_id       uuid not null,
  user_id          uuid not null,
  session_id       uuid not null references sessions (session_id) on delete cascade,
  created_at       timestamptz not null default clock_timestamp(),
  refreshed_at     timestamptz not null default clock_timestamp()
);
create index push_subscriptions_by_user on push_subscriptions (account_id, user_id);
create index push_subscriptions_by_session on push_subscriptions (session_id);
grant select, insert, update, delete on push_subscriptions to kabari_app;

-- Notices on their way, in the order of their messages for each browser. Whoever sends one owns it
-- until `ready_at`, and its result counts only while `attempt` is still theirs.
create table push_queue (
  subscription_id  uuid not null references push_subscriptions on delete cascade,
  message_id       uuid not null,
  account_id       uuid not null,
  token_id         uuid not null,
  peer             text not null,
  peer_name        text,
  service          text not null,
  -- True once the service found it too large: it goes again without its text.
  bare             boolean not null default false,
  attempt          int not null default 0,
  ready_at         timestamptz not null default clock_timestamp(),
  expires_at       timestamptz not null default clock_timestamp() + interval '1 hour',
  primary key (subscription_id, message_id)
);
create index push_queue_by_ready on push_queue (ready_at);
create index push_queue_by_expiry on push_queue (expires_at);
grant select, insert, update, delete on push_queue to kabari_app;
