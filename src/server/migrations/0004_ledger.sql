-- Money, in whole rupiah. Nothing but SQL functions writes a wallet: the application's role may only read
-- these tables. Entries and lines of the general ledger are append-only.

create table gl_accounts (code text primary key, name text not null);
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
  ('inc:kode_unik', 'Pendapatan kode unik');
grant select on gl_accounts to kabari_app;

create table wallets (
  account_id  uuid primary key references accounts,
  available   bigint not null default 0 constraint saldo_not_negative check (available >= 0),
  held        bigint not null default 0 constraint held_not_negative check (held >= 0),
  seq         bigint not null default 0,
  status      text not null default 'active' check (status in ('active', 'frozen', 'closed'))
) with (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
call tenant_table('wallets', 'select');

create table wallet_entries (
  account_id       uuid not null references wallets,
  seq              bigint not null,
  kind             text not null,
  d_available      bigint not null,
  d_held           bigint not null,
  d_contra         bigint generated always as (-(d_available + d_held)) stored,
  contra           text not null references gl_accounts,
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
  constraint shape check (case kind
    when 'hold'       then d_available < 0 and d_held = -d_available and contra = 'none'
    when 'release'    then d_available > 0 and d_held = -d_available and contra = 'none'
    when 'capture'    then d_available = 0 and d_held < 0 and contra = 'rev:message'
    when 'correction' then d_available < 0 and d_held = 0 and contra = 'rev:message'
    when 'topup'      then d_available > 0 and d_held = 0 and contra = 'clearing'
    when 'bonus'      then d_available > 0 and d_held = 0 and contra = 'exp:bonus'
    when 'plan'       then d_available < 0 and d_held = 0 and contra = 'rev:plan'
    when 'refund'     then d_available > 0 and d_held = 0
    when 'payout'     then d_available < 0 and d_held = 0 and contra = 'clearing'
    when 'adjust'     then d_available <> 0 and d_held = 0 and memo is not null
    else false end)
);
create unique index wallet_entries_idem on wallet_entries (account_id, idem_key) where idem_key is not null;
-- The statement, filtered by kind: the newest of a kind without reading the others.
create index wallet_entries_by_kind on wallet_entries (account_id, kind, seq);
call tenant_table('wallet_entries', 'select');

create table gl_txns (
  account_id  uuid not null references accounts,
  txn_id      uuid not null,
  idem_key    text not null,
  kind        text not null,
  at          timestamptz not null default clock_timestamp(),
  primary key (account_id, txn_id),
  unique (account_id, idem_key)
);
call tenant_table('gl_txns', 'select');

create table gl_lines (
  account_id  uuid not null,
  txn_id      uuid not null,
  line_no     int not null,
  gl_account  text not null references gl_accounts,
  amount      bigint not null check (amount <> 0),
  primary key (account_id, txn_id, line_no),
  foreign key (account_id, txn_id) references gl_txns
);
call tenant_table('gl_lines', 'select');

-- The trial balance: debit positive, wallets are liabilities.
create view gl_all with (security_invoker = true) as
  select account_id, 'wallet:available' as gl_account, -d_available as amount from wallet_entries
  union all select account_id, 'wallet:held', -d_held from wallet_entries
  union all select account_id, contra, -d_contra from wallet_entries where d_contra <> 0
  union all select account_id, gl_account, amount from gl_lines;
grant select on gl_all to kabari_app;

-- How many lines the first `seq` entries of a wallet are, noted every 256 entries. Entries are only
-- added, so a mark stays true. They are set when somebody looks at the statement: what money moves by
-- is not slowed.
create table statement_marks (
  account_id  uuid not null references wallets,
  seq         bigint not null,
  lines       bigint not null,
  primary key (account_id, seq)
);
call tenant_table('statement_marks', 'select');
