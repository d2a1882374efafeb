-- Money came for top-ups: each is paid, with entry, general ledger, invoice and events, all or nothing.
-- Payments come as parallel arrays; answers for each, in order, what it was:
-- applied: paid now, also from creating, expired and cancelled: late money is still money
-- duplicate: this payment is known already
-- txn_used: this payment paid another top-up
-- second_payment: paid already by another payment, or a gateway took money for a rejected one or one of
--   an account that has ended: the money rests in suspense
-- amount_mismatch: another amount: the operator shall look
-- closed: a bank transfer for a rejected one, or for an account that has ended: nothing is taken, its line waits for the operator
-- unknown: no such top-up
-- By hand (p_by_hand) an amount up to 999 off (a forgotten kode unik) is taken as it came: what is
-- missing is taken first from the part that is our income, then from the saldo; farther off is
-- amount_mismatch without a trace, and a paid top-up is already_paid.
-- Called by payments/pay for every notice of money, and when an operator confirms. Locks the
-- top-ups in the order of their ids, then the wallets, then invoices and the counter of their month. Raises
-- 42501 when called for one account only.
create or replace function apply_payments(
  p_account uuid[], p_topup uuid[], p_txn text[], p_amount bigint[], p_at timestamptz[],
  p_actor text[], p_note text[], p_by_hand boolean default false
) returns text[]
language plpgsql security definer set search_path = public, pg_temp
set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
declare
  v_outcome text[];
  v_provider text[];
  v_paying int[];
  v_second int[];
begin
  if current_setting('app.account', true) is distinct from '*' then
    raise exception 'payments are applied by work over all accounts only' using errcode = '42501';
  end if;
  perform from unnest(p_account, p_topup) as x(account, topup)
    join topups t on t.account_id = x.account and t.topup_id = x.topup
    order by t.account_id, t.topup_id for update of t;
  -- So that a wallet that is open stays open.
  perform from wallets where account_id = any (p_account) order by account_id for no key update;
  -- The second of a top-up, or of a payment, is judged once the first is applied: null until then. Each row is
  -- looked up by itself (limit 1): planned before there were many, a join would read whole tables.
  select array_agg(case
        when x.before_topup + x.before_txn > 0 then null
        when t.topup_id is null then 'unknown'
        when p_by_hand and t.status = 'paid' then 'already_paid'
        when p.account_id = t.account_id and p.topup_id = t.topup_id then 'duplicate'
        when p.txn_id is not null then 'txn_used'
        -- A bank line stays where an operator sees it; what a gateway took is nowhere else.
        when (t.status = 'rejected' or w.status = 'closed') and (t.provider = 'bank' or p_by_hand)
          then 'closed'
        when t.status in ('paid', 'rejected') or w.status = 'closed' then 'second_payment'
        when x.amount <> t.total and (not p_by_hand or abs(x.amount - t.total) > 999)
          then 'amount_mismatch'
        else 'applied' end order by x.place),
      array_agg(t.provider order by x.place)
    into v_outcome, v_provider
    from (
      select *, count(*) over (partition by account, topup order by place) - 1 as before_topup,
        count(*) over (partition by txn order by place) - 1 as before_txn
      from unnest(p_account, p_topup, p_txn, p_amount) with ordinality
        as u(account, topup, txn, amount, place)
    ) x
    left join lateral (
      select * from topups where account_id = x.account and topup_id = x.topup limit 1
    ) t on true
    left join lateral (select status from wallets where account_id = x.account limit 1) w on true
    left join lateral (
      select * from provider_payments where provider = t.provider and txn_id = x.txn limit 1
    ) p on true;

  for i in 1 .. cardinality(v_outcome) loop
    continue when v_outcome[i] is null or v_outcome[i] not in ('applied', 'second_payment');
    insert into provider_payments (provider, txn_id, account_id, topup_id, amount, outcome, at)
      values (v_provider[i], p_txn[i], p_account[i], p_topup[i], p_amount[i],
        case when v_outcome[i] = 'applied' then 'paid' else 'second' end, p_at[i])
      on conflict (provider, txn_id) do nothing;
    if not found then
      v_outcome[i] := 'txn_used';
    elsif v_outcome[i] = 'applied' then
      v_paying := v_paying || i;
    else
      v_second := v_second || i;
    end if;
  end loop;

  if 'amount_mismatch' = any (v_outcome) and not p_by_hand then
    update topups t set status = 'review', note = coalesce(p_note[i], t.note)
      from generate_subscripts(v_outcome, 1) as i
      where v_outcome[i] = 'amount_mismatch' and t.account_id = p_account[i] and t.topup_id = p_topup[i];
  end if;
  if v_second is not null then
    perform post_gl(p_account[i], gen_random_uuid(), 'second:' || p_txn[i], 'second_payment',
        array['cash:' || v_provider[i], 'suspense'], array[p_amount[i], -p_amount[i]])
      from unnest(v_second) as i;
  end if;
  if v_paying is not null then
    perform credit_topups(array_agg(p_account[i]), array_agg(p_topup[i]), array_agg(p_txn[i]),
        array_agg(p_amount[i]), array_agg(p_at[i]), array_agg(p_actor[i]), array_agg(p_note[i]))
      from unnest(v_paying) as i;
  end if;
  for i in 1 .. cardinality(v_outcome) loop
    if v_outcome[i] is null then
      v_outcome[i] := (apply_payments(array[p_account[i]], array[p_topup[i]], array[p_txn[i]],
        array[p_amount[i]], array[p_at[i]], array[p_actor[i]], array[p_note[i]], p_by_hand))[1];
    end if;
  end loop;
  return v_outcome;
end
$$;

revoke all on function apply_payments from public;
grant execute on function apply_payments to kabari_app;
