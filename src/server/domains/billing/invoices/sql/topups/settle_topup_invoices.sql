-- The invoices of top-ups that were paid just now: paid and numbered. Of a top-up made for (p_for, or null) an
-- open invoice of a plan, that invoice takes its PPN and stays open until the plan is charged.
-- Called by credit_topups, with its rights, as its very last statement: it takes numbers, which others wait for until COMMIT.
-- Locks the invoices, then the counter of their month.
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

-- A paid top-up was made for an invoice of a plan: that one takes its PPN, unless it is open no more, dearer
-- than the top-up, or funded by another. Says whether it did.
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
    -- The top-up has an invoice of its own then, which waits for the seller's data; the plan is paid from saldo.
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

-- Paid top-ups' own invoices, paid: made now where one has none. With PPN they wait, open and without a number, while
-- the seller's NPWP or address is missing (issue_waiting_invoices).
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
  -- The top-up is what counts: by hand another amount may have been taken.
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
