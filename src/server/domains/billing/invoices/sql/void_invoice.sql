-- An open invoice of a plan is void; one that is void stays so. Where a top-up made for it has been paid, its
-- money stays as saldo, and the top-up gets an invoice of its own, for its PPN was collected.
-- Called by voidInvoice and credit_topup_invoice. Locks the invoice, then the counter. Raises BL010 when it is
-- neither open nor void.
create or replace function void_invoice(
  p_account uuid, p_invoice uuid, p_at timestamptz, p_note text
) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_status text;
  v_topup uuid;
begin
  if not sees_all() then
    raise exception 'invoices are voided by work over all accounts only' using errcode = '42501';
  end if;
  select status, topup_id into v_status, v_topup from invoices
    where account_id = p_account and invoice_id = p_invoice for no key update;
  if v_status = 'void' then
    return;
  elsif v_status is distinct from 'open' then
    raise exception 'only an open invoice can be void' using errcode = 'BL010';
  end if;
  update invoices set status = 'void', note = p_note, topup_id = null, ppn = 0, tax = null,
      unique_code = 0, total = base
    where account_id = p_account and invoice_id = p_invoice;
  if v_topup is not null and is_invoice_funded(p_account, v_topup) then
    perform pay_topup_invoices(array[p_account], array[v_topup], array[p_at]);
  end if;
end
$$;

revoke all on function void_invoice from public;
grant execute on function void_invoice to kabari_app;
