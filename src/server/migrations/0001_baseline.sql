-- The schema of version 1.0.0. Later changes are new migrations (docs/contributing.md).
--
-- Functions and triggers are in files beside the code that calls them and are loaded after all migrations, so a
-- migration calls none of them. The functions created here are the exception: policies, constraints and partition
-- bounds need them.

grant usage on schema public to kabari_app;

-- Row-level security is the second check: a row is visible to its own account, and to work over all accounts. The
-- account is in `app.account`, or '*' for all. Work over all accounts has a role of its own, kabari_all, a member of
-- kabari_app: its policies have no condition that is read for each row, and where the database is distributed, a role
-- reaches other nodes while settings of the session do not.
create function seen_account() returns uuid
language sql stable parallel safe
return nullif(nullif(current_setting('app.account', true), '*'), '')::uuid;

-- Whether this is work over all accounts. Functions that run as the owner, who sees every row, check it themselves.
create function sees_all() returns boolean
language sql stable parallel safe
return coalesce(current_setting('app.account', true) = '*', false);

-- The smallest UUIDv7 of an instant: a time range is an id range.
create function uuid_floor(p_at timestamptz) returns uuid
language sql immutable parallel safe
return (
  lpad(to_hex(floor(extract(epoch from p_at) * 1000)::bigint), 12, '0') || '70008000000000000000'
)::uuid;

-- A tenant table: the application may read and write the rows of one account, or of all as kabari_all. The sub-selects
-- read the setting once per statement; without them a scan read it for each row and took six times as long. The second
-- one also keeps the planner from merging the policy with a query's own condition on account_id, which led it to read
-- whole tables where it had used an index.
create procedure tenant_table(
  p_table text, p_rights text default 'select, insert, update, delete'
)
language plpgsql as $$
begin
  execute format('alter table %I enable row level security', p_table);
  execute format(
    'create policy tenant on %1$I to kabari_app
      using (account_id = (select seen_account()) or (select sees_all()))
      with check (account_id = (select seen_account()) or (select sees_all()))', p_table
  );
  execute format('create policy every_account on %I to kabari_all using (true)', p_table);
  execute format('grant %s on %I to kabari_app', p_rights, p_table);
end
$$;

-- A table that only work over all accounts sees.
create procedure all_accounts_table(p_table text, p_rights text) language plpgsql as $$
begin
  execute format('alter table %I enable row level security', p_table);
  execute format('create policy every_account on %I to kabari_all using (true)', p_table);
  execute format('grant %s on %I to kabari_app', p_rights, p_table);
end
$$;

-- ----------------------------------------------------------------------------
-- Infrastructure: limits, repeated calls, secrets, settings, backups, background jobs
-- ----------------------------------------------------------------------------

-- Fixed-window counters for limits that must hold on every node and fail closed.
create table limit_counters (
  scope         text not null,
  subject       text not null,
  window_start  timestamptz not null,
  hits          int not null,
  primary key (scope, subject, window_start)
);
grant select, insert, update, delete on limit_counters to kabari_app;

-- The sealed first response to a repeated `key`, kept for 24 hours.
create table idempotent_responses (
  person      text not null,
  key         uuid not null,
  act         text not null,
  input_hash  bytea not null,
  status      int,
  sealed      bytea,
  created_at  timestamptz not null default clock_timestamp(),
  primary key (person, key)
);
create index idempotent_responses_by_age on idempotent_responses (created_at);
grant select, insert, update, delete on idempotent_responses to kabari_app;

-- Peppers and signing keys, made once per installation and sealed where possible. Updated when SECRET_KEY is rotated.
create table installation_secrets (
  name   text primary key,
  value  bytea not null
);
grant select, insert, update on installation_secrets to kabari_app;

-- Settings that operators change at run time. The highest version of a name counts; a null value means the environment
-- applies. Rows are never changed or deleted, so the table is also the history.
create table settings (
  name          text not null,
  version       int not null check (version > 0),
  value         text,
  set_by        uuid not null,
  set_at        timestamptz not null,
  reason        text not null,
  -- A change that weakens a safeguard takes effect at this time, unless a newer version comes first. Null: at once.
  effective_at  timestamptz,
  primary key (name, version)
);
call all_accounts_table('settings', 'select, insert');

-- Every backup that was started, so that an operator sees when the last one succeeded and why one failed.
create table backups (
  backup_id    uuid primary key,
  started_at   timestamptz not null,
  -- Null while the backup is running.
  finished_at  timestamptz,
  is_ok        boolean,
  bytes        bigint,
  path         text,
  problem      text,
  constraint finished_is_judged check ((finished_at is null) = (is_ok is null)),
  constraint failed_has_problem check (coalesce(not is_ok, false) = (problem is not null))
);
create index backups_by_start on backups (started_at);
call all_accounts_table('backups', 'select, insert, update, delete');

-- The last runs of each background job over all nodes. pg-boss keeps its own records for one day only.
create table job_runs (
  name           text primary key,
  -- When a worker that has the job first started here. A job that never ran counts as late from then on.
  registered_at  timestamptz not null default clock_timestamp(),
  succeeded_at   timestamptz,
  failed_at      timestamptz,
  -- The job is late when it has not succeeded for longer than this.
  late_seconds   int not null check (late_seconds > 0)
);
call all_accounts_table('job_runs', 'select, insert, update');

-- ----------------------------------------------------------------------------
-- Accounts and the people of an account
-- ----------------------------------------------------------------------------

-- Customers, and the one account of the installation itself.
create table accounts (
  account_id           uuid primary key,
  name                 text not null,
  status               text not null default 'active' check (status in ('active', 'suspended', 'closed')),
  -- The installation's own account: it holds the operators and the token that sends OTPs.
  is_system            boolean not null default false,
  created_at           timestamptz not null default clock_timestamp(),
  -- Requested by the owner: the account is erased at this time unless the request is cancelled.
  erase_at             timestamptz,
  -- Nothing of the account works from here on. Erasure begins a minute later.
  closed_at            timestamptz,
  erased_at            timestamptz,
  erasure_notified_at  timestamptz,
  -- A person who sets a password by code, or changes the number, may be an intruder: the account creates no API key
  -- for a day. When that day began and why; the latest event counts.
  cooling_since        timestamptz,
  cooling_cause        text check (cooling_cause in ('password_reset', 'phone_changed')),
  constraint cooling_has_cause check ((cooling_since is null) = (cooling_cause is null))
);
create index accounts_to_erase on accounts (erase_at)
  where erase_at is not null and erased_at is null;
create index accounts_by_name on accounts (lower(name), account_id);
-- Looked up with every message of customer service.
create index accounts_system on accounts (account_id) where is_system;
call tenant_table('accounts');

create table users (
  account_id      uuid not null references accounts,
  user_id         uuid not null,
  name            text not null,
  phone           text not null,
  email           text,
  avatar_file     uuid,
  password_hash   text not null,
  role            text not null check (role in ('customer', 'operator')),
  timezone        text not null default 'Asia/Jakarta',
  -- The person's choices; a missing key has its default.
  settings        jsonb not null default '{}',
  created_at      timestamptz not null default clock_timestamp(),
  -- Null until the first sign-in: the printed password of the operator works once without a code.
  signed_in_at    timestamptz,
  -- `admin` may do everything, `support` and `money` what the contract's acts list for them.
  operator_roles  text[] not null default '{}',
  -- A removed operator remains as a name, without roles and number, so that old actions still have an actor.
  removed_at      timestamptz,
  -- An unused invitation expires then. Null for operators made in the terminal and for those who have signed in.
  invited_until   timestamptz,
  primary key (account_id, user_id),
  constraint operators_have_roles check (
    operator_roles <@ '{support,money,admin}'
    and (role = 'operator' and removed_at is null) = (operator_roles <> '{}')
  ),
  constraint only_operators_are_removed check (removed_at is null or role = 'operator')
);
call tenant_table('users');

-- Finds the person of a phone number, over all accounts.
create table user_phones (
  phone       text primary key,
  account_id  uuid not null,
  user_id     uuid not null
);
grant select, insert, update, delete on user_phones to kabari_app;

-- Numbers that people had earlier. Messages of the installation to them are erased with the account.
create table former_phones (
  account_id  uuid not null,
  phone       text not null,
  left_at     timestamptz not null default clock_timestamp(),
  primary key (account_id, phone)
);
create index former_phones_by_phone on former_phones (phone);
call tenant_table('former_phones', 'select, insert, delete');

-- Keyed hashes of the numbers of erased accounts, so that the welcome bonus is given once. The number cannot be derived
-- without the installation's secrets.
create table erased_account_phones (
  phone_hmac  bytea primary key
);
grant select, insert on erased_account_phones to kabari_app;

-- Suspensions and reactivations of accounts by operators. The customer sees the reason.
create table account_suspensions (
  account_id     uuid not null references accounts,
  suspension_id  uuid not null,
  becomes        text not null check (becomes in ('suspended', 'active')),
  reason         text not null,
  operator_id    uuid not null,
  at             timestamptz not null,
  notified_at    timestamptz,
  primary key (account_id, suspension_id)
);
create index account_suspensions_unsent on account_suspensions (at) where notified_at is null;
call tenant_table('account_suspensions', 'select, insert, update');

-- Archives of an account's data: requested, made by a worker under a lease, kept for a day.
create table exports (
  account_id   uuid not null references accounts,
  export_id    uuid not null,
  -- The person who requested it and is notified when it is ready.
  user_id      uuid not null,
  status       text not null default 'waiting'
                 check (status in ('waiting', 'working', 'ready', 'failed', 'expired')),
  progress     int not null default 0 check (progress between 0 and 100),
  tries        int not null default 0,
  -- The attempt that is running or made the archive; it names the file.
  owner        uuid,
  lease_until  timestamptz,
  size_bytes   bigint,
  created_at   timestamptz not null default clock_timestamp(),
  expires_at   timestamptz,
  notified_at  timestamptz,
  -- When the file was last begun. Workers serve the account next that was served longest ago.
  claimed_at   timestamptz,
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

-- ----------------------------------------------------------------------------
-- Sign-in: sessions, codes, second factors, operators
-- ----------------------------------------------------------------------------

-- Sessions over all accounts, found by the hash of their token. The token itself is not stored.
create table sessions (
  token_hash           bytea primary key,
  session_id           uuid not null unique,
  account_id           uuid not null,
  user_id              uuid not null,
  -- The browser that signed in, by the hash of its cookie. Null for portals served elsewhere, which have no cookie.
  device_hash          bytea,
  agent                text not null,
  ip                   text not null,
  created_at           timestamptz not null default clock_timestamp(),
  last_used_at         timestamptz not null default clock_timestamp(),
  -- When the person last entered the password.
  reauth_at            timestamptz not null default clock_timestamp(),
  -- A stolen token may be used in another browser. There the session can read, but changes nothing that lasts until the
  -- password is entered there. The latest such browser, and when that happened.
  other_device_hash    bytea,
  other_reauth_at      timestamptz,
  revoked_at           timestamptz,
  -- When the session last gave a second factor. Null for a session that began without one.
  second_factor_at     timestamptz,
  -- Entering the password again replaces the token. The previous one works for another minute, for calls in flight and
  -- for a response that was lost.
  previous_token_hash  bytea,
  previous_until       timestamptz,
  constraint other_browser_gave_password
    check ((other_device_hash is null) = (other_reauth_at is null))
);
create index sessions_by_user on sessions (account_id, user_id);
create index sessions_by_device on sessions (device_hash) where device_hash is not null;
create index sessions_by_previous_token on sessions (previous_token_hash)
  where previous_token_hash is not null;
grant select, insert, update, delete on sessions to kabari_app;

create table known_devices (
  account_id   uuid not null,
  user_id      uuid not null,
  device_hash  bytea not null,
  seen_at      timestamptz not null default clock_timestamp(),
  primary key (account_id, user_id, device_hash)
);
call tenant_table('known_devices');

-- A one-time code that was sent. The code is stored as an HMAC over challenge and code; `pending` holds the request it
-- confirms.
create table otp_challenges (
  challenge_id  uuid primary key,
  purpose       text not null check (
    purpose in ('register', 'login', 'forgot', 'phone_old', 'phone_new', 'delete')
  ),
  phone         text not null,
  -- Null for people without an account.
  account_id    uuid,
  user_id       uuid,
  -- The browser that requested it. A repeated request from there gets the same challenge.
  device_hash   bytea,
  code_hmac     bytea,
  -- Null when the number is taken: the response is the same, but no code fits.
  pending       jsonb,
  tries_left    int not null default 5,
  sends         int not null default 1,
  next_send_at  timestamptz not null,
  expires_at    timestamptz not null,
  created_at    timestamptz not null default clock_timestamp()
);
create index otp_challenges_by_phone on otp_challenges (phone, created_at);
create index otp_challenges_by_user on otp_challenges (account_id, user_id)
  where account_id is not null;
grant select, insert, update, delete on otp_challenges to kabari_app;

-- A correct code for a forgotten password allows one change of the password within ten minutes.
create table password_grants (
  grant_hash  bytea primary key,
  account_id  uuid not null,
  user_id     uuid not null,
  expires_at  timestamptz not null
);
grant select, insert, delete on password_grants to kabari_app;

-- Solved captchas; each works once.
create table captchas_used (
  challenge   text primary key,
  expires_at  timestamptz not null
);
grant select, insert, delete on captchas_used to kabari_app;

create table second_factors (
  account_id     uuid not null,
  user_id        uuid not null,
  factor_id      uuid not null,
  kind           text not null check (kind in ('totp', 'passkey')),
  -- The owner's name for it; '' for an authenticator app.
  name           text not null,
  created_at     timestamptz not null default clock_timestamp(),
  used_at        timestamptz,
  -- Authenticator app: the sealed secret, and the 30 s step whose code was used last. A code works once, and no code of
  -- an earlier step works after it.
  secret         bytea,
  last_step      bigint,
  -- Passkey: the data of WebAuthn.
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

-- Ten per person, each valid once. A keyed hash, because 48 random bits could be guessed from a copy of the table.
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

-- A pending request for a second factor, or a factor that is being set up: for one browser and person, valid for some
-- minutes and one correct answer. Used before sign-in too, when the account is not known yet.
create table second_factor_challenges (
  challenge_id  uuid primary key,
  purpose       text not null check (purpose in ('sign_in', 'confirm', 'add_totp', 'add_passkey')),
  account_id    uuid not null,
  user_id       uuid not null,
  -- The session that asks. Null during sign-in.
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

-- The origin of operators' rights: an invitation, a role that decides about money, or the removal of a second factor
-- by another operator. An operator who is tied to a proposer cannot approve as the second operator. `vouched` is
-- written from the terminal and cancels earlier ties.
create table operator_ties (
  tie_id       uuid primary key,
  operator_id  uuid not null,
  by_operator  uuid,
  kind         text not null check (kind in ('invited', 'roles', 'factor_reset', 'vouched')),
  at           timestamptz not null default clock_timestamp(),
  constraint terminal_vouches check ((by_operator is null) = (kind = 'vouched'))
);
create index operator_ties_by_operator on operator_ties (operator_id, at);
call all_accounts_table('operator_ties', 'select, insert');

-- ----------------------------------------------------------------------------
-- The audit log
-- ----------------------------------------------------------------------------

-- Append-only, except that addresses and facts are blanked when an account is erased. Each entry hashes the previous
-- one of its account's chain; calls without a session share one chain.
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
  -- Address and facts are hashed apart, under a salt of the entry. When they are erased together with the salt, the
  -- chain still verifies, and they cannot be guessed from the digest.
  seq         bigint not null,
  salt        bytea,
  digest      bytea not null,
  hash        bytea not null,
  -- The customer an operator's act was for. A column, because row-level security prevents an index on an expression
  -- over jsonb.
  about       text generated always as (facts ->> 'account_id') stored,
  primary key (account_id, audit_id)
);
create unique index audit_log_chain on audit_log (account_id, seq);
-- Operators read the newest entries first, in a range of time, which is a range of ids.
create index audit_log_by_id on audit_log (audit_id);
create index audit_log_by_actor on audit_log (actor, audit_id);
create index audit_log_by_act on audit_log (act, audit_id);
create index audit_log_refused on audit_log (audit_id, act) where outcome <> 'ok';
-- Acts of operators for a customer are in the operators' chain.
create index audit_log_about on audit_log (about, audit_id) where about is not null;
-- Entries without a session whose address has not been erased yet.
create index audit_log_strangers on audit_log (audit_id)
  where account_id = '00000000-0000-0000-0000-000000000000' and salt is not null;
call tenant_table('audit_log', 'select');

-- The newest entry of each chain. Writing the next one locks it.
create table audit_heads (
  account_id  uuid primary key,
  seq         bigint not null,
  hash        bytea not null
);
call tenant_table('audit_heads', 'select');

-- The heads of all chains, sealed day by day, so that entries removed together with their head are detected. Each seal
-- hashes the previous one and the heads that moved since. The same hashes are in the file of seals beside the database.
create table audit_seals (
  seal_no     bigint primary key,
  day         date not null unique,
  previous    text not null,
  hash        text not null,
  chains      bigint not null,
  created_at  timestamptz not null
);
call all_accounts_table('audit_seals', 'select, insert');

create table audit_seal_heads (
  account_id  uuid not null,
  seal_no     bigint not null,
  seq         bigint not null,
  hash        bytea not null,
  primary key (account_id, seal_no)
);
create index audit_seal_heads_by_seal on audit_seal_heads (seal_no, account_id);
call all_accounts_table('audit_seal_heads', 'select, insert');

create table audit_checks (
  check_id  uuid primary key,
  at        timestamptz not null,
  is_ok     boolean not null,
  lines     bigint not null,
  chains    bigint not null,
  findings  jsonb not null,
  millis    bigint not null
);
call all_accounts_table('audit_checks', 'select, insert');

-- ----------------------------------------------------------------------------
-- Tokens, their keys and how they are linked to a phone
-- ----------------------------------------------------------------------------

create table tokens (
  account_id         uuid not null references accounts,
  token_id           uuid not null,
  name               text not null,
  channel            text not null check (channel in ('simulator', 'cloud', 'web')),
  status             text not null default 'unlinked'
                     check (status in ('unlinked', 'linking', 'linked', 'disconnected', 'suspended')),
  phone              text,
  key_hint           text not null,
  daily_limit        int not null default 1000 check (daily_limit > 0),
  -- Messages per second of this token's lane. Null: the installation's setting.
  pace               real,
  is_system          boolean not null default false,
  last_used_at       timestamptz,
  created_at         timestamptz not null default clock_timestamp(),
  -- The `cooling_since` after which the owner confirmed the token. Tokens from before the account's current cooling and
  -- not confirmed since are shown for review.
  confirmed_since         timestamptz,
  deleted_at         timestamptz,
  -- A copy of the account's status for intake and dispatch: a suspended account accepts and sends no messages; queued
  -- messages stay.
  account_suspended  boolean not null default false,
  scopes             text[] not null default array[
    'messages.send', 'messages.read', 'media', 'account.read', 'link', 'webhooks', 'opt_outs'
  ] check (cardinality(scopes) between 1 and 20),
  -- Addresses and ranges (CIDR); empty: from anywhere.
  allowed_addresses  text[] not null default '{}' check (cardinality(allowed_addresses) <= 50),
  -- The last valid day, in WIB.
  expires_on         date,
  -- When the token was last moved to another channel. Null: never.
  moved_at           timestamptz,
  -- Whether calls may carry the key in the URL, as some dialects do.
  key_in_address     boolean not null default true,
  primary key (account_id, token_id)
);
create index tokens_by_key_hint on tokens (key_hint);
call tenant_table('tokens');

-- Finds the token of a key over all accounts, by the SHA-256 of the key. A rotated key works until `expires_at`.
create table token_keys (
  key_hash    bytea primary key,
  account_id  uuid not null,
  token_id    uuid not null,
  created_at  timestamptz not null default clock_timestamp(),
  expires_at  timestamptz,
  revoked_at  timestamptz
);
create index token_keys_by_token on token_keys (account_id, token_id);
grant select, insert, update, delete on token_keys to kabari_app;

create table links (
  account_id     uuid not null,
  link_id        uuid not null,
  token_id       uuid not null,
  state          text not null default 'waiting'
                 check (state in ('waiting', 'scanned', 'connected', 'expired', 'failed')),
  -- The browser that gave consent; only it sees the QR.
  nonce_hash     bytea,
  consent_at     timestamptz,
  consent_agent  text,
  -- The hash of the current QR, which is at most 60 seconds old.
  qr_hash        bytea,
  qr_expires_at  timestamptz,
  phone          text,
  expires_at     timestamptz not null,
  created_at     timestamptz not null default clock_timestamp(),
  -- The link was started by a program: the QR is shown to the holder of the token's key instead of one browser.
  by_api         boolean not null default false,
  -- The number that the owner entered with the consent; the network issues a pairing code for it.
  pairing_phone  text,
  -- Why the link failed, if known: see `linkFailures` in the contract.
  failure        text,
  primary key (account_id, link_id),
  foreign key (account_id, token_id) references tokens
);
create index links_by_token on links (account_id, token_id, link_id);
-- Links for which a channel shows QRs.
create index links_waiting on links (consent_at) where state = 'waiting' and consent_at is not null;
call tenant_table('links');

-- Finds the token of a linked phone, over all accounts.
create table linked_phones (
  channel     text not null,
  phone       text not null,
  account_id  uuid not null,
  token_id    uuid not null,
  linked_at   timestamptz not null default clock_timestamp(),
  primary key (channel, phone)
);
grant select, insert, update, delete on linked_phones to kabari_app;

-- Finds the link of a pairing code over all accounts, by an HMAC of the code.
create table link_codes (
  code_hash   bytea primary key,
  account_id  uuid not null,
  link_id     uuid not null,
  expires_at  timestamptz not null
);
grant select, insert, delete on link_codes to kabari_app;

-- The state of a token's number in its network.
create table connections (
  account_id        uuid not null,
  token_id          uuid not null,
  channel           text not null,
  -- Connected since; null while disconnected.
  since             timestamptz,
  disconnected_at         timestamptz,
  -- See `partings` in the contract.
  disconnect_reason     text,
  -- The network's restriction, and its end; null: until further notice.
  restriction       text,
  restricted_at     timestamptz,
  restricted_until  timestamptz,
  last_receipt_at   timestamptz,
  -- Sending is paused although the number is connected, because the network does not respond or rejects every message.
  -- After the pause one message is tried alone. The reason: see `pauses` in the contract; null: not paused.
  paused_for        text,
  paused_at         timestamptz,
  paused_until      timestamptz,
  -- Consecutive pauses; each is longer than the previous one.
  pauses            int not null default 0,
  primary key (account_id, token_id),
  foreign key (account_id, token_id) references tokens
) with (fillfactor = 70);
call tenant_table('connections');

-- When a number was connected. The current span grows while the connection is seen to work.
create table connection_spans (
  account_id  uuid not null,
  token_id    uuid not null,
  up_from     timestamptz not null,
  up_until    timestamptz not null check (up_until >= up_from),
  primary key (account_id, token_id, up_from),
  foreign key (account_id, token_id) references tokens
) with (fillfactor = 70);
call tenant_table('connection_spans');

-- Errors that networks reported for attempts and messages, counted by hour and code.
create table provider_answers (
  account_id  uuid not null,
  token_id    uuid not null,
  hour        timestamptz not null,
  channel     text not null,
  code        text not null,
  answers     bigint not null,
  last_at     timestamptz not null,
  primary key (account_id, token_id, hour, channel, code)
) with (fillfactor = 70);
create index provider_answers_by_hour on provider_answers (hour);
call tenant_table('provider_answers');

-- Rejected API calls; similar ones within an hour are one row. Holds no key, text or phone number.
create table rejected_calls (
  account_id   uuid not null,
  token_id     uuid not null,
  hour         timestamptz not null,
  -- Hash of dialect, method, path, code, address and invalid fields.
  fingerprint  bytea not null,
  dialect      text not null,
  method       text not null,
  -- The path of the endpoint, without the values of its parameters.
  path         text not null,
  code         text not null,
  status       int not null,
  address      text not null,
  facts        jsonb not null,
  calls        int not null check (calls > 0),
  first_at     timestamptz not null,
  last_at      timestamptz not null,
  primary key (account_id, token_id, hour, fingerprint)
);
create index rejected_calls_by_time on rejected_calls (account_id, last_at desc);
create index rejected_calls_old on rejected_calls (last_at);
call tenant_table('rejected_calls');

-- ----------------------------------------------------------------------------
-- The ledger
-- ----------------------------------------------------------------------------

-- The accounts of the general ledger. Amounts are whole rupiah. Only SQL functions write a wallet: the application role
-- may only read the tables of the ledger, and entries are append-only.
create table gl_accounts (
  code  text primary key,
  name  text not null
);
grant select on gl_accounts to kabari_app;
insert into gl_accounts values
  ('none', '(tahan / lepas)'),
  ('clearing', 'Kliring pembayaran'),
  ('rev:message', 'Pendapatan pesan'),
  ('rev:plan', 'Pendapatan paket'),
  ('exp:bonus', 'Beban bonus'),
  ('exp:fee', 'Biaya gateway'),
  ('exp:waived', 'Biaya pesan yang ditanggung'),
  ('liab:ppn', 'PPN keluaran'),
  ('suspense', 'Dana belum dikenali'),
  ('cash:bank', 'Bank'),
  ('inc:kode_unik', 'Pendapatan kode unik'),
  ('cash:midtrans', 'Midtrans'),
  ('cash:xendit', 'Xendit'),
  ('liab:refund', 'Pengembalian dana yang berjalan'),
  ('exp:goodwill', 'Beban kompensasi pelanggan'),
  ('inc:correction', 'Selisih koreksi saldo');

create table wallets (
  account_id  uuid primary key references accounts,
  available   bigint not null default 0 constraint saldo_not_negative check (available >= 0),
  held        bigint not null default 0 constraint held_not_negative check (held >= 0),
  seq         bigint not null default 0,
  status      text not null default 'active' check (status in ('active', 'frozen', 'closed')),
  -- Messages included in the current period of the plan, and how many are used: here, because intake reads them under
  -- the same lock as the balance.
  plan_quota  int not null default 0 check (plan_quota >= 0),
  plan_used   int not null default 0 check (plan_used >= 0),
  -- Counts the periods over all plans. A message names the one whose quota it used.
  plan_round  int not null default 0,
  -- Price of a message beyond the quota. Null: no plan, the list price applies.
  plan_price  bigint check (plan_price >= 0),
  -- The balance comes from the welcome bonus alone: it pays for the simulator and the account's own number only.
  bonus_only  boolean not null default false
) with (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
call tenant_table('wallets', 'select');

-- The shape of a wallet entry. In a function, because PostgreSQL parsed the expression again for every statement that
-- writes an entry, which took as long as writing two.
create function entry_has_shape(
  p_kind text, p_available bigint, p_held bigint, p_contra text, p_memo text
) returns boolean
language plpgsql immutable parallel safe as $$
begin
  return case p_kind
    when 'hold'       then p_available < 0 and p_held = -p_available and p_contra = 'none'
    when 'release'    then p_available > 0 and p_held = -p_available and p_contra = 'none'
    when 'capture'    then p_available = 0 and p_held < 0 and p_contra = 'rev:message'
    when 'correction' then p_available < 0 and p_held = 0 and p_contra = 'rev:message'
    when 'topup'      then p_available > 0 and p_held = 0 and p_contra = 'clearing'
    when 'bonus'      then p_available > 0 and p_held = 0 and p_contra = 'exp:bonus'
    when 'plan'       then p_available < 0 and p_held = 0 and p_contra = 'rev:plan'
    when 'refund'     then p_available > 0 and p_held = 0
    when 'payout'     then p_available < 0 and p_held = 0 and p_contra = 'clearing'
    when 'adjust'     then p_available <> 0 and p_held = 0 and p_memo is not null
    else false end;
end
$$;

-- Every change of a wallet. Written by functions of the ledger alone, under the lock of the wallet, so it has no
-- foreign keys: checking them again cost more than the row.
create table wallet_entries (
  account_id       uuid not null,
  seq              bigint not null,
  kind             text not null,
  d_available      bigint not null,
  d_held           bigint not null,
  d_contra         bigint generated always as (-(d_available + d_held)) stored,
  contra           text not null,
  available_after  bigint not null check (available_after >= 0),
  held_after       bigint not null check (held_after >= 0),
  n_items          int not null default 1 check (n_items > 0),
  ref_type         text not null,
  ref_id           text not null,
  idem_key         text,
  actor            text not null,
  memo             text,
  created_at       timestamptz not null default clock_timestamp(),
  primary key (account_id, seq),
  constraint shape check (entry_has_shape(kind, d_available, d_held, contra, memo))
);
create unique index wallet_entries_idem on wallet_entries (account_id, idem_key) where idem_key is not null;
-- The statement filtered by kind: finds the newest of a kind without reading the others.
create index wallet_entries_by_kind on wallet_entries (account_id, kind, seq);
call tenant_table('wallet_entries', 'select');

-- Bookings of the general ledger. No foreign keys, for the same reason.
create table gl_txns (
  account_id  uuid not null,
  txn_id      uuid not null,
  idem_key    text not null,
  kind        text not null,
  at          timestamptz not null default clock_timestamp(),
  primary key (account_id, txn_id),
  unique (account_id, idem_key)
);
call tenant_table('gl_txns', 'select');

-- Lines of bookings. Foreign keys would lock the same few general-ledger accounts for everybody.
create table gl_lines (
  account_id  uuid not null,
  txn_id      uuid not null,
  line_no     int not null,
  gl_account  text not null,
  amount      bigint not null check (amount <> 0),
  primary key (account_id, txn_id, line_no)
);
call tenant_table('gl_lines', 'select');

-- The trial balance: debit positive, wallets are liabilities.
create view gl_all with (security_invoker = true) as
  select account_id, 'wallet:available' as gl_account, -d_available as amount from wallet_entries
  union all select account_id, 'wallet:held', -d_held from wallet_entries
  union all select account_id, contra, -d_contra from wallet_entries where d_contra <> 0
  union all select account_id, gl_account, amount from gl_lines;
grant select on gl_all to kabari_app;

-- The number of lines among the first `seq` entries of a wallet, noted every 256 entries. Entries are only added, so a
-- mark stays true. Marks are written when a statement is read, so that payments are not slowed.
create table statement_cursors (
  account_id  uuid not null references wallets,
  seq         bigint not null,
  lines       bigint not null,
  primary key (account_id, seq)
);
call tenant_table('statement_cursors', 'select');

create table wallet_freezes (
  account_id   uuid not null references accounts,
  freeze_id    uuid not null,
  is_frozen    boolean not null,
  reason       text not null,
  operator_id  uuid not null,
  at           timestamptz not null,
  primary key (account_id, freeze_id)
);
call all_accounts_table('wallet_freezes', 'select, insert');

create table ledger_checks (
  check_id  uuid primary key,
  at        timestamptz not null,
  is_ok     boolean not null,
  findings  jsonb not null,
  millis    bigint not null
);
call all_accounts_table('ledger_checks', 'select, insert');

-- The books sealed day by day. Each seal hashes the previous one and what was committed since. The same hashes are in a
-- file beside the database.
create table ledger_seals (
  seal_no     bigint primary key,
  day         date not null unique,
  previous    text not null,
  hash        text not null,
  entries     bigint not null,
  bookings    bigint not null,
  gl_digest   text not null,
  created_at  timestamptz not null
);
call all_accounts_table('ledger_seals', 'select, insert');

create table ledger_seal_accounts (
  account_id  uuid not null,
  seal_no     bigint not null,
  from_seq    bigint not null,
  to_seq      bigint not null,
  digest      text not null,
  primary key (account_id, seal_no)
);
create index ledger_seal_accounts_by_seal on ledger_seal_accounts (seal_no, account_id);
call all_accounts_table('ledger_seal_accounts', 'select, insert');

-- The bookings that a seal covers: they have no number that gives their order.
create table ledger_seal_txns (
  account_id  uuid not null,
  txn_id      uuid not null,
  seal_no     bigint not null,
  primary key (account_id, txn_id)
);
create index ledger_seal_txns_by_seal on ledger_seal_txns (seal_no, account_id, txn_id);
call all_accounts_table('ledger_seal_txns', 'select, insert');

-- ----------------------------------------------------------------------------
-- Prices, plans and invoices
-- ----------------------------------------------------------------------------

-- Prices by date: the row with the newest valid_from that has begun applies.
create table prices (
  category    text not null,
  price       bigint not null check (price >= 0),
  valid_from  timestamptz not null,
  -- The operator who set it, and the reason. Null for the initial prices.
  set_by      uuid,
  set_at      timestamptz,
  reason      text,
  primary key (category, valid_from)
);
grant select, insert on prices to kabari_app;
insert into prices (category, price, valid_from) values
  ('message', 150, '2000-01-01T00:00:00+07:00'),
  -- Messages of the Cloud API, by category.
  ('marketing', 650, '2000-01-01T00:00:00+07:00'),
  ('utility', 400, '2000-01-01T00:00:00+07:00'),
  ('authentication', 400, '2000-01-01T00:00:00+07:00'),
  ('service', 150, '2000-01-01T00:00:00+07:00');

-- Tax rates by date: num/den of a base that is dpp_num/dpp_den of the price. PPN is 12 % of 11/12 (PMK 131/2024).
create table tax_rates (
  code        text not null,
  num         bigint not null check (num >= 0),
  den         bigint not null check (den > 0),
  dpp_num     bigint not null check (dpp_num >= 0),
  dpp_den     bigint not null check (dpp_den > 0),
  valid_from  timestamptz not null,
  -- The operator who set it, and the reason. Null for the initial rate.
  set_by      uuid,
  set_at      timestamptz,
  reason      text,
  primary key (code, valid_from)
);
grant select, insert on tax_rates to kabari_app;
insert into tax_rates values ('ppn', 12, 100, 11, 12, '2025-01-01T00:00:00+07:00');

-- Plans and subscriptions. Price and contents of a plan are in a revision that never changes; editing a plan adds one.
create table plans (
  code        text primary key check (code ~ '^[a-z][a-z0-9-]{1,30}$'),
  is_offered  boolean not null,
  position    int not null,
  -- Every account has a plan; this is the one without a fee.
  constraint gratis_is_offered check (code <> 'gratis' or is_offered)
);
call all_accounts_table('plans', 'select, insert, update');
create policy readable on plans for select using (true);
insert into plans values ('gratis', true, 1), ('usaha', true, 2), ('bisnis', true, 3);

-- The terms of a plan from a date on.
create table plan_revisions (
  code         text not null references plans,
  revision     int not null check (revision > 0),
  name         text not null check (name <> ''),
  description  text not null,
  price        bigint not null check (price >= 0),
  tokens       int not null check (tokens > 0),
  quota        int not null check (quota >= 0),
  overage      bigint not null check (overage >= 0),
  valid_from   timestamptz not null,
  -- Null: part of the installation.
  operator_id  uuid,
  primary key (code, revision),
  constraint gratis_is_free check ((code = 'gratis') = (price = 0))
);
call all_accounts_table('plan_revisions', 'select, insert');
create policy readable on plan_revisions for select using (true);
insert into plan_revisions values
  ('gratis', 1, 'Gratis', 'Untuk mencoba dan usaha yang baru mulai.', 0, 1, 100, 150,
    '2000-01-01T00:00:00+07:00'),
  ('usaha', 1, 'Usaha', 'Untuk toko dengan beberapa kasir.', 99000, 3, 5000, 75,
    '2000-01-01T00:00:00+07:00'),
  ('bisnis', 1, 'Bisnis', 'Untuk usaha dengan beberapa cabang.', 299000, 10, 25000, 50,
    '2000-01-01T00:00:00+07:00');

create table subscriptions (
  account_id            uuid primary key references accounts,
  plan_code             text not null,
  plan_revision         int not null,
  status                text not null default 'active'
                        check (status in ('active', 'past_due', 'suspended', 'cancelled')),
  -- Periods are counted from the anchor, so that the 31st stays the 31st.
  anchor                date not null,
  period_no             int not null check (period_no >= 0),
  period_start          timestamptz not null,
  period_end            timestamptz not null check (period_end > period_start),
  -- The plan of the next period, if it is another one.
  next_plan             text references plans,
  cancel_at_period_end  boolean not null default false,
  grace_until           timestamptz,
  suspended_at          timestamptz,
  due_charge            uuid,
  due_invoice           uuid,
  -- Counts changes of plan: a period is charged once for each.
  revision              int not null default 0,
  foreign key (plan_code, plan_revision) references plan_revisions,
  constraint past_due_knows_its_charge check (
    (status = 'past_due') = (grace_until is not null)
    and (status = 'past_due') = (due_charge is not null)
    and (due_charge is null) = (due_invoice is null)
  ),
  constraint suspended_since check ((status = 'suspended') = (suspended_at is not null)),
  constraint ends_or_changes check (not (cancel_at_period_end and next_plan is not null))
) with (fillfactor = 80);
create index subscriptions_paid on subscriptions (period_end)
  where status = 'active' and plan_code <> 'gratis';
create index subscriptions_free on subscriptions (period_end) where plan_code = 'gratis';
create index subscriptions_unpaid on subscriptions (account_id)
  where status in ('past_due', 'suspended');
call tenant_table('subscriptions', 'select, insert, update, delete');

-- Charges for plans, one for each period and change. Append-only.
create table subscription_charges (
  account_id     uuid not null references accounts,
  charge_id      uuid not null,
  kind           text not null check (kind in ('period', 'change', 'end')),
  period_start   timestamptz not null,
  period_end     timestamptz not null,
  revision       int not null,
  plan_code      text not null,
  plan_revision  int not null,
  credit         bigint not null check (credit >= 0),
  charge         bigint not null check (charge >= 0),
  amount         bigint generated always as (charge - credit) stored,
  invoice_id     uuid,
  at             timestamptz not null,
  primary key (account_id, charge_id),
  constraint charged_once unique (account_id, period_start, revision),
  foreign key (plan_code, plan_revision) references plan_revisions
);
call tenant_table('subscription_charges', 'select, insert');

create table plan_cancellations (
  account_id   uuid not null references accounts,
  cancellation_id    uuid not null,
  plan         text not null,
  -- The part of the period that was refunded.
  credited     bigint not null check (credited >= 0),
  reason       text not null,
  operator_id  uuid not null,
  at           timestamptz not null,
  primary key (account_id, cancellation_id)
);
call all_accounts_table('plan_cancellations', 'select, insert');

-- Notices about the plan, each step once; `subject` names the step.
create table billing_notices (
  account_id  uuid not null references accounts,
  notice_id   uuid not null,
  subject     text not null,
  title       text not null,
  body        text not null,
  due_at      timestamptz not null,
  tries       int not null default 0,
  -- Queued for browsers; sent as a message.
  pushed_at   timestamptz,
  sent_at     timestamptz,
  primary key (account_id, notice_id),
  constraint told_once unique (account_id, subject)
);
create index billing_notices_due on billing_notices (due_at) where sent_at is null;
create index billing_notices_sent on billing_notices (sent_at) where sent_at is not null;
call tenant_table('billing_notices', 'select, insert, update, delete');

-- The seller's identity from an instant on. Each invoice holds a copy of the newest.
create table sellers (
  valid_from  timestamptz primary key,
  name        text not null,
  address     text,
  npwp        text,
  email       text,
  phone       text,
  -- True while PPN is added: the seller is a PKP.
  adds_ppn    boolean not null
);
call all_accounts_table('sellers', 'select, insert');

-- The buyer as shown on invoices. Without a row it is the account itself.
create table billing_profiles (
  account_id  uuid primary key references accounts,
  name        text,
  npwp        text check (npwp ~ '^([0-9]{15}|[0-9]{16})$'),
  address     text,
  email       text,
  updated_at  timestamptz not null
);
call tenant_table('billing_profiles', 'select, insert, update, delete');

create table invoices (
  account_id    uuid not null references accounts,
  -- For a top-up, the top-up's own id.
  invoice_id    uuid not null,
  kind          text not null check (kind in ('topup', 'plan', 'credit_note')),
  status        text not null check (status in ('draft', 'open', 'paid', 'void', 'expired')),
  -- 128 random bits, in the QR of the document and in the address that verifies it.
  doc_ref       text not null check (doc_ref ~ '^[0-9a-f]{32}$'),
  number        text,
  title         text not null,
  period_start  timestamptz,
  period_end    timestamptz,
  -- [{text, quantity, price, amount}]; the amounts add up to the base.
  lines         jsonb not null,
  base          bigint not null check (base >= 0),
  ppn           bigint not null check (ppn >= 0),
  -- Paid beside base and PPN: the kode unik. A transfer confirmed by hand may differ by up to Rp 999.
  unique_code   int not null check (unique_code between -999 and 1998),
  total         bigint not null check (total >= 0),
  -- The amount that was received, or taken from the balance.
  received      bigint,
  -- The PPN rate: {num, den, dpp_num, dpp_den}; null without PPN.
  tax           jsonb,
  seller        jsonb not null,
  buyer         jsonb not null,
  -- The subject of the invoice; one invoice each.
  subject_type  text not null,
  subject_id    uuid not null,
  -- The top-up that pays it.
  topup_id      uuid,
  -- For a credit note: the invoice it corrects.
  credits       uuid,
  paid_with     text,
  paid_ref      text,
  note          text,
  created_at    timestamptz not null,
  due_at        timestamptz,
  paid_at       timestamptz,
  primary key (account_id, invoice_id),
  constraint invoice_subject unique (account_id, subject_type, subject_id),
  foreign key (account_id, credits) references invoices,
  constraint invoice_total check (total = base + ppn + unique_code),
  constraint invoice_tax check (ppn = 0 or tax is not null),
  constraint invoice_paid check (
    (status = 'paid') = (number is not null) and (status = 'paid') = (paid_at is not null)
    and (status = 'paid') = (paid_with is not null)
    and (status = 'paid') = (received is not null) and (received is null or received = total)
  ),
  constraint invoice_credits check ((kind = 'credit_note') = (credits is not null))
) with (fillfactor = 80);
create index invoices_newest on invoices (account_id, created_at, invoice_id);
create index invoices_credits on invoices (account_id, credits) where credits is not null;
create index invoices_topup on invoices (account_id, topup_id) where topup_id is not null;
-- Open invoices of top-ups, which are few: among them are those that wait for the seller's data.
create index invoices_topup_open on invoices (account_id, invoice_id)
  where kind = 'topup' and status = 'open';
call tenant_table('invoices', 'select');

-- The last number of a series in a month (WIB). Numbers have no gaps.
create table invoice_counters (
  series  text not null check (series in ('INV', 'CN')),
  month   date not null check (extract(day from month) = 1),
  last    int not null check (last > 0),
  primary key (series, month)
);
call all_accounts_table('invoice_counters', 'select');

-- Finds an invoice by the reference in its QR, and keeps numbers unique over all accounts.
create table invoice_refs (
  doc_ref     text primary key,
  account_id  uuid not null,
  invoice_id  uuid not null,
  number      text unique
);
call all_accounts_table('invoice_refs', 'select');

-- The PDF of a paid invoice, made once so that its bytes never change.
create table invoice_documents (
  account_id  uuid not null,
  invoice_id  uuid not null,
  bytes       bytea not null,
  sha256      bytea not null check (sha256 = sha256(bytes)),
  created_at  timestamptz not null,
  primary key (account_id, invoice_id),
  foreign key (account_id, invoice_id) references invoices
);
-- A PDF is already compressed.
alter table invoice_documents alter column bytes set storage external;
call tenant_table('invoice_documents', 'select, insert');

-- Alerts for a low balance. Settings and state share one row: firing an alert changes it, so that none fires twice.
create table saldo_alerts (
  account_id  uuid primary key references accounts,
  -- In rupiah; null while the alert is off.
  threshold   bigint check (threshold > 0),
  -- True while the next crossing triggers an alert.
  armed       boolean not null default false,
  -- Number of alerts fired, and when the last one was.
  fired       int not null default 0,
  fired_at    timestamptz
) with (fillfactor = 80);
call tenant_table('saldo_alerts', 'select, insert, update, delete');

-- Messages of fired alerts that the worker still has to send.
create table saldo_alert_messages (
  account_id  uuid not null references saldo_alerts on delete cascade,
  number      int not null,
  threshold   bigint not null,
  available   bigint not null,
  at          timestamptz not null,
  tries       int not null default 0,
  -- The sender owns the row until then.
  retry_at    timestamptz not null,
  primary key (account_id, number)
);
create index saldo_alert_messages_due on saldo_alert_messages (retry_at);
call tenant_table('saldo_alert_messages', 'select, insert, update, delete');

-- ----------------------------------------------------------------------------
-- Payments: top-ups, the bank account, payment gateways, corrections by operators
-- ----------------------------------------------------------------------------

-- Payments into the balance, by bank transfer or gateway. Only apply_payments credits the balance.
create table topups (
  account_id       uuid not null references accounts,
  topup_id         uuid not null,
  request_key      uuid not null,
  -- `creating`: it is not known yet whether the order exists at the gateway.
  status           text not null default 'pending'
                   check (status in ('creating', 'pending', 'paid', 'expired', 'cancelled', 'review', 'rejected')),
  base             bigint not null check (base > 0),
  ppn              bigint not null check (ppn >= 0),
  unique_code      int not null,
  total            bigint not null,
  -- The amount for the balance, and the part of the kode unik that is income.
  credited         bigint not null check (credited > 0),
  income           bigint not null check (income >= 0),
  -- The amount that came in. Differs from the total only when an operator confirmed it by hand.
  received         bigint check (received > 0),
  provider         text not null default 'bank' check (provider in ('bank', 'midtrans', 'xendit')),
  provider_txn_id  text,
  -- The bank account to transfer to when the top-up was made.
  bank_name        text,
  bank_number      text,
  bank_holder      text,
  created_at       timestamptz not null,
  expires_at       timestamptz not null,
  paid_at          timestamptz,
  -- The outcome, as shown to the owner.
  note             text,
  method           text not null default 'bank' check (method in (
    'bank', 'qris', 'va_bca', 'va_bni', 'va_bri', 'va_cimb', 'va_permata', 'snap', 'xendit'
  )),
  -- True when no real money moves, with a simulated bank or gateway.
  simulated        boolean not null default false,
  provider_ref     text,
  -- The gateway's payment instructions: a QRIS text, a virtual account or a page.
  qr               text,
  va_bank          text,
  va_number        text,
  page_url         text,
  -- The invoice of a plan that this top-up pays; it then has none of its own.
  invoice_id       uuid,
  primary key (account_id, topup_id),
  constraint topup_asked_once unique (account_id, request_key),
  constraint total_is_its_parts check (total = base + ppn + unique_code),
  constraint money_is_conserved check (credited + income + ppn = coalesce(received, total)),
  constraint paid_knows_its_payment check (
    (status = 'paid') = (paid_at is not null)
    and (status = 'paid') = (provider_txn_id is not null)
    and (status = 'paid') = (received is not null)
  ),
  constraint topups_unique_code_check check (
    case provider when 'bank' then unique_code between 1 and 999 else unique_code = 0 end
  ),
  constraint method_is_of_provider check (
    provider = case method when 'bank' then 'bank' when 'xendit' then 'xendit' else 'midtrans' end
  ),
  constraint bank_is_named check (
    num_nonnulls(bank_name, bank_number, bank_holder) = case provider when 'bank' then 3 else 0 end
  ),
  constraint transfers_are_not_created check (provider <> 'bank' or status <> 'creating'),
  constraint gateway_says_how_to_pay check (
    (provider <> 'bank' or num_nonnulls(provider_ref, qr, va_bank, va_number, page_url) = 0)
    and (va_bank is null) = (va_number is null)
    and (method = 'qris' or qr is null)
    and (method like 'va\_%' or va_number is null)
    and (method in ('snap', 'xendit') or page_url is null)
    and (provider = 'bank' or status <> 'pending' or num_nonnulls(qr, va_number, page_url) = 1)
  )
) with (fillfactor = 80);
create index topups_newest on topups (topup_id);
create index topups_by_status on topups (status, topup_id);
create index topups_due on topups (expires_at) where status = 'pending' and provider = 'bank';
-- For statement rows: top-ups near an amount.
create index topups_unpaid_by_total on topups (total) where status not in ('paid', 'rejected');
create index topups_by_paid on topups (paid_at) where status = 'paid';
call tenant_table('topups', 'select');
-- The application cannot mark a top-up as paid: apply_payments writes the columns that requires.
grant insert (
  account_id, topup_id, request_key, base, ppn, unique_code, total, credited, income, bank_name,
  bank_number, bank_holder, created_at, expires_at, method, provider, simulated, status, invoice_id
) on topups to kabari_app;
grant update (status, note, provider_ref, qr, va_bank, va_number, page_url, expires_at) on topups to kabari_app;

-- Decisions about top-ups by hand. Not shown to the owner.
create table topup_decisions (
  account_id   uuid not null,
  topup_id     uuid not null,
  decision     text not null check (decision in ('confirmed', 'rejected')),
  operator_id  uuid not null,
  reason       text not null,
  reference    text check ((decision = 'confirmed') = (reference is not null)),
  at           timestamptz not null,
  -- The operator whose proposal another one confirmed.
  proposed_by  uuid check (proposed_by <> operator_id),
  primary key (account_id, topup_id),
  foreign key (account_id, topup_id) references topups
);
call all_accounts_table('topup_decisions', 'select, insert');

-- Transfer slips sent by customers; the newest counts. A slip does not prove a payment.
create table topup_proofs (
  account_id  uuid not null,
  topup_id    uuid not null,
  file_id     uuid not null,
  name        text not null,
  mime        text not null,
  -- Hash of the stored file, to find the same slip on another top-up.
  sha256      bytea not null check (length(sha256) = 32),
  at          timestamptz not null,
  primary key (account_id, topup_id, file_id),
  foreign key (account_id, topup_id) references topups
);
create index topup_proofs_by_bytes on topup_proofs (sha256);
call tenant_table('topup_proofs', 'select, insert');

-- Proposals of one operator that another one has to complete.
create table topup_proposals (
  account_id   uuid not null,
  topup_id     uuid not null,
  operator_id  uuid not null,
  reference    text not null,
  reason       text not null,
  at           timestamptz not null,
  primary key (account_id, topup_id),
  foreign key (account_id, topup_id) references topups
);
call all_accounts_table('topup_proposals', 'select, insert, update, delete');

-- An amount on a bank account is reserved for one top-up until 7 days after it expires.
create table reserved_transfers (
  bank            text not null,
  amount          bigint not null,
  account_id      uuid not null,
  topup_id        uuid not null,
  reserved_until  timestamptz not null,
  primary key (bank, amount)
);
create index reserved_transfers_due on reserved_transfers (reserved_until);
call all_accounts_table('reserved_transfers', 'select, delete');

-- Incoming entries of the bank account, each once.
create table bank_lines (
  hash            text primary key,
  bank            text not null,
  amount          bigint not null check (amount > 0),
  description     text not null,
  reference       text not null,
  -- The time given by the bank; a statement may give the day only.
  at              timestamptz not null,
  received_at     timestamptz not null,
  -- The top-up it pays, once known.
  account_id      uuid,
  topup_id        uuid,
  -- Dismissed by an operator as no payment of a top-up, and why.
  dismissed_at    timestamptz,
  dismissed_by    uuid,
  dismiss_reason  text,
  -- The operator who imported the entry and therefore does not count as a second person for it. Null for the simulated
  -- bank.
  imported_by     uuid,
  -- A credit with the day and amount of an entry from an earlier import (`twin_of`) waits until an operator has seen
  -- both at the bank.
  import_id       uuid,
  twin_of         text,
  both_at         timestamptz,
  both_by         uuid,
  both_reason     text,
  check ((account_id is null) = (topup_id is null)),
  constraint dismissed_knows_who check (
    (dismissed_at is null) = (dismissed_by is null) and (dismissed_at is null) = (dismiss_reason is null)
  ),
  constraint both_is_whole check (
    (both_at is null) = (both_by is null) and (both_at is null) = (both_reason is null)
    and (both_at is null or twin_of is not null)
  )
);
create index bank_lines_unused on bank_lines (amount) where topup_id is null;
create index bank_lines_by_reference on bank_lines (bank, reference);
create index bank_lines_open on bank_lines (at, hash) where topup_id is null and dismissed_at is null;
create index bank_lines_newest on bank_lines (at, hash);
create index bank_lines_by_amount on bank_lines (amount);
create index bank_lines_of_topup on bank_lines (account_id, topup_id) where topup_id is not null;
call all_accounts_table('bank_lines', 'select, insert');
grant update (
  account_id, topup_id, dismissed_at, dismissed_by, dismiss_reason, both_at, both_by, both_reason
) on bank_lines to kabari_app;

-- Imports of bank statements. The file itself is not kept.
create table bank_statements (
  statement_id  uuid primary key,
  bank          text not null,
  sha256        bytea not null check (length(sha256) = 32),
  format        text not null,
  operator_id   uuid not null,
  at            timestamptz not null,
  outcomes      jsonb not null
);
call all_accounts_table('bank_statements', 'select, insert');

-- Daily figures of statements: opening and closing balance in sen (null where a statement has none) and the sum of
-- credits in whole rupiah. The last day of a statement may be incomplete.
create table bank_balances (
  statement_id  uuid not null references bank_statements,
  bank          text not null,
  day           date not null,
  opening_sen   bigint,
  closing_sen   bigint,
  credits       bigint not null check (credits >= 0),
  is_last       boolean not null,
  primary key (statement_id, day),
  constraint balances_are_whole check ((opening_sen is null) = (closing_sen is null))
);
create index bank_balances_by_day on bank_balances (bank, day);
call all_accounts_table('bank_balances', 'select, insert');

-- A payment, by the provider's id, pays one top-up. `second` came after the top-up was paid.
create table provider_payments (
  provider    text not null,
  txn_id      text not null,
  account_id  uuid not null,
  topup_id    uuid not null,
  amount      bigint not null check (amount > 0),
  outcome     text not null check (outcome in ('paid', 'second')),
  at          timestamptz not null,
  primary key (provider, txn_id)
);
create unique index provider_payments_pay_once on provider_payments (account_id, topup_id)
  where outcome = 'paid';
create index provider_payments_second on provider_payments (at) where outcome = 'second';
call all_accounts_table('provider_payments', 'select');

-- When to poll a gateway for an order. Apart from the top-up, which is final once paid.
create table gateway_orders (
  account_id      uuid not null,
  topup_id        uuid not null,
  provider        text not null check (provider in ('midtrans', 'xendit')),
  -- Moved on before polling, so that a second worker finds nothing due.
  next_poll_at    timestamptz,
  polls           int not null default 0,
  -- The provider reports a refund or a dispute: an operator has to look.
  flag            text,
  flagged_at      timestamptz,
  -- The part that the gateway refunded by itself. Null: all of it, or unknown. Then who settled it here.
  returned        bigint check (returned > 0),
  settled_at      timestamptz,
  settled_by      uuid,
  settled_reason  text,
  primary key (account_id, topup_id),
  foreign key (account_id, topup_id) references topups,
  check ((flag is null) = (flagged_at is null)),
  constraint settled_by_somebody check (
    (settled_at is null) = (settled_by is null) and (settled_at is null) = (settled_reason is null)
    and (settled_at is null or flag is not null)
  )
);
create index gateway_orders_due on gateway_orders (next_poll_at) where next_poll_at is not null;
create index gateway_orders_flagged on gateway_orders (flagged_at) where flag is not null;
call tenant_table('gateway_orders', 'select, insert');
grant update (
  next_poll_at, polls, flag, flagged_at, returned, settled_at, settled_by, settled_reason
) on gateway_orders to kabari_app;

create table payment_inbox (
  inbox_id      uuid primary key,
  provider      text not null check (provider in ('midtrans', 'xendit')),
  -- The same for a repeated notification.
  dedupe        text not null,
  -- The headers needed for verification, and the sender; nothing secret.
  headers       jsonb not null,
  raw           bytea not null check (octet_length(raw) <= 65536),
  -- The order it claims to be about; not trusted.
  order_ref     text not null,
  txn_id        text,
  verified      boolean not null,
  received_at   timestamptz not null,
  processed_at  timestamptz,
  attempts      int not null default 0,
  next_try_at   timestamptz not null,
  result        text,
  constraint inbox_dedupe unique (provider, dedupe),
  check ((processed_at is null) = (result is null))
);
create index payment_inbox_due on payment_inbox (next_try_at) where processed_at is null;
create index payment_inbox_by_order on payment_inbox (order_ref);
create index payment_inbox_dead on payment_inbox (inbox_id) where result = 'dead';
create index payment_inbox_done on payment_inbox (processed_at) where processed_at is not null;
call all_accounts_table('payment_inbox', 'select, insert, delete');
grant update (received_at, processed_at, attempts, next_try_at, result) on payment_inbox to kabari_app;

-- Refunds of payments. The money leaves the balance (or suspense) before it is paid out.
create table refunds (
  account_id   uuid not null,
  refund_id    uuid not null,
  topup_id     uuid not null,
  provider     text not null,
  txn_id       text not null,
  -- The whole amount received with the payment.
  amount       bigint not null check (amount > 0),
  -- The part taken from the balance, and the part taken from PPN.
  from_saldo   bigint not null check (from_saldo >= 0),
  from_ppn     bigint not null check (from_ppn >= 0),
  -- `gateway` until it rejects the refund; then it is transferred by hand.
  way          text not null check (way in ('gateway', 'manual')),
  status       text not null default 'open' check (status in ('open', 'done')),
  reason       text not null,
  operator_id  uuid not null,
  reference    text,
  created_at   timestamptz not null,
  done_at      timestamptz,
  primary key (account_id, refund_id),
  constraint refund_once unique (account_id, provider, txn_id),
  foreign key (account_id, topup_id) references topups,
  check ((status = 'done') = (done_at is not null)),
  check (status = 'open' or reference is not null)
);
create index refunds_open on refunds (created_at) where status = 'open';
-- One bank transfer completes one refund.
create unique index refund_reference_once on refunds (upper(reference))
  where way = 'manual' and reference <> '';
call tenant_table('refunds', 'select');
grant update (reason, reference) on refunds to kabari_app;

create table reconciliations (
  reconciliation_id  uuid primary key,
  at                 timestamptz not null,
  is_ok              boolean not null,
  findings           jsonb not null
);
call all_accounts_table('reconciliations', 'select, insert');

-- Corrections booked by operators: at once up to a limit, above it after a second operator approved. The owner sees the
-- ledger entry, not this row.
create table adjustments (
  account_id     uuid not null references accounts,
  adjustment_id  uuid not null,
  request_key    uuid not null,
  kind           text not null
                 check (kind in ('adjust', 'refund', 'payout', 'suspense_credit', 'suspense_return', 'payment_refund')),
  -- The change of the balance; for a return to the payer, the amount that leaves the bank, negative.
  amount         bigint not null check (amount <> 0),
  -- The contra account of an adjustment; the account a payout or a return is paid from.
  gl_account     text references gl_accounts,
  message_id     uuid,
  -- The payment in suspense.
  provider       text,
  txn_id         text,
  -- The bank's reference of the transfer, and the receiver.
  reference      text,
  payee          text,
  reason         text not null,
  needs_second   boolean not null,
  proposed_by    uuid not null,
  proposed_at    timestamptz not null,
  expires_at     timestamptz not null,
  status         text not null default 'pending' check (status in ('pending', 'done', 'refused', 'withdrawn')),
  decided_by     uuid,
  decided_at     timestamptz,
  decision_note  text,
  topup_id       uuid,
  primary key (account_id, adjustment_id),
  constraint adjustment_asked_once unique (account_id, request_key),
  constraint decision_is_whole check ((status = 'pending') = (decided_by is null)
    and (status = 'pending') = (decided_at is null)),
  constraint second_operator_approves check (
    status <> 'done' or not needs_second or decided_by <> proposed_by
  ),
  constraint only_proposer_withdraws check (status <> 'withdrawn' or decided_by = proposed_by),
  constraint kind_has_its_facts check (
    (kind = 'refund') = (message_id is not null)
    and (kind = 'payment_refund') = (topup_id is not null)
    and (kind like 'suspense%' or kind = 'payment_refund')
      = (provider is not null and txn_id is not null)
    and (kind in ('payout', 'suspense_return')) = (reference is not null)
    and (kind in ('payout', 'suspense_return')) = (payee is not null)
    and (kind in ('adjust', 'payout', 'suspense_return')) = (gl_account is not null)
  ),
  constraint kind_has_its_sign check (
    case when kind in ('payout', 'suspense_return', 'payment_refund') then amount < 0
      when kind in ('refund', 'suspense_credit') then amount > 0 else true end
  )
);
create index adjustments_newest on adjustments (adjustment_id);
create index adjustments_by_status on adjustments (status, adjustment_id);
-- A bank reference is taken by what was booked with it. For pending proposals claimReference checks it, because they
-- expire.
create unique index adjustment_reference_once
  on adjustments (gl_account, upper(reference))
  where reference is not null and status = 'done';
call all_accounts_table('adjustments', 'select');
grant insert (
  account_id, adjustment_id, request_key, kind, amount, gl_account, message_id, provider, txn_id,
  reference, payee, reason, needs_second, proposed_by, proposed_at, expires_at, topup_id
) on adjustments to kabari_app;

-- Payments that left suspense: credited to the balance or returned to the payer. Once for each payment.
create table suspense_resolutions (
  account_id     uuid not null,
  provider       text not null,
  txn_id         text not null,
  resolution     text not null check (resolution in ('credited', 'returned')),
  amount         bigint not null check (amount > 0),
  adjustment_id  uuid not null,
  at             timestamptz not null,
  primary key (account_id, provider, txn_id)
);
call all_accounts_table('suspense_resolutions', 'select');

create table suspense_notes (
  account_id   uuid not null,
  note_id      uuid not null,
  provider     text not null,
  txn_id       text not null,
  note         text not null,
  operator_id  uuid not null,
  at           timestamptz not null,
  primary key (account_id, note_id)
);
call all_accounts_table('suspense_notes', 'select, insert');

-- Approvals to spend the welcome bonus on any number, with operator and reason. Once per customer.
create table bonus_approvals (
  account_id   uuid primary key references accounts,
  reason       text not null,
  operator_id  uuid not null,
  at           timestamptz not null,
  -- The amount that the approval released.
  amount       bigint not null default 0 check (amount >= 0)
);
call all_accounts_table('bonus_approvals', 'select, insert');

-- ----------------------------------------------------------------------------
-- Files and media
-- ----------------------------------------------------------------------------

-- Stored files. Their bytes are in the data folder or the S3 store, named by their sha256.
create table files (
  account_id  uuid not null references accounts,
  file_id     uuid not null,
  name        text not null,
  -- Detected from the bytes.
  mime        text not null,
  size_bytes  bigint not null check (size_bytes >= 0),
  sha256      bytea not null,
  created_at  timestamptz not null default clock_timestamp(),
  primary key (account_id, file_id)
);
-- Whether any account, or this one, still uses the bytes of a hash.
create index files_by_sha256 on files (sha256, account_id);
call tenant_table('files', 'select, insert, delete');

-- Files that are being uploaded. Parts are written and synced before the row names them, so the row alone says what has
-- been received.
create table uploads (
  account_id      uuid not null references accounts,
  upload_id       uuid not null,
  user_id         uuid not null,
  purpose         text not null check (purpose in ('avatar', 'chat', 'proof', 'statement', 'media', 'recipients')),
  -- receiving → finished → claimed, or refused.
  state           text not null default 'receiving'
                    check (state in ('receiving', 'finished', 'claimed', 'refused')),
  -- The name given by the sender; empty until a part has one.
  name            text not null default '',
  -- The type declared by the sender; may be empty.
  declared        text not null default '',
  crop            jsonb,
  -- Size of the whole file. Counts in the account's quota until the upload is claimed or gone.
  length_bytes    bigint not null check (length_bytes >= 0),
  received_bytes  bigint not null default 0
                    constraint upload_within_length check (received_bytes between 0 and length_bytes),
  -- The parts in order, and the bytes of the newest, by which a repeated part is recognised.
  parts           uuid[] not null default '{}',
  last_offset     bigint,
  last_sha256     bytea,
  -- The check of the finished bytes is leased until then.
  checked_until   timestamptz,
  refusal         jsonb,
  file_id         uuid,
  created_at      timestamptz not null default clock_timestamp(),
  expires_at      timestamptz not null,
  primary key (account_id, upload_id),
  foreign key (account_id, file_id) references files,
  constraint upload_finished_has_file check ((state in ('finished', 'claimed')) = (file_id is not null))
);
create index uploads_by_expiry on uploads (expires_at);
-- For the deletion of a file, which looks for rows that refer to it.
create index uploads_by_file on uploads (account_id, file_id) where file_id is not null;
call tenant_table('uploads');

-- Bytes of the files of an account, each content counted once. Computed at the first use.
create table storage_usage (
  account_id  uuid primary key references accounts,
  bytes       bigint not null
) with (fillfactor = 50);
call tenant_table('storage_usage');

-- Files sent, fetched or received in messages. Their id (`med_…`) is the id of the file.
create table media_library (
  account_id  uuid not null references accounts,
  file_id     uuid not null,
  -- Uploaded by the API, fetched from a link, received by a channel, or uploaded in the portal.
  source      text not null check (source in ('api', 'link', 'channel', 'portal')),
  -- A small version of a picture, as a file of its own.
  preview_id  uuid,
  -- Loudness of a sound in 64 parts of equal length, 0 to 100, and its length.
  waveform    smallint[],
  seconds     real,
  -- Moved on whenever a message uses the file.
  expires_at  timestamptz not null,
  created_at  timestamptz not null default clock_timestamp(),
  -- In pixels, upright. NULL for files that are not images.
  width       int,
  height      int,
  primary key (account_id, file_id),
  foreign key (account_id, file_id) references files,
  foreign key (account_id, preview_id) references files
);
create index media_library_by_expiry on media_library (expires_at);
-- For the deletion of a file, which looks for rows that refer to it. Other foreign keys without an index refer to rows
-- that are never deleted.
create index media_library_by_preview on media_library (account_id, preview_id) where preview_id is not null;
call tenant_table('media_library');

-- Links that are fetched once for all messages of the next minutes. A worker owns a fetch until `lease_until`; `tries`
-- fences a former owner.
create table media_fetches (
  account_id   uuid not null references accounts,
  fetch_id     uuid not null,
  link         text not null,
  link_hash    bytea not null,
  -- The message type, which the file must match.
  kind         text not null check (kind in ('image', 'video', 'audio', 'document', 'sticker')),
  state        text not null default 'waiting' check (state in ('waiting', 'done', 'failed')),
  tries        int not null default 0,
  due_at       timestamptz not null default clock_timestamp(),
  lease_until  timestamptz,
  file_id      uuid,
  failure      text,
  ended_at     timestamptz,
  created_at   timestamptz not null default clock_timestamp(),
  primary key (account_id, fetch_id),
  unique (account_id, link_hash, kind),
  constraint media_fetch_ended check (
    (state = 'waiting') = (ended_at is null) and (state = 'done') = (file_id is not null)
      and (state = 'failed') = (failure is not null))
);
create index media_fetches_ended on media_fetches (ended_at);
-- The next links of an account, and those that are being fetched.
create index media_fetches_waiting on media_fetches (account_id, due_at) where state = 'waiting';
create index media_fetches_leased on media_fetches (account_id, lease_until)
  where state = 'waiting' and lease_until is not null;
call tenant_table('media_fetches');

-- ----------------------------------------------------------------------------
-- Messages
-- ----------------------------------------------------------------------------

-- The rules within a row of messages, in a function for the same reason as entry_has_shape: known direction and charge
-- state, a price that is not negative and held exactly where there is one, entries in their order.
create function message_is_lawful(
  p_direction text, p_price bigint, p_charge text, p_hold bigint, p_settle bigint, p_correct bigint
) returns boolean
language plpgsql immutable parallel safe as $$
begin
  return p_direction in ('out', 'in') and p_price >= 0
    and coalesce(p_charge in ('held', 'captured', 'released', 'waived'), true)
    and (p_price > 0) = (p_hold is not null)
    and (p_settle is null or coalesce(p_settle > p_hold, true))
    and (p_correct is null or coalesce(p_correct > p_settle, true));
end
$$;

-- Partitioned by month on the UUIDv7: a time range is an id range. The history finds its pages by rollups, so that no
-- filter needs an index of its own.
create table messages (
  account_id          uuid not null,
  message_id          uuid not null,
  token_id            uuid not null,
  peer                text not null,
  direction           text not null,
  type                text not null,
  body                jsonb not null,
  status              text not null,
  price               bigint not null,
  -- waived: refunded by mistake when the balance no longer covered the price, so the installation bears it.
  charge_state        text,
  hold_seq            bigint,
  settle_seq          bigint,
  -- The entry that charged the price again after a mistaken refund.
  correct_seq         bigint,
  ref                 text,
  failure             text,
  possible_duplicate  boolean not null default false,
  expires_at          timestamptz,
  created_at          timestamptz not null,
  -- The period of the plan whose quota the message used; its price is 0 then.
  plan_round          int,
  primary key (account_id, message_id),
  constraint message_is_lawful check (
    message_is_lawful(direction, price, charge_state, hold_seq, settle_seq, correct_seq)
  )
) partition by range (message_id);
-- The months around the first start. ensure_message_partitions makes later ones ahead.
create table messages_default partition of messages default with (fillfactor = 80);
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
-- No index on columns that change (status, charge_state, settle_seq), so that updates stay HOT.
create index messages_by_peer on messages (account_id, peer text_pattern_ops, message_id);
create index messages_by_hold on messages (account_id, hold_seq) where hold_seq is not null;
create index messages_by_correction on messages (account_id, correct_seq) where correct_seq is not null;
-- Phones within 70 minutes (2^22 ms) of ids: finds the newest messages to numbers with a common beginning without
-- reading the older ones. Sorted by "C", as messages_by_peer is; a statement chooses one of the two by `collate`.
create index messages_by_span on messages (
  account_id, (('x' || substr(message_id::text, 1, 8))::bit(26)::int), peer collate "C", message_id
);
-- The reactions to a message, read for each page of a conversation.
create index messages_reactions on messages (account_id, (body->>'message_id'), message_id)
  where type = 'reaction';
call tenant_table('messages', 'select');

-- The timeline of a message. Append-only, except while an account is erased. `n` tells attempts apart; a repeated
-- receipt is one row.
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

-- Idempotency-Key and the response to it, kept for 30 days.
create table idempotency_keys (
  account_id      uuid not null,
  token_id        uuid not null,
  key             text not null,
  hash            bytea not null,
  message_ids     uuid[] not null,
  -- Null: every item was accepted. Otherwise one outcome per item.
  outcomes        jsonb,
  -- Other inputs of the first response: hour, price, language, and items rejected before intake.
  answer_context  jsonb,
  saldo           bigint not null,
  created_at      timestamptz not null default clock_timestamp(),
  primary key (account_id, token_id, key)
);
-- Rows come in the order of time and are searched by it only when they are old.
create index idempotency_keys_by_age on idempotency_keys using brin (created_at);
call tenant_table('idempotency_keys', 'select, delete');

-- The caller's reference of a message, unique per account, kept for 30 days.
create table message_refs (
  account_id  uuid not null,
  ref         text not null,
  message_id  uuid not null,
  hash        bytea not null,
  created_at  timestamptz not null default clock_timestamp(),
  primary key (account_id, ref)
);
create index message_refs_by_age on message_refs using brin (created_at);
call tenant_table('message_refs', 'select, delete');

-- Templates: texts with variables, sent by name. One per name and language of an account.
create table message_templates (
  account_id    uuid not null references accounts,
  template_id   uuid not null,
  name          text not null,
  language      text not null,
  category      text not null check (category in ('utility', 'marketing', 'authentication')),
  header        text,
  body          text not null,
  footer        text,
  buttons       text[] not null default '{}',
  status        text not null check (status in ('approved', 'pending', 'rejected')),
  reason        text,
  created_at    timestamptz not null default now(),
  -- The id of the network that reviews it. Null: it is only ours.
  network_id    text,
  -- The kind of file above the text; null: none.
  header_file   text check (header_file in ('image', 'video', 'document')),
  -- The kind of each button in `buttons`: a reply, a URL or a code that each message fills in, or a fixed one. Empty:
  -- all are replies.
  button_kinds  text[] not null default '{}' check (button_kinds <@ array['reply', 'url', 'code', 'fixed']),
  -- The tokens whose business account approved the template, if a network reviews it.
  token_ids     uuid[] not null default '{}',
  primary key (account_id, template_id),
  constraint template_name_once unique (account_id, name, language)
);
call tenant_table('message_templates', 'select, insert, update, delete');

create table optouts (
  account_id  uuid not null,
  token_id    uuid not null,
  peer        text not null,
  created_at  timestamptz not null default clock_timestamp(),
  -- How: by replying (STOP), by an API call or in the portal; and why, when it was not the recipient who asked.
  source      text not null check (source in ('portal', 'api', 'reply')),
  reason      text check (char_length(reason) between 1 and 200),
  primary key (account_id, token_id, peer),
  foreign key (account_id, token_id) references tokens
);
call tenant_table('optouts');

create table message_views (
  account_id  uuid not null references accounts,
  user_id     uuid not null,
  view_id     uuid not null,
  name        text not null check (char_length(name) between 1 and 40),
  filters     jsonb not null,
  created_at  timestamptz not null default clock_timestamp(),
  primary key (account_id, view_id),
  foreign key (account_id, user_id) references users (account_id, user_id)
);
create unique index message_views_one_name on message_views (account_id, user_id, lower(name));
call tenant_table('message_views');

-- Accesses of operators to the text of a customer's message, with reasons (docs/threats.md, T48).
create table message_disclosures (
  account_id     uuid not null references accounts,
  disclosure_id  uuid not null,
  message_id     uuid not null,
  reason         text not null,
  operator_id    uuid not null,
  at             timestamptz not null,
  primary key (account_id, disclosure_id)
);
call all_accounts_table('message_disclosures', 'select, insert');

-- Exports of rows to a file: requested, made by a worker under a lease, kept for a day.
create table row_exports (
  account_id   uuid not null references accounts,
  -- Holds the time of the request: later rows are not in the file.
  export_id    uuid not null,
  user_id      uuid not null,
  kind         text not null check (kind in ('messages', 'campaign')),
  params       jsonb not null,
  format       text not null check (format in ('csv', 'xlsx')),
  timezone     text not null,
  -- empty: nothing matched, so there is no file.
  status       text not null default 'waiting' check (status in ('waiting', 'working', 'ready', 'empty', 'failed')),
  progress     int not null default 0 check (progress between 0 and 100),
  tries        int not null default 0,
  -- The attempt that is running or made the file; it names the file.
  owner        uuid,
  lease_until  timestamptz,
  rows         bigint,
  size_bytes   bigint,
  created_at   timestamptz not null default clock_timestamp(),
  expires_at   timestamptz,
  -- When the file was last begun. Workers serve the account next that was served longest ago.
  claimed_at   timestamptz,
  primary key (account_id, export_id),
  constraint ready_has_file check (
    status <> 'ready'
      or (owner is not null and rows is not null and size_bytes is not null and expires_at is not null)
  )
);
create index row_exports_under_way on row_exports (created_at) where status in ('waiting', 'working');
create index row_exports_by_age on row_exports (created_at);
call tenant_table('row_exports');

-- ----------------------------------------------------------------------------
-- Conversations
-- ----------------------------------------------------------------------------

-- A conversation of a token with a number. No foreign key: checking it for each message cost more than the row.
create table conversations (
  account_id       uuid not null,
  token_id         uuid not null,
  peer             text not null,
  peer_name        text,
  seq              bigint not null default 0,
  last_message_id  uuid not null,
  last_at          timestamptz not null,
  unread           int not null default 0,
  -- When the other side last wrote. The Cloud API allows templates only from 24 hours after that.
  last_in_at       timestamptz,
  primary key (account_id, token_id, peer)
) with (fillfactor = 70);
create index conversations_newest on conversations (account_id, last_at desc);
create index conversations_unread on conversations (account_id) where unread > 0;
create index conversations_by_peer on conversations (account_id, peer text_pattern_ops);
create index conversations_by_name
  on conversations (account_id, lower(peer_name) text_pattern_ops) where peer_name is not null;
call tenant_table('conversations');

-- Names that an account gives to numbers, shown instead of the names from the network.
create table contacts (
  account_id  uuid not null references accounts,
  peer        text not null,
  name        text not null check (name <> ''),
  updated_at  timestamptz not null default clock_timestamp(),
  primary key (account_id, peer)
);
create index contacts_by_name on contacts (account_id, lower(name) text_pattern_ops);
call tenant_table('contacts', 'select, insert, update, delete');

create table pinned_conversations (
  account_id  uuid not null,
  token_id    uuid not null,
  peer        text not null,
  pinned_at   timestamptz not null default clock_timestamp(),
  primary key (account_id, token_id, peer),
  foreign key (account_id, token_id, peer) references conversations on delete cascade
);
call tenant_table('pinned_conversations', 'select, insert, delete');

-- Texts used often, inserted by `/` and the beginning of their name.
create table quick_replies (
  account_id  uuid not null references accounts,
  name        text not null,
  text        text not null,
  updated_at  timestamptz not null default clock_timestamp(),
  primary key (account_id, name)
);
call tenant_table('quick_replies', 'select, insert, update, delete');

-- ----------------------------------------------------------------------------
-- Dispatch
-- ----------------------------------------------------------------------------

-- The queue of outgoing messages. Small, so that updates of the large table stay cheap.
create table dispatch (
  account_id    uuid not null,
  message_id    uuid not null,
  token_id      uuid not null,
  -- 0 otp, 1 normal, 2 bulk
  priority      smallint not null,
  peer          text not null,
  -- ready: may be sent; sending: handed to the channel under `epoch`; unknown: no response, a receipt is awaited until
  -- ready_at.
  state         text not null default 'ready' check (state in ('ready', 'sending', 'unknown')),
  ready_at      timestamptz not null,
  expires_at    timestamptz,
  attempt       int not null default 0,
  unknowns      int not null default 0,
  epoch         bigint,
  -- When the last attempt began.
  tried_at      timestamptz,
  -- Set when an attempt may have been sent without a response: a receipt is awaited until then. It stays set. Null:
  -- certainly not sent.
  unsure_until  timestamptz,
  -- The result of the last attempt, waiting for settlement. Null: unknown.
  outcome       text check (outcome in ('sent', 'failed', 'expired')),
  failure       text,
  outcome_at    timestamptz,
  -- A text that must not be stored in `messages`; deleted with the row.
  secret        text,
  -- The media fetch that the message waits for.
  awaits        uuid,
  primary key (account_id, message_id),
  constraint outcome_has_time check ((outcome is null) = (outcome_at is null))
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);
create index dispatch_lane on dispatch (account_id, token_id, priority, message_id);
create index dispatch_expiry on dispatch (expires_at) where expires_at is not null;
create index dispatch_conversation on dispatch (account_id, token_id, peer, message_id);
create index dispatch_by_fetch on dispatch (account_id, awaits) where awaits is not null;
call tenant_table('dispatch', 'select');

-- A token's lane is owned by one worker at a time, by the database's clock, fenced by `epoch`.
create table lanes (
  account_id   uuid not null,
  token_id     uuid not null,
  owner        uuid,
  epoch        bigint not null default 0,
  lease_until  timestamptz,
  -- The earliest work, null when there is none. `wakes` counts wake-ups, so that a worker that closes the lane sees
  -- whether anything came meanwhile.
  ready_at     timestamptz,
  wakes        bigint not null default 0,
  -- Messages accepted on the lane's last day (WIB), counted in the same update as the wake-up.
  day          date,
  accepted     int not null default 0,
  -- Whether a message of the token has ever offered choices. If not, replies need no lookup.
  has_choices  boolean not null default false,
  primary key (account_id, token_id),
  foreign key (account_id, token_id) references tokens
) with (fillfactor = 50);
create index lanes_due on lanes (ready_at) where ready_at is not null;
call tenant_table('lanes');

-- Receipts for unknown messages, tried again for a day.
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

-- ----------------------------------------------------------------------------
-- Events
-- ----------------------------------------------------------------------------

-- Events that are not published yet, written in the transaction they describe. A row may stand for a batch.
create table outbox (
  account_id       uuid not null,
  outbox_id        uuid not null,
  at               timestamptz not null default clock_timestamp(),
  kind             text not null,
  -- For messages: arrays with one element per message.
  message_ids      uuid[],
  token_ids        uuid[],
  peers            text[],
  statuses         text[],
  data             jsonb,
  -- An event that cannot be published is set aside and retried later, so that it does not block others.
  tries            int not null default 0,
  retry_at         timestamptz,
  -- For counting, one element per message. `statuses_before` is null for a new message; a cost is 0 when it was
  -- refunded or waived.
  types            text[],
  statuses_before  text[],
  costs            bigint[],
  costs_before     bigint[],
  primary key (account_id, outbox_id)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);
create index outbox_in_order on outbox (at);
call tenant_table('outbox');

create table event_positions (
  account_id  uuid primary key,
  last        bigint not null,
  -- The wallet entry whose balance was published last: an older one is not published after it.
  saldo_seq   bigint not null default 0
) with (fillfactor = 50);
call tenant_table('event_positions');

-- Published events, read by the live stream and the pull feed; kept for 30 days. Old ones are found at the beginning of
-- the account's positions.
create table events (
  account_id        uuid not null,
  position          bigint not null,
  kind              text not null,
  message_id        uuid,
  conversation_seq  bigint,
  data              jsonb,
  at                timestamptz not null default clock_timestamp(),
  -- For messages `data` holds only what these columns do not.
  token_id          uuid,
  peer              text,
  type              text,
  status            text,
  status_before     text,
  cost              bigint,
  cost_before       bigint,
  primary key (account_id, position)
);
call tenant_table('events');

create view unpublished_messages with (security_invoker = true) as
  select o.account_id, i.message_id
  from outbox o cross join lateral unnest(o.message_ids, o.statuses_before) as i(message_id, status_before)
  where o.types is not null and i.status_before is null;
grant select on unpublished_messages to kabari_app;

-- ----------------------------------------------------------------------------
-- Word search
-- ----------------------------------------------------------------------------

-- Word search of the history (docs/decisions/020-history-and-search.md). A worker takes in batches of about 2,048
-- consecutive ids. Messages after word_cursors.upto are searched by their text. `ids` gives the meaning of a place in
-- message_words.
create table word_batches (
  account_id  uuid not null,
  -- The last id and the first.
  upto        uuid not null,
  low         uuid not null,
  ids         uuid[] not null,
  primary key (account_id, upto)
);
call tenant_table('word_batches', 'select, insert, delete');

-- The messages of a batch that contain a word: as bits, one per place, or if few as places with their ids. Words that
-- begin with '=' are a direction, a type or a token.
create table message_words (
  account_id  uuid not null,
  word        text collate "C" not null,
  upto        uuid not null,
  places      smallint[],
  ids         uuid[],
  bits        bit varying,
  primary key (account_id, word, upto),
  constraint bits_or_places check ((bits is null) = (places is not null) and (places is null) = (ids is null))
);
call tenant_table('message_words', 'select, insert, update, delete');

-- The id up to which an account's messages are in batches. A message stored below it later has an event after
-- `position` until it is in a batch.
create table word_cursors (
  account_id  uuid primary key,
  upto        uuid not null,
  position    bigint not null
);
call tenant_table('word_cursors', 'select, insert, update, delete');

-- ----------------------------------------------------------------------------
-- Counts of messages
-- ----------------------------------------------------------------------------

-- Counts by hour of acceptance, folded from events. Page numbers of the history come from these.
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

-- The rollups summed per day and month (WIB), so that a page is found by months, then days, then hours: summing 79,000
-- rollups of 1,000,000 messages took 60 ms a page. Updated in the same statement as a rollup; a trigger per row cost
-- the intake more.
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

-- Why messages failed, by hour of acceptance. Folded with the rollups.
create table failure_counts (
  account_id  uuid not null,
  hour        timestamptz not null,
  token_id    uuid not null,
  failure     text not null,
  messages    bigint not null,
  primary key (account_id, hour, token_id, failure)
) with (fillfactor = 50);
create index failure_counts_by_hour on failure_counts (hour);
call tenant_table('failure_counts', 'select, delete');

-- Messages accepted per minute over all accounts, kept for two hours.
create table message_minutes (
  minute    timestamptz primary key,
  messages  bigint not null
);
call all_accounts_table('message_minutes', 'select, insert, update, delete');

-- The event up to which an account's changes are in rollups and rollup_sums.
create table count_cursors (
  account_id  uuid primary key,
  position    bigint not null
) with (fillfactor = 50);
call tenant_table('count_cursors', 'select');

-- Changes of the counts by published events; other events have no type.
create view message_changes with (security_invoker = true) as
  select account_id, position, kind, message_id, token_id, type, status, status_before, cost, cost_before
  from events;
grant select on message_changes to kabari_app;

-- Changes that are not in the rollups yet: +1 for the new state of a message, -1 for the previous one.
create view pending_counts with (security_invoker = true) as
  select c.account_id, date_trunc('hour', to_timestamp(
      ('x' || left(replace(c.message_id::text, '-', ''), 12))::bit(48)::bigint / 1000.0
    )) as hour,
    c.token_id, case when c.kind = 'message.received' then 'in' else 'out' end as direction,
    s.status, c.type, s.messages, s.cost
  from (
    select e.account_id, e.kind, e.message_id, e.token_id, e.type, e.status, e.status_before, e.cost,
      e.cost_before
    from message_changes e left join count_cursors m on m.account_id = e.account_id
    where e.position > coalesce(m.position, 0) and e.type is not null
    union all
    select o.account_id, o.kind, i.message_id, i.token_id, i.type, i.status, i.status_before, i.cost,
      i.cost_before
    from outbox o cross join lateral unnest(
      o.message_ids, o.token_ids, o.types, o.statuses, o.statuses_before, o.costs, o.costs_before
    ) as i(message_id, token_id, type, status, status_before, cost, cost_before)
    where o.types is not null
  ) c
  cross join lateral (values
    (c.status_before, -1::bigint, -c.cost_before), (c.status, 1::bigint, c.cost)
  ) as s(status, messages, cost)
  where s.status is not null;
grant select on pending_counts to kabari_app;

-- Current counts: rollups plus pending changes. Sums over them are exact within one statement.
create view message_counts with (security_invoker = true) as
  select account_id, hour, token_id, direction, status, type, messages, cost from rollups
  union all
  select account_id, hour, token_id, direction, status, type, messages, cost from pending_counts;
grant select on message_counts to kabari_app;

-- The same per day and per month (WIB).
create view message_count_sums with (security_invoker = true) as
  select account_id, grain, since, token_id, direction, status, type, messages from rollup_sums
  union all
  select p.account_id, g.grain, date_trunc(g.grain, p.hour at time zone 'Asia/Jakarta')::date,
    p.token_id, p.direction, p.status, p.type, p.messages
  from pending_counts p cross join (values ('day'), ('month')) as g(grain);
grant select on message_count_sums to kabari_app;

-- ----------------------------------------------------------------------------
-- Campaigns
-- ----------------------------------------------------------------------------

create table campaigns (
  account_id     uuid not null references accounts,
  campaign_id    uuid not null,
  token_id       uuid not null,
  created_by     uuid not null,
  name           text not null,
  status         text not null check (status in ('draft', 'running', 'paused', 'cancelled', 'done')),
  -- The state the worker is to bring it to, after withdrawing what has not been sent.
  becoming       text check (becoming in ('paused', 'cancelled')),
  pause_reason   text,
  -- Waits until then because its token has reached the daily limit.
  rests_until    timestamptz,
  -- With its variables, not filled in.
  content        jsonb,
  -- The headings of the list, without the number column.
  columns        text[] not null,
  starts_at      timestamptz,
  -- Messages per minute; null: as fast as the token sends.
  pace           int check (pace > 0),
  waiting        int not null default 0,
  placed         int not null default 0,
  refused        int not null default 0,
  cancelled      int not null default 0,
  invalid        int not null default 0,
  duplicate      int not null default 0,
  opted_out      int not null default 0,
  incomplete     int not null default 0,
  -- Messages by status up to campaign_cursors; then those that a pause withdrew.
  messages       jsonb not null default '{}',
  taken_back     int not null default 0,
  cost           bigint not null default 0,
  created_at     timestamptz not null,
  started_at     timestamptz,
  ended_at       timestamptz,
  -- The worker that processes it, by the database's clock.
  owner          uuid,
  lease_until    timestamptz,
  -- The heading of the column with the numbers.
  number_column  text not null default 'nomor',
  -- An upload becomes one draft, however often the call is repeated.
  upload_id      uuid,
  primary key (account_id, campaign_id),
  constraint campaign_token foreign key (account_id, token_id) references tokens,
  constraint counts_are_whole check (least(waiting, placed, refused, cancelled, invalid, duplicate, opted_out,
    incomplete, taken_back) >= 0),
  constraint started_has_content check (status = 'draft' or (content is not null and started_at is not null)),
  constraint becomes_from_under_way check (becoming is null or status in ('running', 'paused'))
) with (fillfactor = 50);
create index campaigns_under_way on campaigns (campaign_id) where status = 'running' or becoming is not null;
create index campaigns_by_token on campaigns (account_id, token_id);
create unique index campaigns_by_upload on campaigns (account_id, upload_id) where upload_id is not null;
call tenant_table('campaigns');

create table campaign_recipients (
  account_id   uuid not null,
  campaign_id  uuid not null,
  place        int not null,
  -- The number as written in the list, and normalised; null if invalid.
  written      text not null,
  peer         text,
  -- In the order of the campaign's columns.
  cells        text[] not null,
  state        text not null check (state in (
    'waiting', 'placed', 'refused', 'cancelled', 'invalid', 'duplicate', 'opted_out', 'incomplete'
  )),
  -- Number of times the message was withdrawn; each attempt has a reference of its own.
  taken_back   int not null default 0,
  message_id   uuid,
  -- Why it was not accepted: code and facts.
  refusal      jsonb,
  primary key (account_id, campaign_id, place),
  constraint campaign_of_recipient foreign key (account_id, campaign_id) references campaigns on delete cascade,
  constraint placed_has_message check ((state = 'placed') <= (message_id is not null))
) with (fillfactor = 70);
create index campaign_recipients_by_state on campaign_recipients (account_id, campaign_id, state, place);
call tenant_table('campaign_recipients');

-- The event up to which an account's campaign messages are counted.
create table campaign_cursors (
  account_id  uuid primary key references accounts,
  position    bigint not null
);
call tenant_table('campaign_cursors');

-- ----------------------------------------------------------------------------
-- Webhooks
-- ----------------------------------------------------------------------------

-- One per token. Events up to `position` have been taken.
create table webhooks (
  account_id       uuid not null references accounts,
  webhook_id       uuid not null,
  token_id         uuid not null,
  url              text not null,
  format           text not null check (format in ('kabari', 'cloud', 'fonnte', 'wablas')),
  -- The events that are sent; null: all, including those of later versions.
  kinds            text[],
  -- Sealed. The previous secret also signs until `previous_until`.
  secret           bytea not null,
  secret_hint      text not null,
  previous_secret  bytea,
  previous_until   timestamptz,
  state            text not null check (state in ('on', 'off')),
  off_reason       text check (off_reason in ('unconfirmed', 'owner', 'gone', 'failing')),
  -- The owner has not been notified yet that it was switched off.
  notice_due       boolean not null default false,
  position         bigint not null,
  -- Consecutive failures. After some it is tried one delivery at a time, not before `paused_until`.
  failures         int not null default 0,
  failing_since    timestamptz,
  paused_until     timestamptz,
  -- It responded too late: it gets few slots until then.
  slow_until       timestamptz,
  -- When something can be sent next; null: nothing.
  due_at           timestamptz,
  created_at       timestamptz not null,
  changed_at       timestamptz not null,
  -- The verify token the owner chose for the handshake of format `cloud`; null: derived from the id.
  verify_token     text,
  primary key (account_id, webhook_id),
  unique (account_id, token_id),
  foreign key (account_id, token_id) references tokens,
  constraint webhook_off check ((state = 'off') = (off_reason is not null))
) with (fillfactor = 50);
create index webhooks_due on webhooks (due_at) where due_at is not null;
create index webhooks_notices on webhooks (webhook_id) where notice_due;
-- Not unique: ids are random, and a distributed database cannot check uniqueness over all accounts.
create index webhooks_by_id on webhooks (webhook_id);
call tenant_table('webhooks');

-- A conversation of a webhook with waiting deliveries ('' for events without one): one delivery at a time. A claimed
-- lane belongs to a worker until `leased_until`, by the database's clock.
create table webhook_lanes (
  account_id    uuid not null,
  webhook_id    uuid not null,
  lane          text not null,
  due_at        timestamptz not null,
  claim         uuid,
  claimed_at    timestamptz,
  leased_until  timestamptz,
  -- The `replays` of the delivery when the lane was claimed for it.
  replays       int not null default 0,
  -- When the endpoint accepts other deliveries, a lane that waits for its retry is tried early, beside its schedule.
  -- `early_from`: a success that began later makes the lane due; null: none waits. `early_tries`: failed early attempts
  -- of its first delivery. `scheduled_at`: the scheduled time while it is due early.
  early_from    timestamptz,
  early_tries   int not null default 0,
  scheduled_at  timestamptz,
  primary key (account_id, webhook_id, lane),
  constraint webhook_lane_leased check ((claim is null) = (leased_until is null))
) with (fillfactor = 70);
create index webhook_lanes_ready on webhook_lanes (account_id, webhook_id, due_at) where claim is null;
create index webhook_lanes_leased on webhook_lanes (account_id, webhook_id) where claim is not null;
create index webhook_lanes_leases on webhook_lanes (leased_until) where claim is not null;
create index webhook_lanes_early on webhook_lanes (account_id, webhook_id, early_from)
  where claim is null and early_from is not null;
call tenant_table('webhook_lanes');

-- An event on its way to a webhook. The content is read from the event whenever it is sent.
create table webhook_deliveries (
  account_id   uuid not null,
  webhook_id   uuid not null,
  position     bigint not null,
  delivery_id  uuid not null,
  type         text not null,
  lane         text not null,
  at           timestamptz not null,
  state        text not null default 'waiting' check (state in ('waiting', 'delivered', 'parked', 'skipped')),
  -- Attempts since it was last started, and in all.
  tries        int not null default 0,
  attempts     int not null default 0,
  due_at       timestamptz,
  last_status  int,
  last_error   text,
  ended_at     timestamptz,
  -- Number of restarts of the delivery. If it differs from the lane's, a replay was requested during an attempt, and
  -- the outcome of that attempt does not complete the delivery.
  replays      int not null default 0,
  primary key (account_id, webhook_id, position),
  unique (account_id, delivery_id),
  constraint delivery_ended check ((state = 'waiting') = (ended_at is null))
) with (fillfactor = 80);
create index webhook_deliveries_waiting on webhook_deliveries (account_id, webhook_id, lane, position)
  where state = 'waiting';
create index webhook_deliveries_parked on webhook_deliveries (account_id, webhook_id, position)
  where state = 'parked';
-- Deliveries of a type, and those that the format cannot express. The type never changes, so updates stay as cheap as
-- with the primary key. Old deliveries are found by position, so there is no index by age.
create index webhook_deliveries_by_type on webhook_deliveries (account_id, webhook_id, type, position);
create index webhook_deliveries_skipped on webhook_deliveries (account_id, webhook_id, position)
  where state = 'skipped';
call tenant_table('webhook_deliveries');

create table webhook_attempts (
  account_id   uuid not null,
  delivery_id  uuid not null,
  n            int not null,
  at           timestamptz not null,
  ms           int not null,
  status       int,
  error        text,
  -- The headers that were sent, including the signature; never a secret.
  headers      jsonb not null,
  -- The first printable characters.
  answer       text not null,
  primary key (account_id, delivery_id, n)
);
call tenant_table('webhook_attempts');

-- ----------------------------------------------------------------------------
-- Channel: WhatsApp Cloud API
-- ----------------------------------------------------------------------------

-- Numbers of the Cloud API, over all accounts: finds the token of a callback address, and keeps a number to one token.
-- Secrets are sealed.
create table cloud_numbers (
  account_id       uuid not null,
  token_id         uuid not null,
  phone_number_id  text not null unique,
  waba_id          text not null,
  access_token     bytea not null,
  app_secret       bytea not null,
  -- The last part of the callback address, and the token Meta sends to verify it.
  callback_key     text not null unique,
  verify_token     bytea not null,
  verified_name    text,
  quality          text,
  -- Meta's first and last callback; null: never.
  verified_at      timestamptz,
  called_back_at   timestamptz,
  checked_at       timestamptz,
  -- Meta's error code of the last check; null: it succeeded.
  check_failure    text,
  connected_at     timestamptz not null default clock_timestamp(),
  primary key (account_id, token_id)
);
call all_accounts_table('cloud_numbers', 'select, insert, update, delete');

-- Meta's ids of our messages, for quotes in both directions. Deleted after 90 days.
create table cloud_refs (
  account_id  uuid not null,
  message_id  uuid not null,
  wamid       text not null,
  primary key (account_id, message_id)
);
create index cloud_refs_by_wamid on cloud_refs (account_id, wamid);
call tenant_table('cloud_refs');

-- Files that Meta already has, so that a picture for many recipients is uploaded once.
create table cloud_media (
  account_id  uuid not null,
  token_id    uuid not null,
  sha256      bytea not null,
  mime        text not null,
  media_id    text not null,
  expires_at  timestamptz not null,
  primary key (account_id, token_id, sha256, mime)
);
call tenant_table('cloud_media');

-- Incoming messages with a file that is not in the library yet: the callback is answered before the file is fetched. If
-- it cannot be fetched at first, the message is stored without it and gets it later.
create table cloud_inbound (
  account_id   uuid not null,
  token_id     uuid not null,
  wamid        text not null,
  -- The message as it will be stored, and where its file is.
  item         jsonb not null,
  is_stored    boolean not null default false,
  tries        int not null default 0,
  due_at       timestamptz not null default clock_timestamp(),
  received_at  timestamptz not null default clock_timestamp(),
  primary key (account_id, token_id, wamid),
  foreign key (account_id, token_id) references tokens
);
create index cloud_inbound_due on cloud_inbound (due_at);
call tenant_table('cloud_inbound');

-- Messages to groups, as Meta sent them: they belong to no private chat. Deleted after 90 days.
create table cloud_group_messages (
  account_id   uuid not null,
  token_id     uuid not null,
  wamid        text not null,
  message      jsonb not null,
  received_at  timestamptz not null default clock_timestamp(),
  primary key (account_id, token_id, wamid),
  foreign key (account_id, token_id) references tokens
);
call tenant_table('cloud_group_messages');

-- ----------------------------------------------------------------------------
-- Channel: WhatsApp Web
-- ----------------------------------------------------------------------------

-- Sessions of numbers with WhatsApp Web (docs/decisions/008-whatsapp-web.md). A session begins with a link, has its id,
-- and belongs to one worker at a time.
create table web_sessions (
  account_id     uuid not null,
  session_id     uuid not null,
  token_id       uuid not null,
  -- linking: its QR is shown; paired: a phone has read it; linked: the current session of the token; ended: replaced,
  -- and still to be logged out.
  state          text not null default 'linking' check (state in ('linking', 'paired', 'linked', 'ended')),
  -- The sealed identity and secrets of the session.
  creds          bytea,
  -- The sealed QR shown by /scan.
  qr             bytea,
  qr_expires_at  timestamptz,
  pairing_code   bytea,
  -- The worker that holds it. All writes require its epoch.
  owner          uuid,
  epoch          bigint not null default 0,
  lease_until    timestamptz,
  -- When the network last sent anything.
  last_seen_at   timestamptz,
  created_at     timestamptz not null default clock_timestamp(),
  primary key (account_id, session_id),
  foreign key (account_id, token_id) references tokens
) with (fillfactor = 70);
create index web_sessions_by_token on web_sessions (account_id, token_id);
create unique index web_sessions_linked on web_sessions (account_id, token_id) where state = 'linked';
call tenant_table('web_sessions');

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

-- Since when a token has a number: a new number starts slowly.
create table web_numbers (
  account_id       uuid not null,
  token_id         uuid not null,
  phone            text not null,
  first_linked_at  timestamptz not null default clock_timestamp(),
  primary key (account_id, token_id, phone),
  foreign key (account_id, token_id) references tokens
);
call tenant_table('web_numbers');

-- The existing chats of a token's number. The first message to another number begins a new one.
create table web_chats (
  account_id         uuid not null,
  token_id           uuid not null,
  peer               text not null,
  -- When we began it; null: the other side did.
  begun_at           timestamptz,
  first_received_at  timestamptz,
  primary key (account_id, token_id, peer),
  foreign key (account_id, token_id) references tokens
);
create index web_chats_begun on web_chats (account_id, token_id, begun_at) where begun_at is not null;
call tenant_table('web_chats');

-- Sent messages by their id in the network. The content is sealed and deleted after three days; until then it is sent
-- again to a phone that could not read it.
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
create unique index web_sent_by_wire_id on web_sent (account_id, token_id, wire_id);
create index web_sent_by_age on web_sent using brin (sent_at);
call tenant_table('web_sent');

-- Received items that could not be stored yet, for example because the sender's number is unknown. Sealed.
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

-- ----------------------------------------------------------------------------
-- Channel: simulator
-- ----------------------------------------------------------------------------

-- The simulated phone network. It stands outside, as a real one would: no account owns it.
create table sim_phones (
  phone    text primary key,
  offline  boolean not null default false,
  slow     boolean not null default false,
  blocked  boolean not null default false
);
grant select, insert, update, delete on sim_phones to kabari_app;

-- The messages on a phone. `line_id` of a received message is the sender's message id; submitting the same id again
-- only counts `submits` up.
create table sim_lines (
  phone               text not null,
  line_id             uuid not null,
  direction           text not null check (direction in ('in', 'out')),
  peer                text not null,
  type                text not null,
  body                jsonb not null,
  -- The account whose file the body names, if any.
  account_id          uuid,
  submits             int not null default 1,
  possible_duplicate  boolean not null default false,
  at                  timestamptz not null default clock_timestamp(),
  primary key (phone, line_id)
) with (fillfactor = 90);
create index sim_lines_by_age on sim_lines using brin (at);
grant select, insert, update, delete on sim_lines to kabari_app;

-- Items the network still has to send: receipts, replies, the end of a link. A row is deleted when its receiver has
-- stored it; while the phone is offline it waits.
create table sim_events (
  due_id      uuid primary key,
  kind        text not null check (kind in ('delivered', 'read', 'inbound', 'connect')),
  due_at      timestamptz not null,
  phone       text not null,
  -- delivered, read: the message and its account.
  account_id  uuid,
  message_id  uuid,
  -- inbound: the message and its destination; connect: the link.
  facts       jsonb,
  tries       int not null default 0
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);
create index sim_events_next on sim_events (due_at);
grant select, insert, update, delete on sim_events to kabari_app;

-- ----------------------------------------------------------------------------
-- Push notices to browsers
-- ----------------------------------------------------------------------------

-- Browsers that take notices (Web Push), over all accounts. The token is stored as a hash only; endpoint and keys are
-- sealed. An endpoint belongs to the person who registered it last.
create table push_subscriptions (
  subscription_id  uuid primary key,
  token_hash       bytea not null unique,
  endpoint_hash    bytea not null unique,
  -- The push service: `fcm.googleapis.com`, `*.push.apple.com`, or a listed origin.
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

-- Notices on their way, in the order of their messages per browser. The sender owns a notice until `ready_at`, and its
-- result counts only while `attempt` is unchanged.
create table push_queue (
  subscription_id  uuid not null references push_subscriptions on delete cascade,
  message_id       uuid not null,
  account_id       uuid not null,
  token_id         uuid,
  peer             text,
  peer_name        text,
  service          text not null,
  -- True once the service rejected it as too large: it is sent again without its text.
  bare             boolean not null default false,
  attempt          int not null default 0,
  ready_at         timestamptz not null default clock_timestamp(),
  expires_at       timestamptz not null default clock_timestamp() + interval '1 hour',
  -- Notices that are not about a message hold their own text. Their `message_id` is an id of their own, which keeps
  -- them in order.
  title            text,
  body             text,
  url              text,
  tag              text,
  -- For operators: only those with one of these roles; and the text shown instead of the body to those who want it.
  roles            text[],
  text             text,
  -- When a notice that waits for its next attempt failed. Null before the first attempt and while it is being sent.
  postponed_at     timestamptz,
  primary key (subscription_id, message_id),
  constraint notice_is_whole check (
    num_nonnulls(token_id, peer) = 2 and num_nonnulls(title, body, url, tag) = 0
    or num_nonnulls(token_id, peer) = 0 and num_nonnulls(title, body, url, tag) = 4
  )
);
create index push_queue_by_ready on push_queue (ready_at);
create index push_queue_by_expiry on push_queue (expires_at);
grant select, insert, update, delete on push_queue to kabari_app;

-- ----------------------------------------------------------------------------
-- Customer service
-- ----------------------------------------------------------------------------

-- One thread per account. Writing a message locks the row first, which gives messages their order.
create table support_threads (
  account_id       uuid primary key references accounts,
  status           text not null check (status in ('open', 'snoozed', 'closed')),
  assignee         uuid,
  snoozed_until    timestamptz,
  -- The newest message, and the newest that the customer sees.
  last_seq         bigint not null default 0,
  shown_seq        bigint not null default 0,
  customer_read    bigint not null default 0,
  operator_read    bigint not null default 0,
  -- Messages of the other side after the mark.
  customer_unread  int not null default 0,
  operator_unread  int not null default 0,
  -- Since when the customer waits for a reply.
  waiting_since    timestamptz,
  -- The newest reply, and the message that closed the thread last.
  answered_seq     bigint not null default 0,
  closed_seq       bigint not null default 0,
  -- Whether the last closing asks for a rating, and the score.
  asks_rating      boolean not null default false,
  score            int check (score between 1 and 5),
  -- The newest message except notes, as shown in the inbox.
  last_at          timestamptz not null,
  last_side        text not null,
  last_preview     text not null,
  constraint snoozed_has_time check ((status = 'snoozed') = (snoozed_until is not null)),
  constraint closed_waits_for_nothing check (status <> 'closed' or waiting_since is null),
  constraint shown_is_there check (shown_seq <= last_seq and customer_read <= shown_seq
    and operator_read <= last_seq and customer_unread >= 0 and operator_unread >= 0)
) with (fillfactor = 70);
create index support_threads_by_status on support_threads (status, last_at);
create index support_threads_waiting on support_threads (waiting_since) where waiting_since is not null;
call tenant_table('support_threads');

create table support_messages (
  account_id      uuid not null references support_threads,
  -- Without gaps; customers do not see those of notes.
  seq             bigint not null check (seq > 0),
  -- Made by the browser: the same id again is the same message.
  message_id      uuid not null,
  side            text not null check (side in ('customer', 'operator', 'system')),
  user_id         uuid,
  author          text,
  -- A note: only operators see it.
  internal        boolean not null default false,
  -- As in messages.type and messages.body.
  type            text not null,
  body            jsonb not null,
  size_bytes      bigint,
  -- The record that the message is about, as it was at the time.
  card            jsonb,
  event           text,
  -- For a reply: how many seconds of opening hours the customer waited.
  answer_seconds  int check (answer_seconds >= 0),
  at              timestamptz not null,
  words           tsvector not null generated always as (to_tsvector('simple'::regconfig,
                  coalesce(body ->> 'text', '') || ' ' || coalesce(body ->> 'caption', '') || ' '
                  || coalesce(body ->> 'filename', '') || ' ' || coalesce(body ->> 'name', '') || ' '
                  || coalesce(card ->> 'title', ''))) stored,
  primary key (account_id, seq),
  constraint support_message_once unique (account_id, message_id),
  constraint system_has_event check ((side = 'system') = (event is not null)),
  constraint person_has_id check ((side = 'system') = (user_id is null))
);
create index support_messages_by_words on support_messages using gin (words);
create index support_answers on support_messages (at) where answer_seconds is not null;
call tenant_table('support_messages', 'select, insert, delete');
-- A second check for notes: no connection that sees one account sees them.
create policy notes on support_messages as restrictive for select
  using (not internal or (select sees_all()));

-- One per closing at most.
create table support_ratings (
  account_id  uuid not null references support_threads,
  -- The message that closed the thread.
  closed_seq  bigint not null,
  score       int not null check (score between 1 and 5),
  comment     text not null,
  at          timestamptz not null,
  primary key (account_id, closed_seq)
);
call tenant_table('support_ratings', 'select, insert, delete');

create table support_canned (
  name        text primary key,
  text        text not null,
  updated_by  uuid not null,
  updated_at  timestamptz not null
);
call all_accounts_table('support_canned', 'select, insert, update, delete');

-- ----------------------------------------------------------------------------
-- Broadcasts
-- ----------------------------------------------------------------------------

create table broadcasts (
  broadcast_id  uuid primary key,
  request_key   uuid not null,
  title         text not null,
  body          text not null,
  tone          text not null check (tone in ('info', 'warning')),
  audience      text not null check (audience in ('all', 'linked', 'plan')),
  plan          text,
  from_at       timestamptz not null,
  until_at      timestamptz not null check (until_at > from_at),
  by_push       boolean not null,
  by_message    boolean not null,
  created_by    uuid not null,
  created_at    timestamptz not null,
  changed_by    uuid not null,
  changed_at    timestamptz not null,
  stopped_by    uuid,
  stopped_at    timestamptz,
  -- Recipients are queued account by account, up to this one; `ready_at` is set when all are.
  queued_to     uuid not null default '00000000-0000-0000-0000-000000000000',
  ready_at      timestamptz,
  constraint broadcast_asked_once unique (request_key),
  constraint plan_is_named check ((audience = 'plan') = (plan is not null)),
  constraint stop_is_whole check ((stopped_by is null) = (stopped_at is null))
);
create index broadcasts_by_end on broadcasts (until_at);
call all_accounts_table('broadcasts', 'select, insert, update');

-- Announcements closed by a person, on all browsers.
create table broadcast_reads (
  account_id    uuid not null references accounts,
  user_id       uuid not null,
  broadcast_id  uuid not null,
  read_at       timestamptz not null,
  primary key (account_id, user_id, broadcast_id)
);
create index broadcast_reads_by_broadcast on broadcast_reads (broadcast_id);
call tenant_table('broadcast_reads', 'select, insert, delete');

-- Recipients of announcements. Browsers are notified in the same transaction; the key of the message is the
-- broadcast.
create table broadcast_deliveries (
  account_id    uuid not null references accounts,
  broadcast_id  uuid not null references broadcasts,
  user_id       uuid not null,
  next_at       timestamptz not null,
  tries         int not null default 0,
  pushed_at     timestamptz,
  -- Set when no work remains.
  ended_at      timestamptz,
  -- The outcome of the message, if one is sent.
  outcome       text check (outcome in ('sent', 'opted_out', 'failed', 'stopped')),
  primary key (account_id, broadcast_id, user_id)
);
create index broadcast_deliveries_due on broadcast_deliveries (next_at) where ended_at is null;
create index broadcast_deliveries_by_broadcast on broadcast_deliveries (broadcast_id);
call all_accounts_table('broadcast_deliveries', 'select, insert, update, delete');
