import type { Invariant } from './invariant.ts';

/** What must hold of payments: top-ups, what lies in suspense, and what is given back. */
export const paymentInvariants: readonly Invariant[] = [
  {
    invariant: 'I7',
    description: 'a top-up is paid exactly when its entry and its booking stand, of what it says',
    broken: (sql) => sql`
      select account_id, topup_id, t.status, t.credited, e.d_available as entry_amount,
        t.received, g.cash, g.ppn, t.ppn as topup_ppn
      from (select * from topups where status = 'paid') t
      full join (
        select account_id, ref_id::uuid as topup_id, idem_key, d_available from wallet_entries
        where kind = 'topup'
      ) e using (account_id, topup_id)
      full join (
        select x.account_id, substr(x.idem_key, 5)::uuid as topup_id,
          sum(l.amount) filter (where l.gl_account like 'cash:%')::bigint as cash,
          coalesce(-sum(l.amount) filter (where l.gl_account = 'liab:ppn'), 0)::bigint as ppn
        from gl_txns x join gl_lines l using (account_id, txn_id)
        where x.kind = 'payment' group by x.account_id, x.idem_key
      ) g using (account_id, topup_id)
      where t.status is null or e.idem_key is distinct from 'topup:' || topup_id
        or (t.credited, t.received, t.ppn) is distinct from (e.d_available, g.cash, g.ppn)
      limit 100`,
  },
  {
    invariant: 'I12',
    description: 'a payment pays one top-up, and a paid top-up names its one payment',
    broken: (sql) => sql`
      select t.account_id, t.topup_id, t.provider_txn_id, p.txn_id
      from (select * from topups where status = 'paid') t
      full join (select * from provider_payments where outcome = 'paid') p
        on p.account_id = t.account_id and p.topup_id = t.topup_id
      where (t.provider, t.provider_txn_id, t.received)
        is distinct from (p.provider, p.txn_id, p.amount)
      limit 100`,
  },
  {
    invariant: 'suspense',
    description:
      'what rests in suspense is what was paid a second time and has not been resolved or given back',
    broken: (sql) => sql`
      select account_id, sum(booked)::bigint as booked, sum(payments)::bigint as payments,
        sum(resolved)::bigint as resolved, sum(returned)::bigint as returned
      from (
        select account_id, -amount as booked, 0 as payments, 0 as resolved, 0 as returned
        from gl_all where gl_account = 'suspense'
        union all
        select account_id, 0, amount, 0, 0 from provider_payments where outcome = 'second'
        union all
        select account_id, 0, 0, amount, 0 from suspense_resolutions
        union all
        select account_id, 0, 0, 0, amount from refunds where from_saldo = 0
      ) x
      group by account_id
      having sum(booked) <> sum(payments) - sum(resolved) - sum(returned) limit 100`,
  },
  {
    invariant: 'refunds',
    description: 'what is owed to payers is the open refunds, and each took its saldo once',
    broken: (sql) => sql`
      select account_id, r.owed, g.booked, r.from_saldo, e.from_saldo as entries
      from (
        select account_id, coalesce(sum(amount) filter (where status = 'open'), 0)::bigint as owed,
          sum(from_saldo)::bigint as from_saldo
        from refunds group by account_id
      ) r
      full join (
        select account_id, -sum(amount)::bigint as booked from gl_lines
        where gl_account = 'liab:refund' group by account_id
      ) g using (account_id)
      full join (
        select account_id, -sum(d_available)::bigint as from_saldo from wallet_entries
        where kind = 'payout' and idem_key like 'refund:%' group by account_id
      ) e using (account_id)
      where (r.owed, r.from_saldo)
        is distinct from (coalesce(g.booked, 0), coalesce(e.from_saldo, 0))
      limit 100`,
  },
];
