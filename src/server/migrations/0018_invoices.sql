-- Invoices and credit notes, their numbers without gaps, the documents made of them, and who sold and
-- bought.

-- The seller's identity as it was from an instant on: each invoice has a copy of the newest.
create table sellers (
  valid_from  timestamptz primary key,
  name        text not null,
  address     text,
  npwp        text,
  email       text,
  phone       text,
  -- True while PPN is added: the seller is a PKP.
  adds_ppn    boolean not null
);
call all_accounts_table('sellers', 'select, insert');

-- The buyer as the account's people want it on their invoices; without a row it is the account itself.
create table billing_profiles (
  account_id  uuid primary key references accounts,
  name        text,
  npwp        text check (npwp ~ '^([0-9]{15}|[0-9]{16})$'),
  address     text,
  email       text,
  updated_at  timestamptz not null
);
call tenant_table('billing_profiles', 'select, insert, update, delete');

create table invoices (
  account_id    uuid not null references accounts,
  -- Of a top-up it is the top-up's own id: both are one matter.
  invoice_id    uuid not null,
  kind          text not null check (kind in ('topup', 'plan', 'credit_note')),
  status        text not null check (status in ('draft', 'open', 'paid', 'void', 'expired')),
  -- In the QR of the document, and in the address that verifies it: 128 bits of chance.
  doc_ref       text not null check (doc_ref ~ '^[0-9a-f]{32}$'),
  number        text,
  title         text not null,
  period_start  timestamptz,
  period_end    timestamptz,
  -- [{text, quantity, price, amount}], whose amounts sum to the base.
  lines         jsonb not null,
  base          bigint not null check (base >= 0),
  ppn           bigint not null check (ppn >= 0),
  -- What was paid beside base and PPN: the kode unik; by hand a transfer may be Rp 999 off.
  unique_code   int not null check (unique_code between -999 and 1998),
  total         bigint not null check (total >= 0),
  -- What really came in, or left the saldo.
  received      bigint,
  -- The rate of the PPN: {num, den, dpp_num, dpp_den}; null without PPN.
  tax           jsonb,
  seller        jsonb not null,
  buyer         jsonb not null,
  -- What it is for: one invoice each.
  subject_type  text not null,
  subject_id    uuid not null,
  -- The top-up that pays it, or is to.
  topup_id      uuid,
  -- Of a credit note: the invoice it corrects.
  credits       uuid,
  paid_with     text,
  paid_ref      text,
  note          text,
  created_at    timestamptz not null,
  due_at        timestamptz,
  paid_at       timestamptz,
  primary key (account_id, invoice_id),
  constraint invoice_subject unique (account_id, subject_type, subject_id),
  foreign key (account_id, credits) references invoices,
  constraint invoice_total check (total = base + ppn + unique_code),
  constraint invoice_tax check (ppn = 0 or tax is not null),
  constraint invoice_paid check (
    (status = 'paid') = (number is not null) and (status = 'paid') = (paid_at is not null)
    and (status = 'paid') = (paid_with is not null)
    and (status = 'paid') = (received is not null) and (received is null or received = total)
  ),
  constraint invoice_credits check ((kind = 'credit_note') = (credits is not null))
) with (fillfactor = 80);
create index invoices_newest on invoices (account_id, created_at, invoice_id);
create index invoices_credits on invoices (account_id, credits) where credits is not null;
create index invoices_topup on invoices (account_id, topup_id) where topup_id is not null;
call tenant_table('invoices', 'select');

-- The last number of a series in a month of WIB; 1 to it are taken, without gaps.
create table invoice_counters (
  series  text not null check (series in ('INV', 'CN')),
  month   date not null check (extract(day from month) = 1),
  last    int not null check (last > 0),
  primary key (series, month)
);
call all_accounts_table('invoice_counters', 'select');

-- Whose document a reference is, for whoever has its QR; and each number once, over all accounts.
create table invoice_refs (
  doc_ref     text primary key,
  account_id  uuid not null,
  invoice_id  uuid not null,
  number      text unique
);
call all_accounts_table('invoice_refs', 'select');

-- The PDF of a paid invoice, made once: the same bytes for ever.
create table invoice_documents (
  account_id  uuid not null,
  invoice_id  uuid not null,
  bytes       bytea not null,
  sha256      bytea not null check (sha256 = sha256(bytes)),
  created_at  timestamptz not null,
  primary key (account_id, invoice_id),
  foreign key (account_id, invoice_id) references invoices
);
-- A PDF is compressed already.
alter table invoice_documents alter column bytes set storage external;
call tenant_table('invoice_documents', 'select, insert');

-- The invoice of a plan that a top-up was made for: it pays that one, and has none of its own.
alter table topups add column invoice_id uuid;
grant insert (invoice_id) on topups to kabari_app;

-- Top-ups from before have their invoices too: PPN was collected with them.
with dated as (
  select t.*, date_trunc('month', t.paid_at at time zone 'Asia/Jakarta')::date as month
  from topups t
), numbered as (
  select d.*, case when status = 'paid' then
      row_number() over (partition by status, month order by paid_at, topup_id)
    end as n
  from dated d
)
insert into invoices (
  account_id, invoice_id, kind, status, doc_ref, number, title, lines, base, ppn, unique_code, total,
  received, tax, seller, buyer, subject_type, subject_id, topup_id, paid_with, paid_ref, note,
  created_at, due_at, paid_at
)
select n.account_id, n.topup_id, 'topup',
  case n.status when 'paid' then 'paid' when 'rejected' then 'void' when 'expired' then 'expired'
    when 'cancelled' then 'expired' else 'open' end,
  substr(encode(sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())), 'hex'), 1, 32),
  case when n.status = 'paid' then
    'INV/' || to_char(n.month, 'YYYY/MM') || '/'
      || case when n.n < 1000000 then lpad(n.n::text, 6, '0') else n.n::text end
  end,
  'Isi saldo',
  jsonb_build_array(jsonb_build_object(
    'text', 'Isi saldo Kabari', 'quantity', 1, 'price', n.base, 'amount', n.base)),
  n.base, n.ppn, coalesce(n.received, n.total) - n.base - n.ppn, coalesce(n.received, n.total),
  n.received,
  case when n.ppn > 0 then (
    select jsonb_build_object('num', r.num, 'den', r.den, 'dpp_num', r.dpp_num, 'dpp_den', r.dpp_den)
    from tax_rates r where r.code = 'ppn' order by r.valid_from desc limit 1
  ) end,
  jsonb_build_object('name', n.bank_holder, 'npwp', null, 'address', null, 'email', null, 'phone', null,
    'adds_ppn', n.ppn > 0),
  jsonb_build_object(
    'name', a.name,
    'npwp', null, 'address', null, 'email', null, 'phone', null
  ),
  'topup', n.topup_id, n.topup_id, case when n.status = 'paid' then n.provider end,
  case when n.status = 'paid' then n.topup_id::text end, n.note, n.created_at, n.expires_at, n.paid_at
from numbered n join accounts a using (account_id);

insert into invoice_refs select doc_ref, account_id, invoice_id, number from invoices;
insert into invoice_counters
  select 'INV', date_trunc('month', paid_at at time zone 'Asia/Jakarta')::date, count(*)
  from invoices where status = 'paid' group by 2;
