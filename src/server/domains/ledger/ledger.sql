-- Ledger entries, seals and check results are append-only: deny() refuses every change.
create or replace trigger wallet_entries_append_only before update or delete on wallet_entries
  for each row execute function deny();
create or replace trigger gl_txns_append_only before update or delete on gl_txns
  for each row execute function deny();
create or replace trigger gl_lines_append_only before update or delete on gl_lines
  for each row execute function deny();
create or replace trigger ledger_seals_append_only before update or delete on ledger_seals
  for each row execute function deny();
create or replace trigger ledger_seal_accounts_append_only before update or delete
  on ledger_seal_accounts for each row execute function deny();
create or replace trigger ledger_seal_txns_append_only before update or delete on ledger_seal_txns
  for each row execute function deny();
create or replace trigger ledger_checks_append_only before update or delete on ledger_checks
  for each row execute function deny();

-- Opens an account's empty wallet; repeating it changes nothing. Called by openWallet when an account is opened. Locks
-- nothing that exists.
create or replace function open_wallet(p_account uuid) returns void
language sql security definer set search_path = public, pg_temp as $$
  insert into wallets (account_id) values (p_account) on conflict do nothing;
$$;

revoke all on function open_wallet from public;
grant execute on function open_wallet to kabari_app;

-- The available saldo, the wallet's status, and whether it holds the welcome bonus alone, unchanged until the
-- transaction ends. Called before a charge that must not exceed the saldo. Locks the wallet.
create or replace function lock_wallet(p_account uuid)
returns table (o_available bigint, o_status text, o_bonus_only boolean)
language sql security definer set search_path = public, pg_temp as $$
  select available, status, bonus_only from wallets where account_id = p_account for no key update;
$$;

revoke all on function lock_wallet from public;
grant execute on function lock_wallet to kabari_app;

-- A balanced transaction of the general ledger: lines of zero are left out, the rest must sum to zero. Called by every
-- function that moves money, in the transaction of the cause. Locks nothing. Raises P0001 when the lines are not
-- balanced, 23503 when there is no such account, a unique violation when the key was used.
create or replace function post_gl(
  p_account uuid, p_txn uuid, p_idem text, p_kind text, p_accounts text[], p_amounts bigint[]
) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform post_gl_many(
    array[p_account], array[p_txn], array[p_idem], p_kind,
    array_fill(1, array[cardinality(p_accounts)]), p_accounts, p_amounts
  );
end
$$;

-- Transactions of one kind, in one statement. Their lines come as parallel arrays: p_of[l] is the transaction of line
-- l, counted from 1. Otherwise as post_gl.
create or replace function post_gl_many(
  p_account uuid[], p_txn uuid[], p_idem text[], p_kind text,
  p_of int[], p_gl_account text[], p_amount bigint[]
) returns void
language plpgsql as $$
declare
  v_odd text;
begin
  select p_idem[l.of] into v_odd from unnest(p_of, p_amount) as l(of, amount)
    group by l.of having sum(l.amount) <> 0 limit 1;
  if found then
    raise exception 'gl transaction % is not balanced', v_odd;
  end if;
  select l.code into v_odd from unnest(p_gl_account) as l(code)
    where not exists (select from gl_accounts a where a.code = l.code) limit 1;
  if found then
    raise exception 'no general-ledger account %', v_odd using errcode = '23503';
  end if;
  insert into gl_txns (account_id, txn_id, idem_key, kind)
    select t.account, t.txn, t.idem, p_kind from unnest(p_account, p_txn, p_idem) as t(account, txn, idem);
  insert into gl_lines (account_id, txn_id, line_no, gl_account, amount)
    select p_account[l.of], p_txn[l.of], row_number() over (partition by l.of order by l.place), l.code,
      l.amount
    from unnest(p_of, p_gl_account, p_amount) with ordinality as l(of, code, amount, place)
    where l.amount <> 0;
end
$$;

revoke all on function post_gl from public;
grant execute on function post_gl to kabari_app;
revoke all on function post_gl_many from public;

-- One entry that is not a batch of messages: bonus, plan, refund, adjustment, payout (top-ups: post_entries). Repeating
-- an idem_key with the same facts changes nothing. Called by postEntry and by refunds and corrections, in the
-- transaction of the cause. Locks the wallet. Raises WA002 when the key was used with other facts, 23503 when there is
-- no such contra account, a violation of saldo_not_negative when the saldo is too small.
create or replace function post_entry(
  p_account uuid, p_kind text, p_delta bigint, p_contra text,
  p_ref_type text, p_ref_id text, p_idem text, p_actor text, p_memo text default null
) returns table (o_seq bigint, o_applied boolean, o_available bigint)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  w wallets%rowtype;
  e wallet_entries%rowtype;
begin
  select * into strict w from wallets where account_id = p_account for no key update;
  select * into e from wallet_entries where account_id = p_account and idem_key = p_idem;
  if found then
    if e.kind <> p_kind or e.d_available <> p_delta or e.contra <> p_contra then
      raise exception 'idempotency key % reused with other facts', p_idem using errcode = 'WA002';
    end if;
    return query select e.seq, false, w.available;
    return;
  end if;
  if not exists (select from gl_accounts where code = p_contra) then
    raise exception 'no general-ledger account %', p_contra using errcode = '23503';
  end if;
  -- After a first payment the bonus may pay for any message.
  update wallets
    set available = available + p_delta, seq = seq + 1, bonus_only = bonus_only and p_kind <> 'topup'
    where account_id = p_account returning * into w;
  insert into wallet_entries (
    account_id, seq, kind, d_available, d_held, contra, available_after, held_after,
    ref_type, ref_id, idem_key, actor, memo
  ) values (
    p_account, w.seq, p_kind, p_delta, 0, p_contra, w.available, w.held,
    p_ref_type, p_ref_id, p_idem, p_actor, p_memo
  );
  perform enqueue_event(
    p_account, 'saldo.changed',
    jsonb_build_object('available', w.available, 'held', w.held, 'seq', w.seq)
  );
  return query select w.seq, true, w.available;
end
$$;

revoke all on function post_entry from public;
grant execute on function post_entry to kabari_app;

-- One entry for a batch of messages; answers the wallet after it. Called by correct_charges, under the wallet's lock;
-- only the owner may call it. Raises a violation of saldo_not_negative or held_not_negative when the saldo is too
-- small.
create or replace function post_batch_entry(
  p_account uuid, p_kind text, p_d_available bigint, p_d_held bigint, p_contra text, p_items int,
  p_actor text, p_memo text default null
) returns wallets
language plpgsql as $$
declare
  w wallets%rowtype;
begin
  update wallets
    set available = available + p_d_available, held = held + p_d_held, seq = seq + 1
    where account_id = p_account returning * into w;
  insert into wallet_entries (
    account_id, seq, kind, d_available, d_held, contra, available_after, held_after, n_items,
    ref_type, ref_id, actor, memo
  ) values (
    p_account, w.seq, p_kind, p_d_available, p_d_held, p_contra, w.available, w.held, p_items,
    'batch', w.seq::text, p_actor, p_memo
  );
  return w;
end
$$;

revoke all on function post_batch_entry from public;

-- Entries of one kind that add to the saldo, in the order of the arrays; a wallet may have several. The caller
-- guarantees that none of them was posted before. Called by credit_topups; apply_payments holds the wallets' locks.
-- Raises 23503 when there is no such contra account, a unique violation when a key was used.
create or replace function post_entries(
  p_account uuid[], p_kind text, p_delta bigint[], p_contra text, p_ref_type text, p_ref_id text[],
  p_idem text[], p_actor text[]
) returns void
language plpgsql as $$
declare
  v_account uuid[];
  v_saldo jsonb[];
begin
  if not exists (select from gl_accounts where code = p_contra) then
    raise exception 'no general-ledger account %', p_contra using errcode = '23503';
  end if;
  with entries as (
    select e.*, row_number() over wallet as n, sum(e.delta) over wallet as upto
    from unnest(p_account, p_delta, p_ref_id, p_idem, p_actor) with ordinality
      as e(account, delta, ref, idem, actor, place)
    window wallet as (partition by e.account order by e.place)
  ), moved as (
    -- After a first payment the bonus may pay for any message.
    update wallets w
      set available = w.available + s.delta, seq = w.seq + s.n,
        bonus_only = w.bonus_only and p_kind <> 'topup'
      from (select account, sum(delta)::bigint as delta, count(*) as n from entries group by 1) s
      where w.account_id = s.account
      returning w.account_id, w.available, w.held, w.seq, w.seq - s.n as seq_before,
        w.available - s.delta as available_before
  ), entered as (
    insert into wallet_entries (
      account_id, seq, kind, d_available, d_held, contra, available_after, held_after, ref_type,
      ref_id, idem_key, actor
    )
    select e.account, m.seq_before + e.n, p_kind, e.delta, 0, p_contra, m.available_before + e.upto,
      m.held, p_ref_type, e.ref, e.idem, e.actor
    from entries e join moved m on m.account_id = e.account
  )
  select array_agg(account_id),
      array_agg(jsonb_build_object('available', available, 'held', held, 'seq', seq))
    into v_account, v_saldo from moved;
  -- Listeners need the final saldo only, not each step.
  perform enqueue_events(v_account, 'saldo.changed', v_saldo);
end
$$;

revoke all on function post_entries from public;

-- Moves the money of settled messages of any number of wallets: one entry per wallet for captures and one for releases,
-- and one for charges after a release (`corrected`). Answers by wallet the numbers of the entries (null where nothing
-- moved), and the resulting charges: a correction may have become `waived` (correct_charges). Called by
-- settle_messages, which holds the wallets' locks; only the owner may call it. Raises a violation of held_not_negative
-- when more is settled than was held: our bug.
create or replace function settle_charges(
  p_account uuid[], p_id uuid[], p_charge text[], p_price bigint[],
  out w_account uuid[], out w_captured bigint[], out w_released bigint[], out w_corrected bigint[],
  out m_charge text[]
)
language plpgsql as $$
begin
  m_charge := p_charge;
  with sums as (
    select i.account,
      coalesce(sum(i.price) filter (where i.charge = 'captured'), 0)::bigint as captured,
      coalesce(sum(i.price) filter (where i.charge = 'released'), 0)::bigint as released,
      (count(*) filter (where i.charge = 'captured'))::int as n_captured,
      (count(*) filter (where i.charge = 'released'))::int as n_released
    from unnest(p_account, p_charge, p_price) as i(account, charge, price)
    where i.price > 0 and i.charge in ('captured', 'released') group by i.account
  ), moved as (
    update wallets w
      set held = w.held - s.captured - s.released, available = w.available + s.released,
        seq = w.seq + (s.captured > 0)::int + (s.released > 0)::int
      from sums s where w.account_id = s.account
      returning w.account_id, w.available, w.held, w.seq, s.captured, s.released, s.n_captured,
        s.n_released
  ), entered as (
    insert into wallet_entries (
      account_id, seq, kind, d_available, d_held, contra, available_after, held_after, n_items,
      ref_type, ref_id, actor
    )
    select account_id, e.seq, e.kind, e.available, -e.amount, e.contra, m.available - e.pending,
      m.held + e.pending, e.n, 'batch', e.seq::text, 'settle'
    from moved m cross join lateral (values
      (m.seq - (m.released > 0)::int, 'capture', 0::bigint, m.captured, 'rev:message', m.n_captured,
        m.released),
      (m.seq, 'release', m.released, m.released, 'none', m.n_released, 0::bigint)
    ) as e(seq, kind, available, amount, contra, n, pending)
    where e.amount > 0
  )
  select array_agg(account_id),
      array_agg(case when captured > 0 then seq - (released > 0)::int end),
      array_agg(case when released > 0 then seq end)
    into w_account, w_captured, w_released from moved;

  if 'corrected' = any (p_charge) then
    select c.w_account, c.w_captured, c.w_released, c.w_corrected, c.m_charge
      into w_account, w_captured, w_released, w_corrected, m_charge
      from correct_charges(
        p_account, p_id, p_charge, p_price, w_account, w_captured, w_released
      ) c;
  end if;
end
$$;

revoke all on function settle_charges from public;

-- Charges messages whose price was released by mistake, wallet by wallet, after the captures and releases beside it: in
-- full while the saldo lasts, the oldest message first. The installation bears the rest, whose charge becomes `waived`,
-- booked as revenue and as our own expense. w_* are the wallets with their entries so far; the result adds the entries
-- of the corrections, by wallet. Called by settle_charges, under the wallets' locks; only the owner may call it. Raises
-- a unique violation when a message would be waived twice.
create or replace function correct_charges(
  p_account uuid[], p_id uuid[], p_charge text[], p_price bigint[],
  inout w_account uuid[], inout w_captured bigint[], inout w_released bigint[],
  out w_corrected bigint[], out m_charge text[]
)
language plpgsql as $$
declare
  v_account uuid;
  v_amount bigint;
  n int;
  w wallets%rowtype;
begin
  m_charge := p_charge;
  w_corrected := array_fill(null::bigint, array[coalesce(cardinality(w_account), 0)]);
  for v_account in
    select distinct i.account from unnest(p_account, p_charge) as i(account, charge)
    where i.charge = 'corrected' order by 1
  loop
    select * into strict w from wallets where account_id = v_account;
    select array_agg(case
        when i.account = v_account and i.charge = 'corrected' and i.price > 0 and i.run > w.available
          then 'waived'
        else i.charge end order by i.ord)
      into m_charge
      from (
        select u.*, sum(u.price) filter (where u.account = v_account and u.charge = 'corrected')
          over (order by u.id) as run
        from unnest(p_account, p_id, m_charge, p_price) with ordinality
          as u(account, id, charge, price, ord)
      ) i;
    perform post_gl(
      v_account, gen_random_uuid(), 'waived:' || i.id, 'waived',
      array['exp:waived', 'rev:message'], array[i.price, -i.price]
    )
      from unnest(p_account, p_id, m_charge, p_price) as i(account, id, charge, price)
      where i.account = v_account and i.charge = 'waived';
    select coalesce(sum(i.price), 0), count(*) filter (where i.price > 0) into v_amount, n
      from unnest(p_account, m_charge, p_price) as i(account, charge, price)
      where i.account = v_account and i.charge = 'corrected';
    if v_amount > 0 then
      w := post_batch_entry(
        v_account, 'correction', -v_amount, 0, 'rev:message', n, 'settle',
        'Ternyata terkirim setelah biayanya dikembalikan'
      );
      n := coalesce(array_position(w_account, v_account), coalesce(cardinality(w_account), 0) + 1);
      w_account[n] := v_account;
      w_captured[n] := w_captured[n];
      w_released[n] := w_released[n];
      w_corrected[n] := w.seq;
    end if;
  end loop;
end
$$;

revoke all on function correct_charges from public;

-- Sets the allowance of a plan: p_quota messages, and the price of a message beyond them (null: the list price, and no
-- quota). With p_keep_used the used quota stays used, as when the plan changes within its period; otherwise a new round
-- begins. Called when a period begins, and when its plan changes or is suspended. Locks the wallet.
create or replace function set_plan_allowance(
  p_account uuid, p_quota int, p_price bigint, p_keep_used boolean
) returns void
language sql security definer set search_path = public, pg_temp as $$
  update wallets
    set plan_quota = case when p_price is null then 0 else p_quota end, plan_price = p_price,
      plan_used = case when p_keep_used then plan_used else 0 end,
      plan_round = plan_round + (not p_keep_used)::int
    where account_id = p_account;
$$;

revoke all on function set_plan_allowance from public;
grant execute on function set_plan_allowance to kabari_app;

-- Returns the quota of unsent messages (released) to its round, and takes it for those that arrived after all
-- (corrected). Messages of an earlier round change nothing. Called by settle_messages, which holds the wallets' locks;
-- only the owner may call it.
create or replace function return_plan_quota(p_account uuid[], p_round int[], p_charge text[])
returns void
language plpgsql as $$
begin
  if array_remove(p_round, null) = '{}' or not p_charge && array['released', 'corrected'] then
    return;
  end if;
  update wallets w set plan_used = w.plan_used + i.taken
    from (
      select account, round,
        (count(*) filter (where charge = 'corrected')
          - count(*) filter (where charge = 'released'))::int as taken
      from unnest(p_account, p_round, p_charge) as c(account, round, charge)
      where round is not null and charge in ('released', 'corrected') group by account, round
    ) i
    where w.account_id = i.account and w.plan_round = i.round;
end
$$;

revoke all on function return_plan_quota from public;

-- Sets whether a wallet's saldo is the welcome bonus alone, which pays for the simulator and the account's own number
-- only. A first top-up ends it (post_entry), and so does an operator. Called when the bonus is given, and when an
-- operator approves its use. Locks the wallet.
create or replace function set_bonus_only(p_account uuid, p_on boolean) returns void
language sql security definer set search_path = public, pg_temp as $$
  update wallets set bonus_only = p_on where account_id = p_account and bonus_only <> p_on;
$$;

revoke all on function set_bonus_only from public;
grant execute on function set_bonus_only to kabari_app;

-- One manual entry of an operator. Answers its result:
--   applied: booked, or booked before with the same key
--   short: the saldo is too small; no entry is booked
--   frozen: no money leaves a frozen wallet
--   closed: the account has ended
-- A payout (p_cash names the cash account) also books the cash against clearing. Called by apply_adjustment. Locks the
-- wallet. Raises as post_entry does.
create or replace function post_operator_entry(
  p_account uuid, p_kind text, p_delta bigint, p_contra text, p_cash text, p_adjustment uuid,
  p_actor text, p_memo text
) returns text
language plpgsql as $$
declare
  w wallets%rowtype;
  v_applied boolean;
begin
  select * into w from wallets where account_id = p_account for no key update;
  if not found or w.status = 'closed' then
    return 'closed';
  end if;
  if p_kind = 'payout' and w.status = 'frozen' then
    return 'frozen';
  end if;
  if w.available + p_delta < 0 then
    return 'short';
  end if;
  select o_applied into v_applied from post_entry(p_account, p_kind, p_delta, p_contra, 'adjustment',
    p_adjustment::text, 'adjustment:' || p_adjustment, p_actor, p_memo);
  if v_applied and p_cash is not null then
    perform post_gl(p_account, gen_random_uuid(), 'payout:' || p_adjustment, 'payout',
      array['clearing', p_cash], array[-p_delta, p_delta]);
  end if;
  return 'applied';
end
$$;

revoke all on function post_operator_entry from public;

-- Refunds the price of one message to the saldo, whole or in part, once for each message. Answers:
--   applied: booked
--   done_before: this message was refunded before
--   over: more than was captured for it (also when nothing was)
--   closed: the account has ended
-- Called by apply_adjustment. Locks the wallet, so that two refunds of one message take turns.
create or replace function refund_message(
  p_account uuid, p_message uuid, p_amount bigint, p_adjustment uuid, p_actor text, p_memo text
) returns text
language plpgsql as $$
declare
  w wallets%rowtype;
  v_captured bigint;
begin
  select * into w from wallets where account_id = p_account for no key update;
  if not found or w.status = 'closed' then
    return 'closed';
  end if;
  if exists (select from wallet_entries
      where account_id = p_account and idem_key = 'refund:' || p_message) then
    return 'done_before';
  end if;
  select case charge_state when 'captured' then price else 0 end into v_captured
    from messages where account_id = p_account and message_id = p_message;
  if p_amount > coalesce(v_captured, 0) then
    return 'over';
  end if;
  perform post_entry(p_account, 'refund', p_amount, 'rev:message', 'adjustment',
    p_adjustment::text, 'refund:' || p_message, p_actor, p_memo);
  return 'applied';
end
$$;

revoke all on function refund_message from public;

-- Freezes or unfreezes a wallet: a frozen one accepts no messages and pays nothing out. Messages accepted before are
-- sent and settled. Answers whether anything changed; null when there is no such wallet, or the account has ended.
-- Called by setWalletFrozen. Locks the wallet.
create or replace function set_wallet_frozen(p_account uuid, p_frozen boolean) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  w wallets%rowtype;
begin
  if not sees_all() then
    raise exception 'wallets are frozen by work over all accounts only' using errcode = '42501';
  end if;
  select * into w from wallets where account_id = p_account for no key update;
  if not found or w.status = 'closed' then
    return null;
  end if;
  if (w.status = 'frozen') = p_frozen then
    return false;
  end if;
  update wallets set status = case when p_frozen then 'frozen' else 'active' end
    where account_id = p_account;
  return true;
end
$$;

revoke all on function set_wallet_frozen from public;
grant execute on function set_wallet_frozen to kabari_app;

-- Whether the newest check of the books found a broken invariant; false before the first check. Called by
-- apply_adjustment: no money leaves meanwhile.
create or replace function has_broken_invariant() returns boolean
language sql stable as $$
  select not coalesce((select is_ok from ledger_checks order by check_id desc limit 1), true);
$$;

revoke all on function has_broken_invariant from public;
