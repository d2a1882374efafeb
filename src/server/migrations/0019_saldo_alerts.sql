-- An account is told when its saldo runs low. Settings and state in one row: whoever fires an alert
-- changes it, so that no alert is fired twice.
create table saldo_alerts (
  account_id  uuid primary key references accounts,
  -- In rupiah; null while the alert is off.
  threshold   bigint check (threshold > 0),
  -- True while the next crossing is to be told.
  armed       boolean not null default false,
  -- How often it was told, and when last.
  fired       int not null default 0,
  fired_at    timestamptz
) with (fillfactor = 80);
call tenant_table('saldo_alerts', 'select, insert, update, delete');

-- What fired alerts say by message, until it is sent by the worker.
create table saldo_alert_messages (
  account_id  uuid not null references saldo_alerts on delete cascade,
  number      int not null,
  threshold   bigint not null,
  available   bigint not null,
  at          timestamptz not null,
  tries       int not null default 0,
  -- Whoever sends it owns it until then.
  retry_at    timestamptz not null,
  primary key (account_id, number)
);
create index saldo_alert_messages_due on saldo_alert_messages (retry_at);
call tenant_table('saldo_alert_messages', 'select, insert, update, delete');

-- Notices that are of no message: what they say stands in the row. Their `message_id` is an id of
-- their own, which keeps them in order among the others of their browser.
alter table push_queue
  alter column token_id drop not null,
  alter column peer drop not null,
  add column title text,
  add column body text,
  add column url text,
  add column tag text,
  add constraint notice_is_whole check (
    num_nonnulls(token_id, peer) = 2 and num_nonnulls(title, body, url, tag) = 0
    or num_nonnulls(token_id, peer) = 0 and num_nonnulls(title, body, url, tag) = 4
  );
