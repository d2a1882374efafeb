-- Plan revisions and subscription charges are append-only.
create or replace trigger plan_revisions_append_only before update or delete on plan_revisions
  for each row execute function deny();
create or replace trigger subscription_charges_append_only
  before update or delete on subscription_charges for each row execute function deny();

-- Allowed status transitions of a subscription. The status may also stay the same, as in a renewal or a change of plan.
-- Raises BL002.
create or replace function check_subscription_transition() returns trigger language plpgsql as $$
begin
  if old.status <> new.status and (old.status, new.status) not in (
    ('active', 'past_due'), ('active', 'cancelled'),
    ('past_due', 'active'), ('past_due', 'suspended'), ('past_due', 'cancelled'),
    ('suspended', 'active'), ('suspended', 'cancelled'),
    ('cancelled', 'active')
  ) then
    raise exception 'a subscription cannot go from % to %', old.status, new.status
      using errcode = 'BL002';
  end if;
  if new.revision < old.revision then
    raise exception 'the revision of a subscription cannot fall' using errcode = 'BL002';
  end if;
  return new;
end
$$;

create or replace trigger subscription_steps before update on subscriptions
  for each row execute function check_subscription_transition();

-- Takes the next numbers of a series in the WIB months of the given instants, in their order: 1, 2, 3 … without gaps,
-- because a rollback returns its numbers. Other transactions wait for the counter until COMMIT, so take numbers last.
-- Called by pay_invoices and issue_credit_note. Locks the counters, in the order of their months.
create or replace function take_invoice_numbers(p_series text, p_at timestamptz[]) returns text[]
language plpgsql as $$
declare
  v_number text[] := array_fill(null::text, array[cardinality(p_at)]);
  v_month date;
  v_place int[];
  v_last bigint;
  v_n bigint;
begin
  for v_month, v_place in
    select date_trunc('month', a.at at time zone 'Asia/Jakarta')::date as month,
      array_agg(a.place order by a.place)
    from unnest(p_at) with ordinality as a(at, place) group by month order by month
  loop
    insert into invoice_counters as c (series, month, last)
      values (p_series, v_month, cardinality(v_place))
      on conflict (series, month) do update set last = c.last + excluded.last
      returning c.last into v_last;
    for i in 1 .. cardinality(v_place) loop
      v_n := v_last - cardinality(v_place) + i;
      v_number[v_place[i]] := p_series || '/' || to_char(v_month, 'YYYY/MM') || '/'
        || case when v_n < 1000000 then lpad(v_n::text, 6, '0') else v_n::text end;
    end loop;
  end loop;
  return v_number;
end
$$;

revoke all on function take_invoice_numbers from public;

-- An invoice copies these facts when it is issued, so that later changes of the account or the seller do not change it.
-- Called by issue_invoice and settle_topup_invoices, with their rights. Locks nothing.

-- The newest seller that a server start recorded.
create or replace function seller_of_invoice() returns jsonb
language plpgsql stable set search_path = public, pg_temp as $$
declare
  v_seller jsonb;
begin
  select to_jsonb(s) - 'valid_from' into v_seller from sellers s order by valid_from desc limit 1;
  return coalesce(v_seller, jsonb_build_object('name', 'Kabari', 'npwp', null, 'address', null,
    'email', null, 'phone', null, 'adds_ppn', false));
end
$$;

-- True when a seller has the facts that an invoice with PPN requires: NPWP and address.
create or replace function is_seller_complete(p_seller jsonb) returns boolean
language sql immutable set search_path = public, pg_temp as $$
  select coalesce(btrim(p_seller ->> 'npwp') <> '' and btrim(p_seller ->> 'address') <> '', false)
$$;

-- The seller printed on an invoice: its copy, or the newest one where the invoice has PPN and the copy is incomplete.
create or replace function seller_for_ppn(p_seller jsonb, p_ppn bigint) returns jsonb
language sql stable set search_path = public, pg_temp as $$
  select case when p_ppn > 0 and not is_seller_complete(p_seller) then seller_of_invoice()
    else p_seller end
$$;

-- The buyer: the billing profile, completed from the account and its first person.
create or replace function buyer_of_invoice(p_account uuid) returns jsonb
language plpgsql stable set search_path = public, pg_temp as $$
declare
  v_buyer jsonb;
begin
  select jsonb_build_object(
    'name', coalesce(p.name, a.name), 'npwp', p.npwp, 'address', p.address,
    'email', coalesce(p.email, u.email), 'phone', u.phone
  ) into v_buyer
  from accounts a
  left join billing_profiles p on p.account_id = a.account_id
  left join lateral (
    select email, phone from users where account_id = a.account_id order by user_id limit 1
  ) u on true
  where a.account_id = p_account;
  return v_buyer;
end
$$;

-- The rate of PPN in force at an instant.
create or replace function tax_of_invoice(p_at timestamptz) returns jsonb
language plpgsql stable set search_path = public, pg_temp as $$
declare
  v_tax jsonb;
begin
  select jsonb_build_object('num', num, 'den', den, 'dpp_num', dpp_num, 'dpp_den', dpp_den) into v_tax
    from tax_rates where code = 'ppn' and valid_from <= p_at order by valid_from desc limit 1;
  return v_tax;
end
$$;

revoke all on function seller_of_invoice from public;
revoke all on function is_seller_complete from public;
revoke all on function seller_for_ppn from public;
revoke all on function buyer_of_invoice from public;
revoke all on function tax_of_invoice from public;

-- Issues a document with a copy of both parties and its own reference. p_ppn is the part of the total collected as PPN,
-- at the newest rate in force.
-- Called by the functions below and by issueInvoice. Locks nothing. Raises BL011 when the lines do not sum to the base,
-- a unique violation when the subject already has an invoice.
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

-- Marks a plan's invoice as paid from the saldo. It names the top-up when one was made for this invoice.
-- Called by settleInvoice, last in the transaction of the charge. Locks the invoice, then the counter. Raises BL010
-- when it is not open.
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

-- Marks invoices as paid and numbers them, in the order of the arrays. Facts of a payment: method (`with`), `topup` or
-- another `ref`, and, where they are known only now, `received`, `ppn` and `tax`; `paid` is the time of payment where
-- the invoice has waited for the seller's data since.
-- Called last in a transaction, by settle_invoice, which holds the invoice's lock, and by pay_topup_invoices, under the
-- locks of the top-ups. Locks the counters. Raises BL010 when an invoice is neither open nor expired.
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

-- Voids an open invoice of a plan; a void one stays void. If a top-up made for it has been paid, the money stays as
-- saldo and the top-up gets its own invoice, because its PPN was collected.
-- Called by voidInvoice and credit_topup_invoice. Locks the invoice, then the counter. Raises BL010 when it is neither
-- open nor void.
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

-- Issues a credit note for all or part of a paid invoice, with its own number; the invoice does not change. p_ppn is
-- the PPN within the amount, which the caller books.
-- Called by issueCreditNote and credit_topup_invoice, last in the transaction that returns the money. Locks the
-- invoice, then the counter. Raises BL010 when the invoice is not paid, BL012 when the credit notes would exceed the
-- amount paid.
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

-- Removes the buyer from a closed account's invoices: name, address, NPWP, e-mail, telephone number, notes, and the
-- documents that show them. Numbers, amounts, lines and days stay, for the tax office.
-- Called while an account is erased. Locks the rows it changes. Raises 42501 when the account is not closed.
create or replace function erase_buyer(p_account uuid) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform begin_erasing(p_account);
  delete from invoice_documents where account_id = p_account;
  update invoices set note = null, buyer = jsonb_build_object('name', 'Akun terhapus',
      'npwp', null, 'address', null, 'email', null, 'phone', null)
    where account_id = p_account;
  delete from billing_profiles where account_id = p_account;
  perform set_config('app.erasing', '', true);
end
$$;

revoke all on function erase_buyer from public;
grant execute on function erase_buyer to kabari_app;

-- Allowed status transitions and changes of an invoice. Paid, void and expired are final, except that late money pays
-- an expired invoice, or reopens it while the seller's data is missing. Only an open invoice takes the facts of its
-- top-up and a complete seller; the buyer is removed when the account is erased. Raises BL010.
create or replace function check_invoice_transition() returns trigger language plpgsql as $$
declare
  -- The old row with the columns that may change taken from the new one. Whole rows are compared, so a column added
  -- later is protected by default.
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

-- Each new invoice and each change of status is an event, in the same transaction. Open tabs read the invoice's id and
-- status; the rest is for webhooks.
create or replace function enqueue_invoice_made() returns trigger language plpgsql as $$
begin
  perform enqueue_events(
      array_agg(m.account_id), 'invoice.changed',
      array_agg(jsonb_build_object(
        'invoice_id', public_id('inv_', m.invoice_id), 'status', m.status, 'number', m.number, 'kind', m.kind,
        'total', m.total))
    ) from made m having count(*) > 0;
  return null;
end
$$;

create or replace function enqueue_invoice_changed() returns trigger language plpgsql as $$
begin
  perform enqueue_events(
      array_agg(c.account_id), 'invoice.changed',
      array_agg(jsonb_build_object(
        'invoice_id', public_id('inv_', c.invoice_id), 'status', c.status, 'number', c.number, 'kind', c.kind,
        'total', c.total))
    ) from changed c join before b using (account_id, invoice_id) where c.status <> b.status
    having count(*) > 0;
  return null;
end
$$;

create or replace trigger invoice_made after insert on invoices
  referencing new table as made
  for each statement execute function enqueue_invoice_made();
create or replace trigger invoice_changed after update on invoices
  referencing old table as before new table as changed
  for each statement execute function enqueue_invoice_changed();

-- Opens the invoice of a top-up, under the top-up's id. A top-up made to pay a plan's open invoice gets none: that
-- invoice names it.
-- Called by the trigger of top-ups on insert. Locks the plan's invoice.
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

-- True when the top-up made for an invoice has been paid: its PPN then belongs to that invoice.
-- Called by void_invoice, open_topup_invoice and fund_plan_invoice, with their rights.
create or replace function is_invoice_funded(p_account uuid, p_topup uuid) returns boolean
language sql stable set search_path = public, pg_temp as $$
  select exists (
    select from topups where account_id = p_account and topup_id = p_topup and status = 'paid'
  )
$$;

revoke all on function open_topup_invoice from public;
grant execute on function open_topup_invoice to kabari_app;
revoke all on function is_invoice_funded from public;

-- Credits the invoice of a top-up whose whole payment is returned, less earlier credit notes. An invoice that waits for
-- the seller's data becomes void. If the payment was for a plan's open invoice, that invoice is voided first, which
-- gives the top-up its own invoice.
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
    -- It waits for the seller's data: no document exists that could be credited.
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

-- Closes the invoice of a top-up that ended unpaid: expired (late money still pays it), or void if an operator rejected
-- the top-up.
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

-- Issues invoices of paid top-ups that waited for the seller's NPWP and address, at most p_limit, in the order of their
-- payments, with numbers of p_at's month. Returns the number issued: 0 while the seller's data is missing.
-- Called by issueWaitingInvoices, in its own transaction. Locks the top-ups, then the invoices, then the counter.
-- Raises 42501 when called for one account only.
create or replace function issue_waiting_invoices(p_at timestamptz, p_limit int) returns int
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_account uuid[];
  v_topup uuid[];
begin
  if not sees_all() then
    raise exception 'waiting invoices are issued by work over all accounts only' using errcode = '42501';
  end if;
  if not is_seller_complete(seller_of_invoice()) then
    return 0;
  end if;
  select array_agg(account_id order by paid_at, invoice_id),
      array_agg(invoice_id order by paid_at, invoice_id)
    into v_account, v_topup from (
      select i.account_id, i.invoice_id, t.paid_at from invoices i
      join topups t on t.account_id = i.account_id and t.topup_id = i.invoice_id
      where i.kind = 'topup' and i.status = 'open' and t.status = 'paid'
      order by t.paid_at, i.invoice_id limit p_limit
    ) w;
  perform from topups t
    join unnest(v_account, v_topup) as x(account, topup)
      on t.account_id = x.account and t.topup_id = x.topup
    order by t.account_id, t.topup_id for update of t;
  -- Another call or a refund may have changed them before the lock.
  select array_agg(i.account_id order by x.place), array_agg(i.invoice_id order by x.place)
    into v_account, v_topup
    from unnest(v_account, v_topup) with ordinality as x(account, topup, place)
    join invoices i on i.account_id = x.account and i.invoice_id = x.topup
    where i.status = 'open';
  if v_account is null then
    return 0;
  end if;
  perform pay_invoices(
      v_account, v_topup, array_fill(p_at, array[cardinality(v_topup)]),
      array_agg(jsonb_build_object(
        'received', t.received, 'ppn', t.ppn, 'topup', t.topup_id, 'tax', i.tax, 'with', t.method,
        'note', t.note, 'paid', t.paid_at
      ) order by x.place)
    )
    from unnest(v_account, v_topup) with ordinality as x(account, topup, place)
    join topups t on t.account_id = x.account and t.topup_id = x.topup
    join invoices i on i.account_id = x.account and i.invoice_id = x.topup;
  return cardinality(v_topup);
end
$$;

revoke all on function issue_waiting_invoices from public;
grant execute on function issue_waiting_invoices to kabari_app;

-- Marks the invoices of just paid top-ups as paid and numbers them. If a top-up was made for a plan's open invoice
-- (p_for, or null), that invoice takes the PPN and stays open until the plan is charged.
-- Called by credit_topups, with its rights, as its last statement, because other transactions wait for the numbers
-- until COMMIT. Locks the invoices, then the counter of their month.
create or replace function settle_topup_invoices(
  p_account uuid[], p_topup uuid[], p_for uuid[], p_at timestamptz[]
) returns void
language plpgsql as $$
declare
  t topups%rowtype;
  v_own boolean[] := array_fill(true, array[cardinality(p_topup)]);
  v_place int;
begin
  for v_place in select i from generate_subscripts(p_for, 1) as i where p_for[i] is not null loop
    select * into strict t from topups
      where account_id = p_account[v_place] and topup_id = p_topup[v_place];
    v_own[v_place] := not fund_plan_invoice(t);
  end loop;
  perform pay_topup_invoices(array_agg(p_account[i]), array_agg(p_topup[i]), array_agg(p_at[i]))
    from generate_subscripts(v_own, 1) as i where v_own[i] having count(*) > 0;
end
$$;

-- Moves the PPN of a paid top-up to the plan's invoice it was made for, unless that invoice is not open, costs more
-- than the top-up, or has another paid top-up. Returns whether it did.
create or replace function fund_plan_invoice(t topups) returns boolean
language plpgsql as $$
declare
  i invoices%rowtype;
begin
  select * into i from invoices
    where account_id = t.account_id and invoice_id = t.invoice_id for no key update;
  if i.kind is distinct from 'plan' or i.status <> 'open' or i.base > t.base
    or (i.topup_id <> t.topup_id and is_invoice_funded(t.account_id, i.topup_id)) then
    return false;
  end if;
  if t.ppn > 0 and not is_seller_complete(seller_for_ppn(i.seller, t.ppn)) then
    -- The top-up then has its own invoice, which waits for the seller's data; the plan is paid from saldo.
    update invoices set topup_id = null
      where account_id = t.account_id and invoice_id = t.invoice_id and topup_id = t.topup_id;
    return false;
  end if;
  update invoices set topup_id = t.topup_id, seller = seller_for_ppn(i.seller, t.ppn), ppn = t.ppn, unique_code = t.received - t.base - t.ppn,
      total = base + t.ppn + t.received - t.base - t.ppn,
      tax = case when t.ppn > 0 then tax_of_invoice(t.created_at) end
    where account_id = t.account_id and invoice_id = t.invoice_id;
  return true;
end
$$;

-- Marks paid top-ups' own invoices as paid, creating the missing ones. With PPN they stay open and without a number
-- while the seller's NPWP or address is missing (issue_waiting_invoices).
-- Called by settle_topup_invoices, and by void_invoice, which leaves a paid top-up without an invoice.
create or replace function pay_topup_invoices(p_account uuid[], p_topup uuid[], p_at timestamptz[])
returns void
language plpgsql as $$
begin
  perform issue_invoice(
      t.account_id, t.topup_id, 'topup', 'Isi saldo',
      jsonb_build_array(jsonb_build_object(
        'text', 'Isi saldo Kabari', 'quantity', 1, 'price', t.base, 'amount', t.base)),
      t.ppn, t.received - t.base - t.ppn, 'topup', t.topup_id, null, null, t.expires_at, t.created_at
    )
    from unnest(p_account, p_topup) as x(account, topup)
    join topups t on t.account_id = x.account and t.topup_id = x.topup
    where not exists (
      select from invoices i where i.account_id = x.account and i.invoice_id = x.topup
    );
  update invoices i set status = 'open', ppn = t.ppn, unique_code = t.received - i.base - t.ppn,
      total = t.received, tax = tax_of_invoice(t.created_at), topup_id = t.topup_id,
      note = 'Sudah dibayar. Faktur terbit setelah data penjual lengkap.'
    from unnest(p_account, p_topup) as x(account, topup)
    join topups t on t.account_id = x.account and t.topup_id = x.topup
    where i.account_id = x.account and i.invoice_id = x.topup and t.ppn > 0
      and i.status in ('open', 'expired') and not is_seller_complete(seller_for_ppn(i.seller, t.ppn));
  -- The amount of the top-up counts: an operator may have accepted another amount.
  perform pay_invoices(
      array_agg(x.account order by x.place), array_agg(x.topup order by x.place),
      array_agg(x.at order by x.place),
      array_agg(jsonb_build_object(
        'ppn', t.ppn, 'received', t.received, 'topup', t.topup_id,
        'tax', case when t.ppn > 0 then tax_of_invoice(t.created_at) end, 'with', t.method,
        'note', t.note
      ) order by x.place)
    )
    from unnest(p_account, p_topup, p_at) with ordinality as x(account, topup, at, place)
    join topups t on t.account_id = x.account and t.topup_id = x.topup
    join invoices i on i.account_id = x.account and i.invoice_id = x.topup
    where t.ppn = 0 or is_seller_complete(seller_for_ppn(i.seller, t.ppn))
    having count(*) > 0;
end
$$;

revoke all on function settle_topup_invoices from public;
revoke all on function fund_plan_invoice from public;
revoke all on function pay_topup_invoices from public;
