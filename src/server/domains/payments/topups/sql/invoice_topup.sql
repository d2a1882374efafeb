-- A top-up's invoice follows it: opened when it is made, expired or void when it ends unpaid. That it is paid
-- is said by credit_topups itself, at its end (settle_topup_invoices).
create or replace function invoice_topup() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    perform open_topup_invoice(new.account_id, new.topup_id);
  else
    perform close_topup_invoice(
      new.account_id, new.topup_id, case new.status when 'rejected' then 'void' else 'expired' end
    );
  end if;
  return null;
end
$$;

create or replace trigger topup_gets_invoice after insert on topups
  for each row execute function invoice_topup();
create or replace trigger topup_invoice_follows after update on topups
  for each row when (old.status <> new.status and new.status in ('expired', 'cancelled', 'rejected'))
  execute function invoice_topup();
