-- What people prove beside their password who they are with: authenticator apps (TOTP), passkeys, and codes
-- to fall back on.

-- When the session last gave a second factor; null for one that began without.
alter table sessions add column second_factor_at timestamptz;

create table second_factors (
  account_id     uuid not null,
  user_id        uuid not null,
  factor_id      uuid not null,
  kind           text not null check (kind in ('totp', 'passkey')),
  -- What its owner calls it; of an authenticator app ''.
  name           text not null,
  created_at     timestamptz not null default clock_timestamp(),
  used_at        timestamptz,
  -- Of an authenticator app: its secret, sealed, and the step of 30 s whose code was used last. A step's
  -- code works once, and no step before it works any more.
  secret         bytea,
  last_step      bigint,
  -- Of a passkey: what WebAuthn says of it.
  credential_id  bytea,
  public_key     bytea,
  counter        bigint,
  transports     text[],
  primary key (account_id, factor_id),
  foreign key (account_id, user_id) references users (account_id, user_id),
  constraint factor_has_its_shape check (
    case kind
      when 'totp' then secret is not null and last_step is not null
        and num_nonnulls(credential_id, public_key, counter, transports) = 0
      else num_nulls(credential_id, public_key, counter, transports) = 0
        and num_nonnulls(secret, last_step) = 0
    end
  )
);
create unique index second_factors_one_totp on second_factors (account_id, user_id)
  where kind = 'totp';
create unique index second_factors_one_credential
  on second_factors (account_id, user_id, credential_id) where kind = 'passkey';
call tenant_table('second_factors');

-- Ten a person, each good once. A keyed hash: 48 bits of chance must not be guessed from a copy.
create table recovery_codes (
  account_id  uuid not null,
  user_id     uuid not null,
  code_hmac   bytea not null,
  created_at  timestamptz not null default clock_timestamp(),
  used_at     timestamptz,
  primary key (account_id, user_id, code_hmac),
  foreign key (account_id, user_id) references users (account_id, user_id)
);
call tenant_table('recovery_codes');

-- One question for a second factor, or one factor that is being set up: for this browser, this person,
-- some minutes, and one right answer. Looked up by strangers, who have no account yet.
create table second_factor_challenges (
  challenge_id  uuid primary key,
  purpose       text not null check (purpose in ('sign_in', 'confirm', 'add_totp', 'add_passkey')),
  account_id    uuid not null,
  user_id       uuid not null,
  -- Within a session: that session's; null while somebody signs in.
  session_id    uuid,
  device_hash   bytea,
  -- WebAuthn's challenge, or the new secret of an authenticator app; sealed.
  value         bytea not null,
  tries_left    int not null default 5,
  created_at    timestamptz not null default clock_timestamp(),
  expires_at    timestamptz not null,
  constraint session_asks_within check ((session_id is null) = (purpose = 'sign_in'))
);
create index second_factor_challenges_by_user on second_factor_challenges (account_id, user_id);
call all_accounts_table('second_factor_challenges', 'select, insert, update, delete');
