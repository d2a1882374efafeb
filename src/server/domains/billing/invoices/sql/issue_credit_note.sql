-- A credit note for a part of a paid invoice, or all of it: a document of its own with a number of its own;
-- the invoice stays as it is. p_ppn is what of the amount is PPN given back, which the caller books.
-- Called by issueCreditNote and credit_topup_invoice, last in the transaction that gives the money back. Locks the invoice, then the
-- counter. Raises BL010 when the invoice is not paid, BL012 when more would be given back than was paid.
create or replace function issue_credit_note(
  p_account uuid, p_note uuid, p_invoice uuid, p_amount bigint, p_ppn bigint, p_reason text,
  p_at timestamptz
) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  i invoices%rowtype;
  v_given bigint;
  v_given_ppn bigint;
  v_number text;
  v_net bigint := p_amount - p_ppn;
begin
  if not sees_all() then
    raise exception 'credit notes are issued by work over all accounts only' using errcode = '42501';
  end if;
  select * into strict i from invoices
    where account_id = p_account and invoice_id = p_invoice for no key update;
  if i.status <> 'paid' or i.kind = 'credit_note' then
    raise exception 'only a paid invoice can be credited' using errcode = 'BL010';
  end if;
  select coalesce(sum(total), 0), coalesce(sum(ppn), 0) into v_given, v_given_ppn from invoices
    where account_id = p_account and credits = p_invoice;
  if p_amount <= 0 or p_ppn < 0 or v_net < 0 or v_given + p_amount > i.total
    or v_given_ppn + p_ppn > i.ppn then
    raise exception 'more than was paid cannot be credited' using errcode = 'BL012';
  end if;
  v_number := (take_invoice_numbers('CN', array[p_at]))[1];
  insert into invoices (
    account_id, invoice_id, kind, status, doc_ref, number, title, lines, base, ppn, unique_code, total,
    received, tax, seller, buyer, subject_type, subject_id, credits, paid_with, paid_ref, note,
    created_at, paid_at
  ) values (
    p_account, p_note, 'credit_note', 'paid',
    substr(encode(sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())), 'hex'), 1, 32),
    v_number, 'Nota kredit atas ' || i.number,
    jsonb_build_array(jsonb_build_object('text', 'Pengembalian atas ' || i.number, 'quantity', 1,
      'price', v_net, 'amount', v_net)),
    v_net, p_ppn, 0, p_amount, p_amount, case when p_ppn > 0 then i.tax end, seller_of_invoice(),
    i.buyer, 'credit_note', p_note, p_invoice, 'credit', i.invoice_id::text, p_reason, p_at, p_at
  );
  insert into invoice_refs (doc_ref, account_id, invoice_id, number)
    select doc_ref, account_id, invoice_id, number from invoices
    where account_id = p_account and invoice_id = p_note;
  return v_number;
end
$$;

revoke all on function issue_credit_note from public;
grant execute on function issue_credit_note to kabari_app;
