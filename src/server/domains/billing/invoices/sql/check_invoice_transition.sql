-- Which status of an invoice may follow which, and what of it may change. Paid, void and expired are final,
-- but for late money, which pays an expired one. What was issued stays: only an open invoice gets the facts
-- of the top-up that is to pay it; the buyer goes when the account is erased. Raises BL010.
create or replace function check_invoice_transition() returns trigger language plpgsql as $$
declare
  v_payment text[] := array[
    'status', 'number', 'paid_at', 'ppn', 'unique_code', 'total', 'received', 'tax', 'topup_id',
    'paid_with', 'paid_ref', 'note'];
begin
  if current_setting('app.erasing', true) = old.account_id::text then
    if to_jsonb(new) - '{buyer,note}'::text[] = to_jsonb(old) - '{buyer,note}'::text[] then
      return new;
    end if;
  elsif to_jsonb(new) - v_payment = to_jsonb(old) - v_payment and (
    (old.status, new.status) in (
      ('draft', 'open'), ('draft', 'void'), ('open', 'paid'), ('open', 'expired'), ('open', 'void'),
      ('expired', 'paid')
    ) or (old.status = new.status and old.status in ('draft', 'open'))
  ) then
    return new;
  end if;
  raise exception 'invoice %: no step from % to %, or a change of what was issued',
    old.invoice_id, old.status, new.status using errcode = 'BL010';
end
$$;

create or replace trigger invoice_steps before update on invoices
  for each row execute function check_invoice_transition();
create or replace trigger invoices_never_deleted before delete on invoices
  for each row execute function deny();
create or replace trigger invoice_documents_append_only before update on invoice_documents
  for each row execute function deny();
create or replace trigger invoice_documents_stay before delete on invoice_documents
  for each row execute function deny_unless_erasing();
