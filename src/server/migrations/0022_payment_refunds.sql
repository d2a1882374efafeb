-- Giving the payment of a top-up back is one of the things that operators book by hand.
alter table adjustments
  -- The top-up whose payment is given back.
  add column topup_id uuid,
  drop constraint adjustments_kind_check,
  add constraint adjustments_kind_check check (kind in (
    'adjust', 'refund', 'payout', 'suspense_credit', 'suspense_return', 'payment_refund'
  )),
  drop constraint kind_has_its_facts,
  add constraint kind_has_its_facts check (
    (kind = 'refund') = (message_id is not null)
    and (kind = 'payment_refund') = (topup_id is not null)
    and (kind like 'suspense%' or kind = 'payment_refund')
      = (provider is not null and txn_id is not null)
    and (kind in ('payout', 'suspense_return')) = (reference is not null)
    and (kind in ('payout', 'suspense_return')) = (payee is not null)
    and (kind in ('adjust', 'payout', 'suspense_return')) = (gl_account is not null)
  ),
  drop constraint kind_has_its_sign,
  add constraint kind_has_its_sign check (
    case when kind in ('payout', 'suspense_return', 'payment_refund') then amount < 0
      when kind in ('refund', 'suspense_credit') then amount > 0 else true end
  );
grant insert (topup_id) on adjustments to kabari_app;

-- One transfer of the bank finishes one refund.
create unique index refund_reference_once on refunds (upper(reference))
  where way = 'manual' and reference <> '';

-- Who let a customer spend the welcome bonus on any number, and why. Once for each customer.
create table bonus_approvals (
  account_id   uuid primary key references accounts,
  reason       text not null,
  operator_id  uuid not null,
  at           timestamptz not null
);
call all_accounts_table('bonus_approvals', 'select, insert');
