-- Decisions are append-only, except that erasing the account removes their texts.
create or replace trigger topup_decisions_append_only before update on topup_decisions
  for each row execute function deny_unless_erasing();
create or replace trigger topup_decisions_never_deleted before delete on topup_decisions
  for each row execute function deny();

-- Allowed status transitions of a top-up; only a gateway's begins as creating. Late money counts: expired and cancelled
-- may become paid. Paid and rejected are final; only operators' notes can be removed, while the account is erased.
-- Raises BL001.
create or replace function check_topup_transition() returns trigger language plpgsql as $$
begin
  if old.status = new.status and (
    old.status not in ('paid', 'rejected')
    or (current_setting('app.erasing', true) = old.account_id::text
      and to_jsonb(new) - 'note' = to_jsonb(old) - 'note')
  ) then
    return new;
  end if;
  if (old.status, new.status) not in (
    ('creating', 'pending'), ('creating', 'paid'), ('creating', 'expired'),
    ('creating', 'cancelled'), ('creating', 'review'), ('creating', 'rejected'),
    ('pending', 'paid'), ('pending', 'expired'), ('pending', 'cancelled'), ('pending', 'review'),
    ('pending', 'rejected'), ('expired', 'paid'), ('expired', 'review'), ('cancelled', 'paid'),
    ('cancelled', 'review'), ('review', 'paid'), ('review', 'rejected')
  ) then
    raise exception 'a top-up cannot go from % to %', old.status, new.status using errcode = 'BL001';
  end if;
  return new;
end
$$;

create or replace trigger topup_steps before update on topups
  for each row execute function check_topup_transition();

-- Reserves the first free amount p_base + code for a top-up; returns the code, or null when all are taken.
-- Called when a top-up is created. Waits for a transaction that is reserving the same amount.
create or replace function reserve_transfer(
  p_account uuid, p_topup uuid, p_bank text, p_base bigint, p_codes int[], p_until timestamptz
) returns int
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_code int;
begin
  foreach v_code in array p_codes loop
    insert into reserved_transfers (bank, amount, account_id, topup_id, reserved_until)
      values (p_bank, p_base + v_code, p_account, p_topup, p_until)
      on conflict do nothing;
    if found then
      return v_code;
    end if;
  end loop;
  return null;
end
$$;

revoke all on function reserve_transfer from public;
grant execute on function reserve_transfer to kabari_app;

-- Applies payments to top-ups, each with entry, general ledger, invoice and events, all or nothing. Payments are
-- parallel arrays; returns the outcome of each, in order:
--   applied: paid now, also from creating, expired and cancelled, because late money counts
--   duplicate: this payment was applied before
--   txn_used: this payment paid another top-up
--   second_payment: another payment paid the top-up before, or a gateway took money for a rejected top-up or for a
--     closed account: the money lies in suspense
--   amount_mismatch: another amount: an operator must look
--   closed: a bank transfer for a rejected top-up or for a closed account: not applied, its line waits for an operator
--   unknown: no such top-up
-- By hand (p_by_hand), an amount up to 999 off (a forgotten kode unik) is accepted as received: the missing part is
-- taken first from our income, then from the saldo. A larger difference is amount_mismatch and stores nothing, and a
-- paid top-up is already_paid.
-- Called by payments/pay for every payment notice, and when an operator confirms. Locks the top-ups in the order of
-- their ids, then the wallets, then invoices and the counter of their month. Raises 42501 when called for one account
-- only.
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
  -- Keeps open wallets from being closed.
  perform from wallets where account_id = any (p_account) order by account_id for no key update;
  -- A second payment of a top-up, or a repeated payment, is null until the first is applied. Each row is looked up by
  -- itself (limit 1): a join planned on small tables would later read whole tables.
  select array_agg(case
        when x.before_topup + x.before_txn > 0 then null
        when t.topup_id is null then 'unknown'
        when p_by_hand and t.status = 'paid' then 'already_paid'
        when p.account_id = t.account_id and p.topup_id = t.topup_id then 'duplicate'
        when p.txn_id is not null then 'txn_used'
        -- A bank line stays visible to operators; a gateway's payment is recorded nowhere else.
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

-- Pays waiting top-ups, each once: credits the saldo, posts the payment to the general ledger, and numbers the invoice.
-- Called by apply_payments, which holds the top-ups' locks and has stored the payments. Locks the wallets, then the
-- invoices and the counter of their month.
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
  -- A paid order is not polled any more.
  update gateway_orders o set next_poll_at = null
    from unnest(p_account, p_topup) as x(account, topup)
    where o.account_id = x.account and o.topup_id = x.topup;
  perform settle_topup_invoices(p_account, p_topup, v_for, p_at);
end
$$;

revoke all on function credit_topups from public;

-- Opens a top-up's invoice on insert, and closes it (expired or void) when the top-up ends unpaid. Payment is recorded
-- by credit_topups at its end (settle_topup_invoices).
create or replace function invoice_topup() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    perform open_topup_invoice(new.account_id, new.topup_id);
  else
    perform close_topup_invoice(
      new.account_id, new.topup_id, case new.status when 'rejected' then 'void' else 'expired' end
    );
  end if;
  return null;
end
$$;

create or replace trigger topup_gets_invoice after insert on topups
  for each row execute function invoice_topup();
create or replace trigger topup_invoice_follows after update on topups
  for each row when (old.status <> new.status and new.status in ('expired', 'cancelled', 'rejected'))
  execute function invoice_topup();

-- Each change of a top-up's status is an event, in the same transaction. Open tabs read the top-up's id and status; the
-- rest is for webhooks.
create or replace function enqueue_topup_made() returns trigger language plpgsql as $$
begin
  perform enqueue_events(
      array_agg(m.account_id), 'topup.changed',
      array_agg(jsonb_build_object(
        'topup_id', public_id('TU-', m.topup_id), 'status', m.status, 'amount', m.credited,
        'total', m.total))
    ) from made m having count(*) > 0;
  return null;
end
$$;

create or replace function enqueue_topup_changed() returns trigger language plpgsql as $$
begin
  perform enqueue_events(
      array_agg(c.account_id), 'topup.changed',
      array_agg(jsonb_build_object(
        'topup_id', public_id('TU-', c.topup_id), 'status', c.status, 'amount', c.credited,
        'total', c.total))
    ) from changed c join before b using (account_id, topup_id) where c.status <> b.status
    having count(*) > 0;
  return null;
end
$$;

create or replace trigger topup_made after insert on topups
  referencing new table as made
  for each statement execute function enqueue_topup_made();
create or replace trigger topup_changed after update on topups
  referencing old table as before new table as changed
  for each statement execute function enqueue_topup_changed();

-- Removes names of payers, slips, operators' notes and gateways' data about payers from a closed account's top-ups.
-- Amounts stay. Called while an account is erased. Locks the rows it changes. Raises 42501 when the account is not
-- closed.
create or replace function erase_payers(p_account uuid) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform begin_erasing(p_account);
  update bank_lines set description = '', reference = '',
      dismiss_reason = case when dismiss_reason is not null then '' end
    where account_id = p_account
      and (description <> '' or reference <> '' or dismiss_reason <> '');
  delete from topup_proofs where account_id = p_account;
  delete from topup_proposals where account_id = p_account;
  update topups set note = null where account_id = p_account and note is not null;
  update topup_decisions set reason = '', reference = case when reference is not null then '' end
    where account_id = p_account and (reason <> '' or reference <> '');
  update refunds set reason = '', reference = case when reference is not null then '' end
    where account_id = p_account and (reason <> '' or reference <> '');
  update gateway_orders set settled_reason = ''
    where account_id = p_account and settled_reason <> '';
  update payment_inbox set raw = '', headers = '{}' where raw <> '' and order_ref in (
    select public_id('TU-', topup_id) from topups where account_id = p_account and provider <> 'bank'
  );
  update suspense_notes set note = '' where account_id = p_account and note <> '';
  perform set_config('app.erasing', '', true);
end
$$;

revoke all on function erase_payers from public;
grant execute on function erase_payers to kabari_app;

-- A new slip is a change of its top-up, so that open pages show it.
create or replace function enqueue_proof_changed() returns trigger language plpgsql as $$
begin
  perform enqueue_event(
    new.account_id, 'topup.changed',
    jsonb_build_object('topup_id', public_id('TU-', new.topup_id), 'status', (
      select status from topups where account_id = new.account_id and topup_id = new.topup_id
    ))
  );
  return null;
end
$$;

create or replace trigger topup_proof_came after insert on topup_proofs
  for each row execute function enqueue_proof_changed();

-- Begins the refund of a whole payment: out of the saldo that it created (with its PPN and kode unik), or out of
-- suspense; until the payout it is a debt (liab:refund). Returns the outcome:
--   begun: booked now
--   duplicate: begun before, or taken out of suspense
--   saldo_short: the saldo no longer covers the credited amount, so no booking is made
--   partly_returned: its gateway refunded a part by itself, so the whole is no longer available
--   frozen, closed: nothing leaves such a wallet
--   unknown: no such payment of this top-up
-- Credits the invoice of the payment. p_reason is shown to the customer.
-- Called by apply_adjustment. Locks the top-up and the payment, then the wallet, invoice and counter. Raises 42501 when
-- called for one account only.
create or replace function begin_refund(
  p_account uuid, p_refund uuid, p_topup uuid, p_provider text, p_txn text, p_way text,
  p_reason text, p_operator uuid, p_at timestamptz
) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  t topups%rowtype;
  p provider_payments%rowtype;
  w wallets%rowtype;
begin
  if not sees_all() then
    raise exception 'refunds are booked by work over all accounts only' using errcode = '42501';
  end if;
  select * into t from topups where account_id = p_account and topup_id = p_topup for update;
  select * into p from provider_payments
    where provider = p_provider and txn_id = p_txn and account_id = p_account and topup_id = p_topup
    for update;
  if not found or t.topup_id is null then
    return 'unknown';
  end if;
  if exists (
    select from refunds where account_id = p_account and provider = p_provider and txn_id = p_txn
  ) or exists (select from suspense_resolutions where provider = p_provider and txn_id = p_txn) then
    return 'duplicate';
  end if;
  -- Flags are also written under the top-up's lock.
  if exists (
    select from gateway_orders
    where account_id = p_account and topup_id = p_topup and flag = 'partly_refunded'
  ) then
    return 'partly_returned';
  end if;
  if p.outcome = 'paid' then
    select * into strict w from wallets where account_id = p_account for no key update;
    if w.status <> 'active' then
      return w.status;
    end if;
    if w.available < t.credited then
      return 'saldo_short';
    end if;
    perform post_entry(p_account, 'payout', -t.credited, 'clearing', 'topup', p_topup::text,
      'refund:' || p_refund, 'operator:' || p_operator, p_reason);
    perform post_gl(p_account, p_refund, 'refund:' || p_refund, 'refund',
      array['clearing', 'liab:ppn', 'inc:kode_unik', 'liab:refund'],
      array[t.credited, t.ppn, t.income, -p.amount]);
  else
    perform post_gl(p_account, p_refund, 'refund:' || p_refund, 'refund',
      array['suspense', 'liab:refund'], array[p.amount, -p.amount]);
  end if;
  insert into refunds (
    account_id, refund_id, topup_id, provider, txn_id, amount, from_saldo, from_ppn, way, reason,
    operator_id, created_at
  ) values (
    p_account, p_refund, p_topup, p_provider, p_txn, p.amount,
    case when p.outcome = 'paid' then t.credited else 0 end,
    case when p.outcome = 'paid' then t.ppn else 0 end, p_way, p_reason, p_operator, p_at
  );
  if p.outcome = 'paid' then
    perform credit_topup_invoice(p_account, p_topup, p_refund, p_at);
  end if;
  return 'begun';
end
$$;

revoke all on function begin_refund from public;
grant execute on function begin_refund to kabari_app;

-- Finishes a refund that was paid out by the gateway or by hand; false when it was finished before.
-- Called by payments/gateways/refund. Locks the refund. Raises 42501 when called for one account only.
create or replace function finish_refund(
  p_account uuid, p_refund uuid, p_cash text, p_way text, p_reference text, p_at timestamptz
) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  r refunds%rowtype;
begin
  if not sees_all() then
    raise exception 'refunds are booked by work over all accounts only' using errcode = '42501';
  end if;
  select * into strict r from refunds where account_id = p_account and refund_id = p_refund for update;
  if r.status = 'done' then
    return false;
  end if;
  update refunds set status = 'done', way = p_way, reference = p_reference, done_at = p_at
    where account_id = p_account and refund_id = p_refund;
  perform post_gl(p_account, gen_random_uuid(), 'refunded:' || p_refund, 'refund_paid',
    array['liab:refund', p_cash], array[r.amount, -r.amount]);
  return true;
end
$$;

revoke all on function finish_refund from public;
grant execute on function finish_refund to kabari_app;

-- Marks a refund as manual, because its gateway cannot refund it.
-- Called by payments/gateways/refund. Locks the refund.
create or replace function refund_by_hand(p_account uuid, p_refund uuid) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update refunds set way = 'manual'
    where account_id = p_account and refund_id = p_refund and status = 'open';
end
$$;

revoke all on function refund_by_hand from public;
grant execute on function refund_by_hand to kabari_app;

-- Resolutions and notes of suspense are append-only, except that erasing the account removes their texts.
create or replace trigger suspense_resolutions_append_only before update or delete
  on suspense_resolutions for each row execute function deny();
create or replace trigger suspense_notes_append_only before update on suspense_notes
  for each row execute function deny_unless_erasing();
create or replace trigger suspense_notes_never_deleted before delete on suspense_notes
  for each row execute function deny();

-- Resolves a payment in suspense, once: into its customer's saldo, or back to its payer. Returns the outcome:
--   applied: booked
--   resolved: another operator was faster
--   unknown: no such payment lies in suspense
--   closed: the account is closed, so its saldo cannot be credited
-- Called by apply_adjustment. Locks the payment, then the wallet (post_entry).
create or replace function resolve_suspense(
  p_account uuid, p_provider text, p_txn text, p_credit boolean, p_adjustment uuid,
  p_actor text, p_memo text, p_at timestamptz
) returns text
language plpgsql as $$
declare
  p provider_payments%rowtype;
begin
  select * into p from provider_payments
    where provider = p_provider and txn_id = p_txn and account_id = p_account
      and outcome = 'second' for update;
  if not found then
    return 'unknown';
  end if;
  if p_credit and exists (select from wallets where account_id = p_account and status = 'closed') then
    return 'closed';
  end if;
  if exists (
    select from refunds where account_id = p_account and provider = p_provider and txn_id = p_txn
  ) then
    return 'resolved';
  end if;
  insert into suspense_resolutions (
    account_id, provider, txn_id, resolution, amount, adjustment_id, at
  ) values (
    p_account, p_provider, p_txn, case when p_credit then 'credited' else 'returned' end, p.amount,
    p_adjustment, p_at
  ) on conflict do nothing;
  if not found then
    return 'resolved';
  end if;
  if p_credit then
    perform post_entry(p_account, 'refund', p.amount, 'suspense', 'adjustment', p_adjustment::text,
      'suspense:' || p_provider || ':' || p_txn, p_actor, p_memo);
  else
    perform post_gl(p_account, gen_random_uuid(), 'return:' || p_provider || ':' || p_txn,
      'suspense_return', array['suspense', 'cash:' || p_provider], array[p.amount, -p.amount]);
  end if;
  return 'applied';
end
$$;

revoke all on function resolve_suspense from public;
