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
      select account_id, booked, payments, resolved, returned
      from (
        select account_id, -sum(amount)::bigint as booked from gl_all
        where gl_account = 'suspense' group by account_id
      ) b
      full join (
        select account_id, sum(amount)::bigint as payments from provider_payments
        where outcome = 'second' group by account_id
      ) p using (account_id)
      full join (
        select account_id, sum(amount)::bigint as resolved from suspense_resolutions
        group by account_id
      ) r using (account_id)
      full join (
        select account_id, sum(amount)::bigint as returned from refunds
        where from_saldo = 0 group by account_id
      ) g using (account_id)
      where coalesce(booked, 0)
        <> coalesce(payments, 0) - coalesce(resolved, 0) - coalesce(returned, 0) limit 100`,
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
