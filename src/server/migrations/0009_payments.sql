-- Money on its way in by bank transfer. Whatever credits the saldo is apply_paid.

-- A try to put money in by bank transfer.
create table topups (
  account_id       uuid not null references accounts,
  topup_id         uuid not null,
  -- The browser's idempotency key: the same key twice is one top-up.
  request_key      uuid not null,
  status           text not null default 'pending'
                   check (status in ('pending', 'paid', 'expired', 'cancelled', 'review', 'rejected')),
  base             bigint not null check (base > 0),
  ppn              bigint not null check (ppn >= 0),
  unique_code      int not null check (unique_code between 1 and 999),
  total            bigint not null,
  -- What of it goes to the saldo, and what of the kode unik to us.
  credited         bigint not null check (credited > 0),
  income           bigint not null check (income >= 0),
  -- What really came in; differs from the total only when an operator took it by hand.
  received         bigint check (received > 0),
  provider         text not null default 'bank' check (provider in ('bank')),
  provider_txn_id  text,
  -- Where to transfer to, as it stood when the top-up was made.
  bank_name        text not null,
  bank_number      text not null,
  bank_holder      text not null,
  created_at       timestamptz not null,
  expires_at       timestamptz not null,
  paid_at          timestamptz,
  -- What its owner reads of how it ended.
  note             text,
  primary key (account_id, topup_id),
  constraint topup_asked_once unique (account_id, request_key),
  constraint total_is_its_parts check (total = base + ppn + unique_code),
  constraint money_is_conserved check (credited + income + ppn = coalesce(received, total)),
  constraint paid_knows_its_payment check (
    (status = 'paid') = (paid_at is not null)
    and (status = 'paid') = (provider_txn_id is not null)
    and (status = 'paid') = (received is not null)
  )
) with (fillfactor = 80);
create index topups_newest on topups (topup_id);
create index topups_by_status on topups (status, topup_id);
create index topups_due on topups (expires_at) where status = 'pending';
call tenant_table('topups', 'select');
-- The application can never say `paid` by itself: what makes it true is not its to write (apply_paid does).
grant insert (
  account_id, topup_id, request_key, base, ppn, unique_code, total, credited, income,
  bank_name, bank_number, bank_holder, created_at, expires_at
) on topups to kabari_app;
grant update (status, note) on topups to kabari_app;

-- An amount on a bank account is promised to one top-up, until 7 days after that expires.
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

-- What came in on the bank account, each line once.
create table bank_lines (
  hash         text primary key,
  bank         text not null,
  amount       bigint not null check (amount > 0),
  description  text not null,
  reference    text not null,
  -- When the bank says it came; a statement may know the day only.
  at           timestamptz not null,
  received_at  timestamptz not null,
  -- Whose payment it is, once that is known.
  account_id   uuid,
  topup_id     uuid,
  check ((account_id is null) = (topup_id is null))
);
create index bank_lines_unused on bank_lines (amount) where topup_id is null;
create index bank_lines_by_reference on bank_lines (bank, reference);
call all_accounts_table('bank_lines', 'select, insert');
grant update (account_id, topup_id) on bank_lines to kabari_app;

-- One payment pays one top-up: by the provider's own id. `second` came after the top-up was paid.
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
call all_accounts_table('provider_payments', 'select');

-- Who confirmed or rejected a top-up by hand, and why; never shown to its owner.
create table topup_decisions (
  account_id   uuid not null,
  topup_id     uuid not null,
  decision     text not null check (decision in ('confirmed', 'rejected')),
  operator_id  uuid not null,
  reason       text not null,
  reference    text check ((decision = 'confirmed') = (reference is not null)),
  at           timestamptz not null,
  primary key (account_id, topup_id),
  foreign key (account_id, topup_id) references topups
);
call all_accounts_table('topup_decisions', 'select, insert');
