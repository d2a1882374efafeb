-- Money (docs/money.md). Whole rupiah. Nothing but the functions of this file and of 0006 and 0007 writes
-- a wallet: the app's role may only read these tables.
create table gl_accounts (code text primary key, name text not null);
insert into gl_accounts values
  ('none', '(tahan / lepas)'),
  ('clearing', 'Kliring pembayaran'),
  ('rev:message', 'Pendapatan pesan'),
  ('rev:plan', 'Pendapatan paket'),
  ('exp:bonus', 'Beban bonus'),
  ('exp:fee', 'Biaya gateway'),
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
    when 'hold'    then d_available < 0 and d_held = -d_available and contra = 'none'
    when 'release' then d_available > 0 and d_held = -d_available and contra = 'none'
    when 'capture' then d_available = 0 and d_held < 0 and contra = 'rev:message'
    when 'topup'   then d_available > 0 and d_held = 0 and contra = 'clearing'
    when 'bonus'   then d_available > 0 and d_held = 0 and contra = 'exp:bonus'
    when 'plan'    then d_available < 0 and d_held = 0 and contra = 'rev:plan'
    when 'refund'  then d_available > 0 and d_held = 0
    when 'payout'  then d_available < 0 and d_held = 0 and contra = 'clearing'
    when 'adjust'  then d_available <> 0 and d_held = 0 and memo is not null
    else false end)
);
create unique index wallet_entries_idem on wallet_entries (account_id, idem_key) where idem_key is not null;
-- The statement, filtered by kind: the newest of a kind without reading the others.
create index wallet_entries_by_kind on wallet_entries (account_id, kind, seq);
create trigger wallet_entries_append_only before update or delete on wallet_entries
  for each row execute function deny();
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
create trigger gl_txns_append_only before update or delete on gl_txns
  for each row execute function deny();
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
create trigger gl_lines_append_only before update or delete on gl_lines
  for each row execute function deny();
call tenant_table('gl_lines', 'select');

-- The trial balance: debit positive, wallets are liabilities.
create view gl_all with (security_invoker = true) as
  select account_id, 'wallet:available' as gl_account, -d_available as amount from wallet_entries
  union all select account_id, 'wallet:held', -d_held from wallet_entries
  union all select account_id, contra, -d_contra from wallet_entries where d_contra <> 0
  union all select account_id, gl_account, amount from gl_lines;
grant select on gl_all to kabari_app;

create function open_wallet(p_account uuid) returns void
language sql security definer set search_path = public, pg_temp
begin atomic
  insert into wallets (account_id) values (p_account) on conflict do nothing;
end;

-- One entry that is not a batch of messages: top-up, bonus, plan, refund, adjustment. Repeating an
-- idem_key with the same facts changes nothing; with other facts it is an error (WA002).
create function post_entry(
  p_account uuid, p_kind text, p_delta bigint, p_contra text,
  p_ref_type text, p_ref_id text, p_idem text, p_actor text, p_memo text default null
) returns table (o_seq bigint, o_applied boolean, o_available bigint)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  w wallets%rowtype;
  e wallet_entries%rowtype;
begin
  select * into strict w from wallets where account_id = p_account for no key update;
  select * into e from wallet_entries where account_id = p_account and idem_key = p_idem;
  if found then
    if e.kind <> p_kind or e.d_available <> p_delta or e.contra <> p_contra then
      raise exception 'idempotency key % reused with other facts', p_idem using errcode = 'WA002';
    end if;
    return query select e.seq, false, w.available;
    return;
  end if;
  update wallets set available = available + p_delta, seq = seq + 1
    where account_id = p_account returning * into w;
  insert into wallet_entries (
    account_id, seq, kind, d_available, d_held, contra, available_after, held_after,
    ref_type, ref_id, idem_key, actor, memo
  ) values (
    p_account, w.seq, p_kind, p_delta, 0, p_contra, w.available, w.held,
    p_ref_type, p_ref_id, p_idem, p_actor, p_memo
  );
  insert into outbox (account_id, outbox_id, kind, data)
    values (p_account, gen_random_uuid(), 'saldo.changed',
            jsonb_build_object('available', w.available, 'held', w.held));
  return query select w.seq, true, w.available;
end
$$;

-- A balanced transaction of the general ledger: lines of zero are left out, the rest must sum to zero.
create function post_gl(
  p_account uuid, p_txn uuid, p_idem text, p_kind text, p_accounts text[], p_amounts bigint[]
) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if (select coalesce(sum(a), 0) from unnest(p_amounts) a) <> 0 then
    raise exception 'gl transaction % is not balanced', p_idem;
  end if;
  insert into gl_txns (account_id, txn_id, idem_key, kind) values (p_account, p_txn, p_idem, p_kind);
  insert into gl_lines (account_id, txn_id, line_no, gl_account, amount)
    select p_account, p_txn, row_number() over (), l.code, l.amount
    from unnest(p_accounts, p_amounts) as l(code, amount) where l.amount <> 0;
end
$$;

revoke all on function open_wallet, post_entry, post_gl from public;
grant execute on function open_wallet, post_entry, post_gl to kabari_app;
