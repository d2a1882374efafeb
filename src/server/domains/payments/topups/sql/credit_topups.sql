-- Pays top-ups that wait for their money, each once: the saldo gets what is credited, the general ledger the
-- payment, the invoice its number.
-- Called by apply_payments, which holds the top-ups' locks and has stored the payments. Locks the wallets, then
-- the invoices and the counter of their month.
create or replace function credit_topups(
  p_account uuid[], p_topup uuid[], p_txn text[], p_amount bigint[], p_at timestamptz[],
  p_actor text[], p_note text[]
) returns void
language plpgsql as $$
declare
  v_credited bigint[];
  v_for uuid[];
  v_id text[] := p_topup;
  v_of int[];
  v_gl_account text[];
  v_amount bigint[];
begin
  with paid as (
    update topups t set
        status = 'paid', provider_txn_id = x.txn, paid_at = x.at, received = x.amount,
        income = greatest(0, least(t.income, x.amount - t.base - t.ppn)),
        credited = x.amount - t.ppn - greatest(0, least(t.income, x.amount - t.base - t.ppn)),
        note = coalesce(x.note, t.note)
      from unnest(p_account, p_topup, p_txn, p_amount, p_at, p_note) with ordinality
        as x(account, topup, txn, amount, at, note, place)
      where t.account_id = x.account and t.topup_id = x.topup
      returning x.place, t.provider, t.received, t.credited, t.ppn, t.income, t.invoice_id
  ), lines as (
    select p.place, p.invoice_id, l.* from paid p cross join lateral (values
      (1, 'cash:' || p.provider, p.received), (2, 'clearing', -p.credited), (3, 'liab:ppn', -p.ppn),
      (4, 'inc:kode_unik', -p.income)
    ) as l(n, gl_account, amount)
  )
  select array_agg(place order by place, n), array_agg(gl_account order by place, n),
      array_agg(amount order by place, n), array_agg(-amount order by place) filter (where n = 2),
      array_agg(invoice_id order by place) filter (where n = 2)
    into v_of, v_gl_account, v_amount, v_credited, v_for from lines;
  perform post_entries(
    p_account, 'topup', v_credited, 'clearing', 'topup', v_id,
    array(select 'topup:' || id from unnest(v_id) as id), p_actor
  );
  perform post_gl_many(
    p_account, array(select gen_random_uuid() from unnest(p_account)),
    array(select 'pay:' || id from unnest(v_id) as id), 'payment', v_of, v_gl_account, v_amount
  );
  -- A gateway that has paid is asked no more.
  update gateway_orders o set next_poll_at = null
    from unnest(p_account, p_topup) as x(account, topup)
    where o.account_id = x.account and o.topup_id = x.topup;
  perform settle_topup_invoices(p_account, p_topup, v_for, p_at);
end
$$;

revoke all on function credit_topups from public;
