-- Top-ups through payment gateways beside bank transfers. Whatever credits the saldo is still apply_paid.

insert into gl_accounts values
  ('cash:midtrans', 'Midtrans'),
  ('cash:xendit', 'Xendit'),
  ('liab:refund', 'Pengembalian dana yang berjalan');

alter table topups
  add column method        text not null default 'bank' check (method in (
    'bank', 'qris', 'va_bca', 'va_bni', 'va_bri', 'va_cimb', 'va_permata', 'snap', 'xendit'
  )),
  -- True when no real money moves: a simulated bank or gateway takes it.
  add column simulated     boolean not null default false,
  -- The gateway's own id of the order, once it is known.
  add column provider_ref  text,
  -- How it is paid, as the gateway said: a QRIS text, a virtual account, or a page.
  add column qr            text,
  add column va_bank       text,
  add column va_number     text,
  add column page_url      text,
  alter column bank_name   drop not null,
  alter column bank_number drop not null,
  alter column bank_holder drop not null,
  drop constraint topups_status_check,
  -- `creating`: the order stands here, and whether it does at the gateway is not known yet.
  add constraint topups_status_check check (
    status in ('creating', 'pending', 'paid', 'expired', 'cancelled', 'review', 'rejected')
  ),
  drop constraint topups_provider_check,
  add constraint topups_provider_check check (provider in ('bank', 'midtrans', 'xendit')),
  drop constraint topups_unique_code_check,
  add constraint topups_unique_code_check check (
    case provider when 'bank' then unique_code between 1 and 999 else unique_code = 0 end
  ),
  add constraint method_is_of_provider check (
    provider = case method when 'bank' then 'bank' when 'xendit' then 'xendit' else 'midtrans' end
  ),
  add constraint bank_is_named check (
    num_nonnulls(bank_name, bank_number, bank_holder) = case provider when 'bank' then 3 else 0 end
  ),
  add constraint transfers_are_not_created check (provider <> 'bank' or status <> 'creating'),
  add constraint gateway_says_how_to_pay check (
    (provider <> 'bank' or num_nonnulls(provider_ref, qr, va_bank, va_number, page_url) = 0)
    and (va_bank is null) = (va_number is null)
    and (method = 'qris' or qr is null)
    and (method like 'va\_%' or va_number is null)
    and (method in ('snap', 'xendit') or page_url is null)
    and (provider = 'bank' or status <> 'pending' or num_nonnulls(qr, va_number, page_url) = 1)
  );
drop index topups_due;
create index topups_due on topups (expires_at) where status = 'pending' and provider = 'bank';
grant insert (method, provider, simulated, status) on topups to kabari_app;
grant update (provider_ref, qr, va_bank, va_number, page_url, expires_at) on topups to kabari_app;

-- When a gateway is asked next what became of an order. Apart from the top-up, which is final once it
-- is paid.
create table gateway_orders (
  account_id    uuid not null,
  topup_id      uuid not null,
  provider      text not null check (provider in ('midtrans', 'xendit')),
  -- Who asks moves it on first: whoever comes second finds nothing due.
  next_poll_at  timestamptz,
  polls         int not null default 0,
  -- The provider says that money was given back, or is disputed: an operator shall look.
  flag          text,
  flagged_at    timestamptz,
  primary key (account_id, topup_id),
  foreign key (account_id, topup_id) references topups,
  check ((flag is null) = (flagged_at is null))
);
create index gateway_orders_due on gateway_orders (next_poll_at) where next_poll_at is not null;
create index gateway_orders_flagged on gateway_orders (flagged_at) where flag is not null;
call tenant_table('gateway_orders', 'select, insert');
grant update (next_poll_at, polls, flag, flagged_at) on gateway_orders to kabari_app;

-- What gateways told us, as it came, before anybody believes it.
create table payment_inbox (
  inbox_id      uuid primary key,
  provider      text not null check (provider in ('midtrans', 'xendit')),
  -- The same for the same notice, however often it is sent.
  dedupe        text not null,
  -- Those that verifying it needs, and what sent it; nothing secret.
  headers       jsonb not null,
  raw           bytea not null check (octet_length(raw) <= 65536),
  -- What it says it is about; not believed.
  order_ref     text not null,
  txn_id        text,
  verified      boolean not null,
  received_at   timestamptz not null,
  processed_at  timestamptz,
  attempts      int not null default 0,
  next_try_at   timestamptz not null,
  result        text,
  constraint inbox_dedupe unique (provider, dedupe),
  check ((processed_at is null) = (result is null))
);
create index payment_inbox_due on payment_inbox (next_try_at) where processed_at is null;
create index payment_inbox_by_order on payment_inbox (order_ref);
create index payment_inbox_dead on payment_inbox (inbox_id) where result = 'dead';
create index payment_inbox_done on payment_inbox (processed_at) where processed_at is not null;
call all_accounts_table('payment_inbox', 'select, insert, delete');
grant update (received_at, processed_at, attempts, next_try_at, result) on payment_inbox to kabari_app;

-- Money of a payment on its way back. It leaves the saldo (or suspense) first; who pays it out is told after.
create table refunds (
  account_id     uuid not null,
  refund_id      uuid not null,
  topup_id       uuid not null,
  provider       text not null,
  txn_id         text not null,
  -- All that was received with the payment.
  amount         bigint not null check (amount > 0),
  -- What of it came out of the saldo, and of the PPN.
  from_saldo     bigint not null check (from_saldo >= 0),
  from_ppn       bigint not null check (from_ppn >= 0),
  -- `gateway` until it refuses: then somebody transfers it by hand.
  way            text not null check (way in ('gateway', 'manual')),
  status         text not null default 'open' check (status in ('open', 'done')),
  reason         text not null,
  operator_id    uuid not null,
  reference      text,
  created_at     timestamptz not null,
  done_at        timestamptz,
  primary key (account_id, refund_id),
  constraint refund_once unique (account_id, provider, txn_id),
  foreign key (account_id, topup_id) references topups,
  check ((status = 'done') = (done_at is not null)),
  check (status = 'open' or reference is not null)
);
create index refunds_open on refunds (created_at) where status = 'open';
call tenant_table('refunds', 'select');
grant update (reason, reference) on refunds to kabari_app;
