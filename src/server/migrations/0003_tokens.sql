-- Tokens (the senders of an account), their keys, and how they are linked to a phone.

create table tokens (
  account_id    uuid not null references accounts,
  token_id      uuid not null,
  name          text not null,
  channel       text not null check (channel in ('simulator')),
  status        text not null default 'unlinked'
                check (status in ('unlinked', 'linking', 'linked', 'disconnected', 'suspended')),
  phone         text,
  key_hint      text not null,
  daily_limit   int not null default 1000 check (daily_limit > 0),
  -- Messages per second this token's lane may leave with; null: the installation's setting.
  pace          real,
  is_system     boolean not null default false,
  last_used_at  timestamptz,
  created_at    timestamptz not null default clock_timestamp(),
  -- The `cooling_since` of its account after which its owner said that it stays. A token made before the
  -- account's present one, and not kept since, is to be looked at.
  kept_since    timestamptz,
  deleted_at    timestamptz,
  primary key (account_id, token_id)
);
call tenant_table('tokens');

-- Looked up globally, by the SHA-256 of the key. A rotated key lives on until `expires_at`.
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
  -- The browser that agreed: only it sees the QR.
  nonce_hash     bytea,
  consent_at     timestamptz,
  consent_agent  text,
  -- What the present QR says, by its hash; at most 60 seconds old.
  qr_hash        bytea,
  qr_expires_at  timestamptz,
  phone          text,
  expires_at     timestamptz not null,
  created_at     timestamptz not null default clock_timestamp(),
  primary key (account_id, link_id),
  foreign key (account_id, token_id) references tokens
);
create index links_by_token on links (account_id, token_id, link_id);
call tenant_table('links');

-- Looked up globally: which token a linked phone belongs to.
create table linked_phones (
  channel     text not null,
  phone       text not null,
  account_id  uuid not null,
  token_id    uuid not null,
  linked_at   timestamptz not null default clock_timestamp(),
  primary key (channel, phone)
);
grant select, insert, update, delete on linked_phones to kabari_app;

-- Looked up globally: which link a pairing code belongs to, by an HMAC of the code.
create table link_codes (
  code_hash   bytea primary key,
  account_id  uuid not null,
  link_id     uuid not null,
  expires_at  timestamptz not null
);
grant select, insert, delete on link_codes to kabari_app;
