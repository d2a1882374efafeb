-- The invoice of a top-up that ended unpaid: expired with it (late money still pays it), or void once an
-- operator rejected it.
-- Called by the trigger of top-ups. Locks the invoice. Raises 42501 for another account's.
create or replace function close_topup_invoice(p_account uuid, p_topup uuid, p_status text)
returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if seen_account() <> p_account then
    raise exception 'an invoice of another account' using errcode = '42501';
  end if;
  update invoices set status = p_status
    where account_id = p_account and invoice_id = p_topup and kind = 'topup' and status = 'open';
end
$$;

revoke all on function close_topup_invoice from public;
grant execute on function close_topup_invoice to kabari_app;
