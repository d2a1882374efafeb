-- Accounts, the people of an account, how they sign in and prove who they are, and how an account ends.

create table accounts (
  account_id           uuid primary key,
  name                 text not null,
  status               text not null default 'active' check (status in ('active', 'suspended', 'closed')),
  -- The installation's own account: the operator's users and the token that sends OTPs.
  is_system            boolean not null default false,
  created_at           timestamptz not null default clock_timestamp(),
  -- Asked for by its owner: erased from then on, unless it is called off before.
  erase_at             timestamptz,
  -- From here on nothing of it works; what it held is erased from a minute later on.
  closed_at            timestamptz,
  erased_at            timestamptz,
  -- When its owner was notified that it is done.
  erasure_notified_at  timestamptz,
  -- Who sets a password by code, or changes the number, may be somebody else: for a day the account makes
  -- no new API key. When the day began, and by what; the latest time counts.
  cooling_since        timestamptz,
  cooling_cause        text check (cooling_cause in ('password_reset', 'phone_changed')),
  constraint cooling_has_cause check ((cooling_since is null) = (cooling_cause is null))
);
create index accounts_to_erase on accounts (erase_at)
  where erase_at is not null and erased_at is null;
call tenant_table('accounts');

create table users (
  account_id     uuid not null references accounts,
  user_id        uuid not null,
  name           text not null,
  phone          text not null,
  email          text,
  avatar_file    uuid,
  password_hash  text not null,
  role           text not null check (role in ('customer', 'operator')),
  timezone       text not null default 'Asia/Jakarta',
  -- What the person chose; what is not in it has its default.
  settings       jsonb not null default '{}',
  created_at     timestamptz not null default clock_timestamp(),
  -- Null until the first sign-in: the operator's printed password works once without a code.
  signed_in_at   timestamptz,
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

-- Numbers that people had before: what the installation wrote to them is erased with their account.
create table former_phones (
  account_id  uuid not null,
  phone       text not null,
  left_at     timestamptz not null default clock_timestamp(),
  primary key (account_id, phone)
);
create index former_phones_by_phone on former_phones (phone);
call tenant_table('former_phones', 'select, insert, delete');

-- Numbers whose account was erased, as a keyed hash: the welcome bonus is given once. No account is named,
-- and without the installation's secrets no number can be told from it.
create table erased_account_phones (phone_hmac bytea primary key);
grant select, insert on erased_account_phones to kabari_app;

-- Looked up globally, by the hash of the token: nothing but the hash is stored.
create table sessions (
  token_hash         bytea primary key,
  session_id         uuid not null unique,
  account_id         uuid not null,
  user_id            uuid not null,
  -- The browser it began in, by its cookie's hash; null for portals served elsewhere, which have no cookie.
  device_hash        bytea,
  agent              text not null,
  ip                 text not null,
  created_at         timestamptz not null default clock_timestamp(),
  last_used_at       timestamptz not null default clock_timestamp(),
  -- When its person last gave the password.
  reauth_at          timestamptz not null default clock_timestamp(),
  -- A session's token may be copied to another browser: there it reads, and changes nothing that lasts
  -- until the password was given there. The latest such browser, and when that was.
  other_device_hash  bytea,
  other_reauth_at    timestamptz,
  revoked_at         timestamptz,
  constraint other_browser_gave_password
    check ((other_device_hash is null) = (other_reauth_at is null))
);
create index sessions_by_user on sessions (account_id, user_id);
create index sessions_by_device on sessions (device_hash) where device_hash is not null;
grant select, insert, update, delete on sessions to kabari_app;

-- The browsers a person has signed in from with a code.
create table known_devices (
  account_id   uuid not null,
  user_id      uuid not null,
  device_hash  bytea not null,
  seen_at      timestamptz not null default clock_timestamp(),
  primary key (account_id, user_id, device_hash)
);
call tenant_table('known_devices');

-- One code on its way. The code is an HMAC over challenge and code; the pending person waits here.
create table otp_challenges (
  challenge_id    uuid primary key,
  purpose         text not null check (
    purpose in ('register', 'login', 'forgot', 'phone_old', 'phone_new', 'delete')
  ),
  phone           text not null,
  -- Whose code it is; null for strangers.
  account_id      uuid,
  user_id         uuid,
  -- The browser that asked: it gets the same code's challenge again when it asks again.
  device_hash     bytea,
  code_hmac       bytea,
  -- null when the number is taken: the same answer goes out, no code can ever fit.
  pending         jsonb,
  tries_left      int not null default 5,
  sends           int not null default 1,
  next_send_at    timestamptz not null,
  expires_at      timestamptz not null,
  created_at      timestamptz not null default clock_timestamp()
);
create index otp_challenges_by_phone on otp_challenges (phone, created_at);
create index otp_challenges_by_user on otp_challenges (account_id, user_id)
  where account_id is not null;
grant select, insert, update, delete on otp_challenges to kabari_app;

-- A right code for a forgotten password is worth one change of it, for ten minutes.
create table password_grants (
  grant_hash  bytea primary key,
  account_id  uuid not null,
  user_id     uuid not null,
  expires_at  timestamptz not null
);
grant select, insert, delete on password_grants to kabari_app;

-- A solved captcha works once.
create table captchas_used (
  challenge   text primary key,
  expires_at  timestamptz not null
);
grant select, insert, delete on captchas_used to kabari_app;

-- Archives of what an account holds: asked for, made by a worker under a lease, kept for a day.
create table exports (
  account_id   uuid not null references accounts,
  export_id    uuid not null,
  -- Who asked, and is notified when it is ready.
  user_id      uuid not null,
  status       text not null default 'waiting'
                 check (status in ('waiting', 'working', 'ready', 'failed', 'expired')),
  progress     int not null default 0 check (progress between 0 and 100),
  tries        int not null default 0,
  -- The try that is under way, or made it: it names the archive's file.
  owner        uuid,
  lease_until  timestamptz,
  size_bytes   bigint,
  created_at   timestamptz not null default clock_timestamp(),
  expires_at   timestamptz,
  notified_at  timestamptz,
  primary key (account_id, export_id),
  constraint ready_has_archive check (
    status <> 'ready' or (owner is not null and size_bytes is not null and expires_at is not null)
  )
);
create unique index exports_one_at_a_time on exports (account_id)
  where status in ('waiting', 'working');
create index exports_to_notify on exports (created_at) where status = 'ready' and notified_at is null;
create index exports_by_expiry on exports (expires_at) where status = 'ready';
call tenant_table('exports');
