-- Invoices become paid and get their numbers, in the order of the arrays. The facts of a payment: `with` what,
-- by which `topup` or other `ref`, and where they are only known now what was `received`, its `ppn` and `tax`; `paid` is when, where the invoice
-- waited for the seller's data since.
-- Called last in a transaction, by settle_invoice, which holds the invoice's lock, and by pay_topup_invoices, under
-- the locks of the top-ups. Locks the counters. Raises BL010 when an invoice is neither open nor expired.
create or replace function pay_invoices(
  p_account uuid[], p_invoice uuid[], p_at timestamptz[], p_payment jsonb[]
) returns text[]
language plpgsql as $$
declare
  v_number text[];
  v_ref text[];
  v_numbered text[];
  v_count int;
begin
  v_number := take_invoice_numbers('INV', p_at);
  with paid as (
    update invoices i set
        status = 'paid', number = v_number[x.place], paid_at = coalesce(x.paid, x.at),
        seller = seller_for_ppn(i.seller, coalesce(x.ppn, i.ppn)), ppn = coalesce(x.ppn, i.ppn),
        unique_code = coalesce(x.received, i.total) - i.base - coalesce(x.ppn, i.ppn),
        total = coalesce(x.received, i.total), received = coalesce(x.received, i.total),
        tax = case when x.ppn is null then i.tax else x.tax end,
        topup_id = coalesce(x.topup, i.topup_id), paid_with = x.with,
        paid_ref = coalesce(x.topup::text, x.ref), note = case when x.paid is null then coalesce(x.note, i.note) else x.note end
      from (
        select u.account, u.invoice, u.at, u.place, f.*
        from unnest(p_account, p_invoice, p_at, p_payment) with ordinality
          as u(account, invoice, at, payment, place)
        cross join lateral jsonb_to_record(u.payment) as f(
          "with" text, topup uuid, ref text, received bigint, ppn bigint, tax jsonb, note text,
          paid timestamptz
        )
      ) x
      where i.account_id = x.account and i.invoice_id = x.invoice
        and i.status in ('open', 'expired')
      returning i.doc_ref, i.number
  )
  select array_agg(doc_ref), array_agg(number) into v_ref, v_numbered from paid;
  update invoice_refs r set number = x.number
    from unnest(v_ref, v_numbered) as x(ref, number) where r.doc_ref = x.ref;
  get diagnostics v_count = row_count;
  if v_count <> cardinality(p_invoice) then
    raise exception 'an invoice that is neither open nor expired cannot be paid' using errcode = 'BL010';
  end if;
  return v_number;
end
$$;

revoke all on function pay_invoices from public;
