-- An invoice becomes paid and gets its number. The facts of its payment: what came in, with what and by which
-- top-up, and the PPN where that is only known now.
-- Called by settle_invoice and own_topup_invoice, last in their transactions. Locks the invoice, then the
-- counter. Raises BL010 when it is neither open nor expired.
create or replace function pay_invoice(
  p_account uuid, p_invoice uuid, p_at timestamptz, p_payment jsonb
) returns text
language plpgsql set search_path = public, pg_temp as $$
declare
  i invoices%rowtype;
  v_ppn bigint;
  v_received bigint;
  v_number text;
begin
  select * into strict i from invoices
    where account_id = p_account and invoice_id = p_invoice for no key update;
  if i.status not in ('open', 'expired') then
    raise exception 'an invoice that is % cannot be paid', i.status using errcode = 'BL010';
  end if;
  v_ppn := coalesce((p_payment ->> 'ppn')::bigint, i.ppn);
  v_received := coalesce((p_payment ->> 'received')::bigint, i.total);
  v_number := next_invoice_number('INV', p_at);
  update invoices set
      status = 'paid', number = v_number, paid_at = p_at, ppn = v_ppn,
      unique_code = v_received - base - v_ppn, total = v_received, received = v_received,
      tax = case when p_payment ? 'ppn' then nullif(p_payment -> 'tax', 'null'::jsonb) else tax end,
      topup_id = coalesce((p_payment ->> 'topup')::uuid, topup_id),
      paid_with = p_payment ->> 'with',
      paid_ref = coalesce(p_payment ->> 'topup', p_payment ->> 'ref'),
      note = coalesce(p_payment ->> 'note', note)
    where account_id = p_account and invoice_id = p_invoice;
  update invoice_refs set number = v_number where doc_ref = i.doc_ref;
  return v_number;
end
$$;

-- The next number of a series in the WIB month of an instant: 1, 2, 3 … without gaps, for whoever rolls back
-- gives theirs back. Others wait for it until COMMIT: it is asked for last.
create or replace function next_invoice_number(p_series text, p_at timestamptz) returns text
language plpgsql set search_path = public, pg_temp as $$
declare
  v_month date := date_trunc('month', p_at at time zone 'Asia/Jakarta')::date;
  v_last int;
begin
  insert into invoice_counters as c (series, month, last) values (p_series, v_month, 1)
    on conflict (series, month) do update set last = c.last + 1
    returning last into v_last;
  return p_series || '/' || to_char(v_month, 'YYYY/MM') || '/'
    || case when v_last < 1000000 then lpad(v_last::text, 6, '0') else v_last::text end;
end
$$;

revoke all on function pay_invoice from public;
revoke all on function next_invoice_number from public;
