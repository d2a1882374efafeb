-- Invoices of paid top-ups that wait for the seller's NPWP and address: open, with the facts of their payment.
-- Called by issue_waiting_invoices and waitingInvoices. Locks nothing. Raises 42501 when called for one account only.
create or replace function waiting_invoices()
returns table(account_id uuid, invoice_id uuid, paid_at timestamptz)
language plpgsql stable security definer set search_path = public, pg_temp as $$
begin
  if not sees_all() then
    raise exception 'waiting invoices are read by work over all accounts only' using errcode = '42501';
  end if;
  return query
    select i.account_id, i.invoice_id, t.paid_at from invoices i
    join topups t on t.account_id = i.account_id and t.topup_id = i.invoice_id
    where i.kind = 'topup' and i.status = 'open' and t.status = 'paid';
end
$$;

-- Issues waiting invoices, at most p_limit, in the order of their payments, with the numbers of p_at's month.
-- Returns how many: none while the seller's data is missing.
-- Called by issueWaitingInvoices, in a transaction of its own. Locks the top-ups, then the invoices, then the counter.
create or replace function issue_waiting_invoices(p_at timestamptz, p_limit int) returns int
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_account uuid[];
  v_topup uuid[];
begin
  if not is_seller_complete(seller_of_invoice()) then
    return 0;
  end if;
  select array_agg(account_id order by paid_at, invoice_id),
      array_agg(invoice_id order by paid_at, invoice_id)
    into v_account, v_topup from (
      select * from waiting_invoices() w order by w.paid_at, w.invoice_id limit p_limit
    ) w;
  perform from topups t
    join unnest(v_account, v_topup) as x(account, topup)
      on t.account_id = x.account and t.topup_id = x.topup
    order by t.account_id, t.topup_id for update of t;
  -- Another call, or a refund, may have been first.
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

revoke all on function waiting_invoices from public;
grant execute on function waiting_invoices to kabari_app;
revoke all on function issue_waiting_invoices from public;
grant execute on function issue_waiting_invoices to kabari_app;
