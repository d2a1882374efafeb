-- Entries of one kind that add to the saldo, any number at once and several of one wallet, in the order of the
-- arrays. Whoever calls it knows that none of them was posted before.
-- Called by credit_topups; apply_payments holds the wallets' locks. Raises 23503 when there is no such
-- contra account, a unique violation when a key was used.
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
    -- Who has paid once may spend the bonus on whatever they like.
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
  -- Whoever hears of it wants the saldo as it is then, not each step.
  perform enqueue_events(v_account, 'saldo.changed', v_saldo);
end
$$;

revoke all on function post_entries from public;
