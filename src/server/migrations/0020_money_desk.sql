-- The operator's money desk: corrections as entries with a second operator above a limit, what becomes of
-- money in suspense, stored checks of the books, and their daily seal.

insert into gl_accounts values
  ('exp:goodwill', 'Beban kompensasi pelanggan'),
  ('inc:correction', 'Selisih koreksi saldo');

-- What an operator wants to book by hand. Up to a limit it is done at once; above it a second operator
-- decides. Never shown to the account's owner, who sees the entry.
create table adjustments (
  account_id     uuid not null references accounts,
  adjustment_id  uuid not null,
  -- The browser's idempotency key: the same key twice is one proposal.
  request_key    uuid not null,
  kind           text not null
                 check (kind in ('adjust', 'refund', 'payout', 'suspense_credit', 'suspense_return')),
  -- What the saldo changes by; of a return to the payer what leaves our bank, below zero.
  amount         bigint not null check (amount <> 0),
  -- The account on the other side, of an adjustment; where the money leaves from, of a payout or a return.
  gl_account     text references gl_accounts,
  message_id     uuid,
  -- The payment in suspense that it is about.
  provider       text,
  txn_id         text,
  -- The bank's own reference of the transfer that was made, and whose bank account it went to.
  reference      text,
  payee          text,
  reason         text not null,
  needs_second   boolean not null,
  proposed_by    uuid not null,
  proposed_at    timestamptz not null,
  expires_at     timestamptz not null,
  status         text not null default 'pending'
                 check (status in ('pending', 'done', 'refused', 'withdrawn')),
  decided_by     uuid,
  decided_at     timestamptz,
  decision_note  text,
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
    and (kind like 'suspense%') = (provider is not null and txn_id is not null)
    and (kind in ('payout', 'suspense_return')) = (reference is not null)
    and (kind in ('payout', 'suspense_return')) = (payee is not null)
    and (kind in ('adjust', 'payout', 'suspense_return')) = (gl_account is not null)
  ),
  constraint kind_has_its_sign check (
    case when kind in ('payout', 'suspense_return') then amount < 0
      when kind in ('refund', 'suspense_credit') then amount > 0 else true end
  )
);
create index adjustments_newest on adjustments (adjustment_id);
create index adjustments_by_status on adjustments (status, adjustment_id);
-- One transfer of the bank is one payout: whoever types its reference a second time is refused.
create unique index adjustment_reference_once
  on adjustments (gl_account, upper(reference))
  where reference is not null and status in ('pending', 'done');
call all_accounts_table('adjustments', 'select');
grant insert (
  account_id, adjustment_id, request_key, kind, amount, gl_account, message_id, provider, txn_id,
  reference, payee, reason, needs_second, proposed_by, proposed_at, expires_at
) on adjustments to kabari_app;

-- Who froze a wallet or let it go on, and why.
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

-- How a payment left suspense: into the saldo, or back to its payer. Once for each.
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

-- Why a payment stays in suspense for now.
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

create index provider_payments_second on provider_payments (at) where outcome = 'second';
create index topups_by_paid on topups (paid_at) where status = 'paid';

-- Stored results of the check of all invariants, and of the nightly reconciliation.
create table ledger_checks (
  check_id  uuid primary key,
  at        timestamptz not null,
  is_ok     boolean not null,
  findings  jsonb not null,
  millis    bigint not null
);
call all_accounts_table('ledger_checks', 'select, insert');

create table reconciliations (
  reconciliation_id  uuid primary key,
  at                 timestamptz not null,
  is_ok              boolean not null,
  findings           jsonb not null
);
call all_accounts_table('reconciliations', 'select, insert');

-- The books sealed day by day: each seal hashes the one before, and what was committed since. The
-- same hashes stand in a file beside the database.
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

-- Which entries of a wallet a seal has, and their hash.
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

-- Which bookings a seal has: they have no number that says what came before.
create table ledger_seal_txns (
  account_id  uuid not null,
  txn_id      uuid not null,
  seal_no     bigint not null,
  primary key (account_id, txn_id)
);
create index ledger_seal_txns_by_seal on ledger_seal_txns (seal_no, account_id, txn_id);
call all_accounts_table('ledger_seal_txns', 'select, insert');

-- Who set a price or a rate, and why; null for those the installation began with.
alter table prices add column set_by uuid, add column set_at timestamptz, add column reason text;
alter table tax_rates add column set_by uuid, add column set_at timestamptz, add column reason text;
grant insert on prices, tax_rates to kabari_app;
