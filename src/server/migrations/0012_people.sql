-- Who people are, from which browsers they sign in, and how they prove it.

alter table users
  add column email         text,
  add column avatar_file   uuid,
  -- What the person chose; what is not in it has its default.
  add column settings      jsonb not null default '{}',
  -- Null until the first sign-in: the operator's printed password works once without a code.
  add column signed_in_at  timestamptz;
update users u set signed_in_at = (
  select min(created_at) from sessions s where (s.account_id, s.user_id) = (u.account_id, u.user_id)
);

alter table accounts
  -- Asked for by its owner: erased from then on, unless it is called off before.
  add column erase_at   timestamptz,
  add column erased_at  timestamptz;

-- A session belongs to the browser it began in (its cookie's hash; null for portals served elsewhere,
-- which have no cookie), and remembers when its person last gave the password.
alter table sessions
  add column device_hash  bytea,
  add column proved_at    timestamptz not null default clock_timestamp();
update sessions set proved_at = created_at;

-- The browsers a person has signed in from with a code.
create table known_devices (
  account_id   uuid not null,
  user_id      uuid not null,
  device_hash  bytea not null,
  seen_at      timestamptz not null default clock_timestamp(),
  primary key (account_id, user_id, device_hash)
);
call tenant_table('known_devices');

alter table otp_challenges
  drop constraint otp_challenges_purpose_check,
  add constraint otp_challenges_purpose_check check (
    purpose in ('register', 'login', 'forgot', 'phone_old', 'phone_new', 'delete')
  ),
  -- Whose code it is; null for strangers.
  add column account_id   uuid,
  add column user_id      uuid,
  -- The browser that asked: it gets the same code's challenge again when it asks again.
  add column device_hash  bytea;
create index otp_challenges_by_phone on otp_challenges (phone, created_at);
create index otp_challenges_by_user on otp_challenges (account_id, user_id)
  where account_id is not null;

-- A right code for a forgotten password is worth one change of it, for ten minutes.
create table password_grants (
  grant_hash  bytea primary key,
  account_id  uuid not null,
  user_id     uuid not null,
  expires_at  timestamptz not null
);
grant select, insert, delete on password_grants to kabari_app;
