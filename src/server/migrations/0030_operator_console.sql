-- Customers that operators suspend, what operators read of customers' messages, and counts for the overview.

-- Who suspended an account or let it go on, and why: its people read the reason.
create table account_suspensions (
  account_id     uuid not null references accounts,
  suspension_id  uuid not null,
  becomes        text not null check (becomes in ('suspended', 'active')),
  reason         text not null,
  operator_id    uuid not null,
  at             timestamptz not null,
  -- When its people were written to.
  notified_at    timestamptz,
  primary key (account_id, suspension_id)
);
create index account_suspensions_unsent on account_suspensions (at) where notified_at is null;
call tenant_table('account_suspensions', 'select, insert, update');

-- The same of its account, where accepting and sending read it anyway: nothing is accepted for a token of a
-- suspended account, and nothing leaves; what waits stays.
alter table tokens add column account_suspended boolean not null default false;
update tokens t set account_suspended = true from accounts a
  where a.account_id = t.account_id and a.status = 'suspended';
-- Customers in the order of their names.
create index accounts_by_name on accounts (lower(name), account_id);
-- An operator looks for a token by the end of its key.
create index tokens_by_key_hint on tokens (key_hint);

-- Who read the text of a customer's message, and why (docs/threats.md, T48).
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

-- Why messages failed, per hour in which they were accepted: folded with the rollups, which do not know it.
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

-- Messages accepted in each of the last minutes, over all accounts; kept for two hours.
create table message_minutes (
  minute    timestamptz primary key,
  messages  bigint not null
);
call all_accounts_table('message_minutes', 'select, insert, update, delete');

-- Plans that an operator ended before their time, and why.
create table plan_endings (
  account_id   uuid not null references accounts,
  ending_id    uuid not null,
  plan         text not null,
  -- What of the period was given back.
  credited     bigint not null check (credited >= 0),
  reason       text not null,
  operator_id  uuid not null,
  at           timestamptz not null,
  primary key (account_id, ending_id)
);
call all_accounts_table('plan_endings', 'select, insert');
