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
grant select, insert, update on token_keys to kabari_app;

-- Accepted per token and WIB day; counted in accept_batch, under the wallet's lock.
create table token_days (
  account_id  uuid not null,
  token_id    uuid not null,
  day         date not null,
  accepted    int not null,
  primary key (account_id, token_id, day)
) with (fillfactor = 50);
call tenant_table('token_days', 'select');

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
