-- A top-up gets its invoice, with its id, open until it is paid. One that was made to pay an open invoice
-- of a plan gets none: that invoice names it.
-- Called by the trigger of top-ups when one is made. Locks the plan's invoice.
create or replace function open_topup_invoice(p_account uuid, p_topup uuid) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  t topups%rowtype;
begin
  select * into strict t from topups where account_id = p_account and topup_id = p_topup;
  if t.invoice_id is not null then
    update invoices set topup_id = p_topup
      where account_id = p_account and invoice_id = t.invoice_id and kind = 'plan'
        and status = 'open' and not is_invoice_funded(p_account, topup_id);
    if found then
      return;
    end if;
  end if;
  perform issue_invoice(
    p_account, p_topup, 'topup', 'Isi saldo',
    jsonb_build_array(jsonb_build_object(
      'text', 'Isi saldo Kabari', 'quantity', 1, 'price', t.base, 'amount', t.base)),
    t.ppn, coalesce(t.unique_code, 0)::bigint, 'topup', p_topup, null, null, t.expires_at,
    t.created_at
  );
  update invoices set topup_id = p_topup where account_id = p_account and invoice_id = p_topup;
end
$$;

-- True when the top-up that is to pay an invoice has been paid: its PPN belongs to that invoice then.
create or replace function is_invoice_funded(p_account uuid, p_topup uuid) returns boolean
language plpgsql stable security definer set search_path = public, pg_temp as $$
begin
  return exists (
    select from topups where account_id = p_account and topup_id = p_topup and status = 'paid'
  );
end
$$;

revoke all on function open_topup_invoice from public;
grant execute on function open_topup_invoice to kabari_app;
revoke all on function is_invoice_funded from public;
grant execute on function is_invoice_funded to kabari_app;
