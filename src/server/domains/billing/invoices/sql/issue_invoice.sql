-- A document is issued: both parties as they are now, and a reference of its own. The PPN is the part of
-- the total that is collected with it; its rate is the newest that had begun.
-- Called by the functions below it, and by issueInvoice. Locks nothing. Raises BL011 when the lines do
-- not sum to the base, a unique violation when its subject has an invoice.
create or replace function issue_invoice(
  p_account uuid, p_invoice uuid, p_kind text, p_title text, p_lines jsonb, p_ppn bigint,
  p_code bigint, p_subject_type text, p_subject uuid, p_period_start timestamptz,
  p_period_end timestamptz, p_due timestamptz, p_at timestamptz
) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_base bigint;
  v_ref text := substr(
    encode(sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())), 'hex'), 1, 32);
begin
  if seen_account() <> p_account then
    raise exception 'an invoice of another account' using errcode = '42501';
  end if;
  if exists (
    select from jsonb_to_recordset(p_lines) as l(quantity bigint, price bigint, amount bigint)
    where l.quantity * l.price is distinct from l.amount
  ) then
    raise exception 'a line of an invoice is not its price times its quantity' using errcode = 'BL011';
  end if;
  select coalesce(sum(l.amount), 0)::bigint into v_base
    from jsonb_to_recordset(p_lines) as l(amount bigint);
  insert into invoices (
    account_id, invoice_id, kind, status, doc_ref, title, period_start, period_end, lines, base, ppn,
    unique_code, total, tax, seller, buyer, subject_type, subject_id, due_at, created_at
  ) values (
    p_account, p_invoice, p_kind, 'open', v_ref, p_title, p_period_start, p_period_end, p_lines,
    v_base, p_ppn, p_code, v_base + p_ppn + p_code,
    case when p_ppn > 0 then tax_of_invoice(p_at) end, seller_of_invoice(),
    buyer_of_invoice(p_account), p_subject_type, p_subject, p_due, p_at
  );
  insert into invoice_refs (doc_ref, account_id, invoice_id) values (v_ref, p_account, p_invoice);
end
$$;

revoke all on function issue_invoice from public;
grant execute on function issue_invoice to kabari_app;
