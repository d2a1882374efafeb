-- The real networks beside the simulator: the WhatsApp Cloud API (`cloud`) and WhatsApp Web (`web`).

alter table tokens drop constraint tokens_channel_check;
alter table tokens add constraint tokens_channel_check check (channel in ('simulator', 'cloud', 'web'));

-- How a token's number stands in its network.
create table connections (
  account_id        uuid not null,
  token_id          uuid not null,
  channel           text not null,
  -- Connected since; null while it is parted.
  since             timestamptz,
  parted_at         timestamptz,
  -- Why: see `partings` in the contract.
  parted_reason     text,
  -- What the network restricts, and until when; null: until it says otherwise.
  restriction       text,
  restricted_at     timestamptz,
  restricted_until  timestamptz,
  last_receipt_at   timestamptz,
  primary key (account_id, token_id),
  foreign key (account_id, token_id) references tokens
) with (fillfactor = 70);
call tenant_table('connections');

-- When a number truly was connected: a span grows while its connection is seen to live, and no longer.
create table connection_spans (
  account_id  uuid not null,
  token_id    uuid not null,
  up_from     timestamptz not null,
  up_until    timestamptz not null check (up_until >= up_from),
  primary key (account_id, token_id, up_from),
  foreign key (account_id, token_id) references tokens
) with (fillfactor = 70);
call tenant_table('connection_spans');

-- What networks answered to tries, and told of messages, where it was no success: by hour and code.
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
call tenant_table('provider_answers');
create index provider_answers_by_hour on provider_answers (hour);

-- A number of the Cloud API. Looked up globally: which token a callback's address belongs to, and that a number has
-- one token only. The secrets are sealed.
create table cloud_numbers (
  account_id       uuid not null,
  token_id         uuid not null,
  phone_number_id  text not null unique,
  waba_id          text not null,
  access_token     bytea not null,
  app_secret       bytea not null,
  -- The last part of the callback's address, and what Meta must name when it asks whether it is ours.
  callback_key     text not null unique,
  verify_token     bytea not null,
  verified_name    text,
  quality          text,
  -- When Meta first, and last, called back; null: never.
  verified_at      timestamptz,
  called_back_at   timestamptz,
  checked_at       timestamptz,
  -- Why the last check failed: a code of Meta's; null: it did not.
  check_failure    text,
  connected_at     timestamptz not null default clock_timestamp(),
  primary key (account_id, token_id)
);
call all_accounts_table('cloud_numbers', 'select, insert, update, delete');

-- Meta's ids of messages of ours, for what quotes them, in both directions. Pruned after 90 days.
create table cloud_refs (
  account_id  uuid not null,
  message_id  uuid not null,
  wamid       text not null,
  primary key (account_id, message_id)
);
call tenant_table('cloud_refs');
create index cloud_refs_by_wamid on cloud_refs (account_id, wamid);

-- Files that Meta has from us, so that one picture to a thousand receivers is uploaded once.
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

-- What a message of the Cloud API costs, by its category.
insert into prices (category, price, valid_from) values
  ('marketing', 650, '2000-01-01T00:00:00+07:00'),
  ('utility', 400, '2000-01-01T00:00:00+07:00'),
  ('authentication', 400, '2000-01-01T00:00:00+07:00'),
  ('service', 150, '2000-01-01T00:00:00+07:00');

-- When the other side last wrote: by the Cloud API only templates may be sent 24 hours after that.
alter table conversations add column last_in_at timestamptz;

-- Where Meta reviews a template: its WhatsApp Business account, and its id there. Null: it is only ours.
alter table message_templates add column waba_id text;
alter table message_templates add column network_id text;
