-- An invoice of a plan is paid, from the saldo: with money that was there, or that a top-up made for this
-- invoice brought, which it names then.
-- Called by settleInvoice, last in the transaction of the charge. Locks the invoice, then the counter. Raises
-- BL010 when it is not open.
create or replace function settle_invoice(
  p_account uuid, p_invoice uuid, p_at timestamptz, p_with text
) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  i invoices%rowtype;
  t topups%rowtype;
begin
  if not sees_all() then
    raise exception 'invoices are settled by work over all accounts only' using errcode = '42501';
  end if;
  select * into strict i from invoices
    where account_id = p_account and invoice_id = p_invoice for no key update;
  select * into t from topups
    where account_id = p_account and topup_id = i.topup_id and status = 'paid';
  if not found then
    update invoices set topup_id = null
      where account_id = p_account and invoice_id = p_invoice and topup_id is not null
        and status = 'open';
  end if;
  return (pay_invoices(array[p_account], array[p_invoice], array[p_at], array[
    jsonb_build_object('with', coalesce(t.method, p_with), 'topup', t.topup_id)
  ]))[1];
end
$$;

revoke all on function settle_invoice from public;
grant execute on function settle_invoice to kabari_app;
