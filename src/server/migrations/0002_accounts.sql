create table accounts (
  account_id  uuid primary key,
  name        text not null,
  status      text not null default 'active' check (status in ('active', 'suspended', 'closed')),
  -- The installation's own account: the operator's users and the token that sends OTPs.
  is_system   boolean not null default false,
  created_at  timestamptz not null default clock_timestamp()
);
call tenant_table('accounts');

create table users (
  account_id     uuid not null references accounts,
  user_id        uuid not null,
  name           text not null,
  phone          text not null,
  password_hash  text not null,
  role           text not null check (role in ('customer', 'operator')),
  timezone       text not null default 'Asia/Jakarta',
  created_at     timestamptz not null default clock_timestamp(),
  primary key (account_id, user_id)
);
call tenant_table('users');

-- Looked up globally: whose phone is this.
create table user_phones (
  phone       text primary key,
  account_id  uuid not null,
  user_id     uuid not null
);
grant select, insert, update, delete on user_phones to kabari_app;

-- Looked up globally, by the hash of the token: nothing but the hash is stored.
create table sessions (
  token_hash    bytea primary key,
  session_id    uuid not null unique,
  account_id    uuid not null,
  user_id       uuid not null,
  agent         text not null,
  ip            text not null,
  created_at    timestamptz not null default clock_timestamp(),
  last_used_at  timestamptz not null default clock_timestamp(),
  revoked_at    timestamptz
);
create index sessions_by_user on sessions (account_id, user_id);
grant select, insert, update, delete on sessions to kabari_app;

-- One code on its way. The code is an HMAC over challenge and code; the pending person waits here.
create table otp_challenges (
  challenge_id    uuid primary key,
  purpose         text not null check (purpose in ('register')),
  phone           text not null,
  code_hmac       bytea,
  -- null when the number is taken: the same answer goes out, no code can ever fit.
  pending         jsonb,
  tries_left      int not null default 5,
  sends           int not null default 1,
  next_send_at    timestamptz not null,
  expires_at      timestamptz not null,
  created_at      timestamptz not null default clock_timestamp()
);
grant select, insert, update, delete on otp_challenges to kabari_app;

-- Fixed-window counters for limits that must hold on every node and fail closed.
create table limit_counters (
  scope        text not null,
  subject      text not null,
  window_start timestamptz not null,
  hits         int not null,
  primary key (scope, subject, window_start)
);
grant select, insert, update, delete on limit_counters to kabari_app;

-- A solved captcha works once.
create table captchas_used (
  challenge   text primary key,
  expires_at  timestamptz not null
);
grant select, insert, delete on captchas_used to kabari_app;

-- The first answer to a repeated `key`, sealed; kept 24 hours (docs/wire.md#keys).
create table act_answers (
  person      text not null,
  key         uuid not null,
  act         text not null,
  input_hash  bytea not null,
  status      int,
  sealed      bytea,
  created_at  timestamptz not null default clock_timestamp(),
  primary key (person, key)
);
create index act_answers_by_age on act_answers (created_at);
grant select, insert, update, delete on act_answers to kabari_app;

create table audit_log (
  account_id  uuid not null,
  audit_id    uuid not null,
  at          timestamptz not null default clock_timestamp(),
  actor       text not null,
  act         text not null,
  outcome     text not null,
  ip          text not null,
  request     text not null,
  facts       jsonb not null default '{}',
  primary key (account_id, audit_id)
);
create trigger audit_log_append_only before update or delete on audit_log
  for each row execute function deny();
call tenant_table('audit_log', 'select, insert');

-- Made once per installation: peppers and signing keys, sealed where they can be.
create table house_secrets (
  name   text primary key,
  value  bytea not null
);
grant select, insert on house_secrets to kabari_app;
