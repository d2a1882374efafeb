-- A top-up's payment is given back, all of it: its invoice is credited, but for what credit notes gave back
-- before; one that still waits for the seller's data is void. Where the payment was for an open invoice of a plan, that one is void first, and the top-up has an
-- invoice of its own.
-- Called by begin_refund, last in its transaction. Locks the invoice, then the counter.
create or replace function credit_topup_invoice(
  p_account uuid, p_topup uuid, p_note uuid, p_at timestamptz
) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  i invoices%rowtype;
  v_total bigint;
  v_ppn bigint;
begin
  select * into strict i from invoices
    where account_id = p_account and topup_id = p_topup and kind <> 'credit_note'
      and status in ('open', 'paid')
    for no key update;
  if i.status = 'open' and i.kind = 'plan' then
    perform void_invoice(p_account, i.invoice_id, p_at, 'Pembayarannya dikembalikan.');
    select * into strict i from invoices
      where account_id = p_account and topup_id = p_topup and kind = 'topup'
        and status in ('open', 'paid');
  end if;
  if i.status = 'open' then
    -- It waits for the seller's data: nothing was issued that could be credited.
    update invoices set status = 'void', note = 'Pembayarannya dikembalikan.'
      where account_id = p_account and invoice_id = i.invoice_id;
    return;
  end if;
  select i.total - coalesce(sum(total), 0), i.ppn - coalesce(sum(ppn), 0) into v_total, v_ppn
    from invoices where account_id = p_account and credits = i.invoice_id;
  if v_total > 0 then
    perform issue_credit_note(
      p_account, p_note, i.invoice_id, v_total, v_ppn, 'Pembayaran dikembalikan', p_at
    );
  end if;
end
$$;

revoke all on function credit_topup_invoice from public;
