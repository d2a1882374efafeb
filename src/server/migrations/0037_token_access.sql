-- What calls with a token's keys may do, from where, and until when; and the calls that were refused.

alter table tokens
  add column scopes text[] not null default array[
    'messages.send', 'messages.read', 'media', 'account.read', 'link', 'webhooks', 'opt_outs'
  ] check (cardinality(scopes) between 1 and 20),
  -- Addresses and ranges (CIDR); none: from anywhere.
  add column allowed_addresses text[] not null default '{}' check (cardinality(allowed_addresses) <= 50),
  -- The last day, in WIB.
  add column expires_on date;

-- Calls of the API that were refused, counted: those alike within an hour are one row. Never a key, a text
-- or a phone number.
create table rejected_calls (
  account_id   uuid not null,
  token_id     uuid not null,
  -- The hour in which they came.
  hour         timestamptz not null,
  -- Of what makes calls alike: dialect, method, path, code, address and the fields that were wrong.
  fingerprint  bytea not null,
  dialect      text not null,
  method       text not null,
  -- As the endpoint is written, without what stands in its place.
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
