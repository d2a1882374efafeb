-- Moves the money of settled messages of any number of wallets: what is captured and what is released,
-- by one entry each and wallet, and what is charged again after it had been given back (`corrected`).
-- Answers by wallet the numbers of the entries (null where nothing moved), and the charges as they are
-- after that: a correction may have become `waived` (correct_charges).
-- Called by settle_messages, which holds the wallets' locks; only the owner may call it. Raises a
-- violation of held_not_negative when more is settled than was held: our bug.
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
