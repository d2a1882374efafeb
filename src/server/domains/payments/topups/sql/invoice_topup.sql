-- A top-up's invoice follows it: opened when it is made, expired or void when it ends unpaid. That it is paid
-- is said by apply_paid itself, at its end (settle_topup_invoice).
create or replace function invoice_topup() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    perform open_topup_invoice(new.account_id, new.topup_id);
  elsif new.status in ('expired', 'cancelled') then
    perform close_topup_invoice(new.account_id, new.topup_id, 'expired');
  elsif new.status = 'rejected' then
    perform close_topup_invoice(new.account_id, new.topup_id, 'void');
  end if;
  return null;
end
$$;

create or replace trigger topup_gets_invoice after insert on topups
  for each row execute function invoice_topup();
create or replace trigger topup_invoice_follows after update on topups
  for each row when (old.status <> new.status) execute function invoice_topup();
