-- Which status of an invoice may follow which, and what of it may change. Paid, void and expired are final,
-- but for late money, which pays an expired one, or opens it again while the seller's data is missing. What was
-- issued stays: only an open invoice gets the facts of the top-up that is to pay it, and a complete seller; the buyer goes when the account is erased. Raises BL010.
create or replace function check_invoice_transition() returns trigger language plpgsql as $$
declare
  -- The invoice before, with what may change as it is now: compared whole, so that a column that is added
  -- later may not.
  v_allowed invoices%rowtype := old;
begin
  if current_setting('app.erasing', true) = old.account_id::text then
    v_allowed.buyer := new.buyer;
    v_allowed.note := new.note;
    if new is not distinct from v_allowed then
      return new;
    end if;
  elsif (old.status, new.status) in (
      ('draft', 'open'), ('draft', 'void'), ('open', 'paid'), ('open', 'expired'), ('open', 'void'),
      ('expired', 'paid'), ('expired', 'open')
    ) or (old.status = new.status and old.status in ('draft', 'open')) then
    v_allowed.status := new.status;
    v_allowed.number := new.number;
    v_allowed.paid_at := new.paid_at;
    v_allowed.ppn := new.ppn;
    v_allowed.unique_code := new.unique_code;
    v_allowed.total := new.total;
    v_allowed.received := new.received;
    v_allowed.tax := new.tax;
    v_allowed.topup_id := new.topup_id;
    v_allowed.paid_with := new.paid_with;
    v_allowed.paid_ref := new.paid_ref;
    v_allowed.note := new.note;
    v_allowed.seller := new.seller;
    if new is not distinct from v_allowed then
      return new;
    end if;
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
