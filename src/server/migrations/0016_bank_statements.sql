-- Bank statements: lines that a person settles, slips of customers, and decisions by two operators.

-- Set aside by an operator: no payment of a top-up, and why.
alter table bank_lines add column dismissed_at timestamptz;
alter table bank_lines add column dismissed_by uuid;
alter table bank_lines add column dismiss_reason text;
alter table bank_lines add constraint dismissed_knows_who check (
  (dismissed_at is null) = (dismissed_by is null) and (dismissed_at is null) = (dismiss_reason is null)
);
grant update (dismissed_at, dismissed_by, dismiss_reason) on bank_lines to kabari_app;
create index bank_lines_open on bank_lines (at, hash) where topup_id is null and dismissed_at is null;
create index bank_lines_newest on bank_lines (at, hash);
create index bank_lines_by_amount on bank_lines (amount);
create index bank_lines_of_topup on bank_lines (account_id, topup_id) where topup_id is not null;

-- Each import of a statement: what the file was, and what came of its lines. The file itself goes.
create table bank_statements (
  statement_id  uuid primary key,
  bank          text not null,
  sha256        bytea not null check (length(sha256) = 32),
  format        text not null,
  operator_id   uuid not null,
  at            timestamptz not null,
  -- How many lines were: paid, joined, second, kept, known, debit, pending, unreadable.
  outcomes      jsonb not null
);
call all_accounts_table('bank_statements', 'select, insert');

-- The slips that customers sent; the newest of a top-up is its proof. Never proof of money.
create table topup_proofs (
  account_id  uuid not null,
  topup_id    uuid not null,
  file_id     uuid not null,
  name        text not null,
  mime        text not null,
  -- Of the file as it is kept: the same slip for another top-up shows.
  sha256      bytea not null check (length(sha256) = 32),
  at          timestamptz not null,
  primary key (account_id, topup_id, file_id),
  foreign key (account_id, topup_id) references topups
);
create index topup_proofs_by_bytes on topup_proofs (sha256);
call tenant_table('topup_proofs', 'select, insert');

-- What one operator proposed, and another has to complete.
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

-- Who proposed what another operator confirmed.
alter table topup_decisions add column proposed_by uuid
  check (proposed_by <> operator_id);

-- For the line of a statement: top-ups near its amount.
create index topups_unpaid_by_total on topups (total) where status not in ('paid', 'rejected');

alter table uploads drop constraint uploads_purpose_check;
alter table uploads add constraint uploads_purpose_check
  check (purpose in ('avatar', 'chat', 'proof', 'statement'));
