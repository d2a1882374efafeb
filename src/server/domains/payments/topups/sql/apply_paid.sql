-- Money came for a top-up: paid, entry, general ledger and event, all or nothing. Answers what it
-- was:
-- applied: paid now, also from creating, expired and cancelled: late money is still money
-- duplicate: this payment is known already
-- txn_used: this payment paid another top-up
-- second_payment: paid already by another payment, or a gateway took money for a rejected one: the
--   money rests in suspense
-- amount_mismatch: another amount: the operator shall look
-- closed: a rejected bank transfer: nothing is taken, its line waits for the operator
-- unknown: no such top-up
-- By hand (p_by_hand) an amount up to 999 off (a forgotten kode unik) is taken as it came: what is
-- missing is taken first from the part that is our income, then from the saldo; farther off is
-- amount_mismatch without a trace, and a paid top-up is already_paid.
-- Called by payments/pay for every notice of money, and when an operator confirms. Locks the
-- top-up, then the wallet (post_entry). Raises 42501 when called for one account only.
create or replace function apply_paid(
  p_account uuid, p_topup uuid, p_txn text, p_amount bigint, p_at timestamptz, p_actor text,
  p_by_hand boolean default false, p_note text default null
) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  t topups%rowtype;
  p provider_payments%rowtype;
  v_income bigint;
begin
  if current_setting('app.account', true) is distinct from '*' then
    raise exception 'payments are applied by work over all accounts only' using errcode = '42501';
  end if;
  select * into t from topups where account_id = p_account and topup_id = p_topup for update;
  if not found then
    return 'unknown';
  end if;
  if p_by_hand and t.status = 'paid' then
    return 'already_paid';
  end if;
  select * into p from provider_payments where provider = t.provider and txn_id = p_txn;
  if found then
    return case when p.account_id = p_account and p.topup_id = p_topup then 'duplicate'
      else 'txn_used' end;
  end if;
  -- A bank line stays where an operator sees it; what a gateway took is nowhere else.
  if t.status = 'rejected' and (t.provider = 'bank' or p_by_hand) then
    return 'closed';
  end if;
  if t.status not in ('paid', 'rejected') and p_amount <> t.total then
    if not p_by_hand then
      update topups set status = 'review', note = coalesce(p_note, note)
        where account_id = p_account and topup_id = p_topup;
      return 'amount_mismatch';
    end if;
    if abs(p_amount - t.total) > 999 then
      return 'amount_mismatch';
    end if;
  end if;

  insert into provider_payments (provider, txn_id, account_id, topup_id, amount, outcome, at)
    values (t.provider, p_txn, p_account, p_topup, p_amount,
            case when t.status in ('paid', 'rejected') then 'second' else 'paid' end, p_at)
    on conflict (provider, txn_id) do nothing;
  if not found then
    return 'txn_used';
  end if;
  if t.status in ('paid', 'rejected') then
    perform post_gl(p_account, gen_random_uuid(), 'second:' || p_txn, 'second_payment',
      array['cash:' || t.provider, 'suspense'], array[p_amount, -p_amount]);
    return 'second_payment';
  end if;

  v_income := greatest(0, least(t.income, p_amount - t.base - t.ppn));
  update topups set
      status = 'paid', provider_txn_id = p_txn, paid_at = p_at, received = p_amount,
      income = v_income, credited = p_amount - t.ppn - v_income, note = coalesce(p_note, note)
    where account_id = p_account and topup_id = p_topup returning * into t;
  perform post_entry(p_account, 'topup', t.credited, 'clearing', 'topup', p_topup::text,
    'topup:' || p_topup, p_actor);
  perform post_gl(p_account, gen_random_uuid(), 'pay:' || p_topup, 'payment',
    array['cash:' || t.provider, 'clearing', 'liab:ppn', 'inc:kode_unik'],
    array[t.received, -t.credited, -t.ppn, -t.income]);
  -- A gateway that has paid is asked no more.
  update gateway_orders set next_poll_at = null
    where account_id = p_account and topup_id = p_topup;
  perform settle_topup_invoice(p_account, p_topup, p_at);
  return 'applied';
end
$$;

revoke all on function apply_paid from public;
grant execute on function apply_paid to kabari_app;
