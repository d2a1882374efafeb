-- The invoice of a top-up that was paid just now: paid and numbered. Of a top-up made for an open invoice of
-- a plan, that invoice takes its PPN and stays open until the plan is charged.
-- Called by apply_paid as its very last statement: it takes a number, which others wait for until COMMIT.
-- Locks the invoice, then the counter of its month.
create or replace function settle_topup_invoice(p_account uuid, p_topup uuid, p_at timestamptz)
returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  t topups%rowtype;
  i invoices%rowtype;
begin
  if not sees_all() then
    raise exception 'invoices are settled by work over all accounts only' using errcode = '42501';
  end if;
  select * into strict t from topups where account_id = p_account and topup_id = p_topup;
  if t.invoice_id is not null then
    select * into i from invoices
      where account_id = p_account and invoice_id = t.invoice_id for no key update;
    if i.kind = 'plan' and i.status = 'open' and i.base <= t.base
      and (i.topup_id = p_topup or not is_invoice_funded(p_account, i.topup_id)) then
      update invoices set topup_id = p_topup, ppn = t.ppn, unique_code = t.received - t.base - t.ppn,
          total = base + t.ppn + t.received - t.base - t.ppn,
          tax = case when t.ppn > 0 then tax_of_invoice(t.created_at) end
        where account_id = p_account and invoice_id = t.invoice_id;
      return;
    end if;
  end if;
  perform own_topup_invoice(p_account, p_topup, p_at);
end
$$;

-- A paid top-up's own invoice, paid: made now where it has none.
create or replace function own_topup_invoice(p_account uuid, p_topup uuid, p_at timestamptz)
returns void
language plpgsql set search_path = public, pg_temp as $$
declare
  t topups%rowtype;
begin
  select * into strict t from topups where account_id = p_account and topup_id = p_topup;
  perform 1 from invoices where account_id = p_account and invoice_id = p_topup for no key update;
  if not found then
    perform issue_invoice(
      p_account, p_topup, 'topup', 'Isi saldo',
      jsonb_build_array(jsonb_build_object(
        'text', 'Isi saldo Kabari', 'quantity', 1, 'price', t.base, 'amount', t.base)),
      t.ppn, t.received - t.base - t.ppn, 'topup', p_topup, null, null, t.expires_at, t.created_at
    );
  end if;
  -- The top-up is what counts: by hand another amount may have been taken.
  perform pay_invoice(
    p_account, p_topup, p_at,
    jsonb_build_object(
      'ppn', t.ppn, 'received', t.received, 'topup', p_topup,
      'tax', case when t.ppn > 0 then tax_of_invoice(t.created_at) end,
      'with', coalesce(to_jsonb(t) ->> 'method', t.provider), 'note', t.note
    )
  );
end
$$;

revoke all on function settle_topup_invoice from public;
grant execute on function settle_topup_invoice to kabari_app;
revoke all on function own_topup_invoice from public;
