import { type Invariant, closed } from './invariant.ts';

/** What must hold of what operators do by hand. */
export const deskInvariants: readonly Invariant[] = [
  {
    invariant: 'I14',
    description: 'what left by hand, to a customer or back to a payer, was booked at the bank',
    broken: (sql) => sql`
      select account_id, idem_key, e.amount as entry_amount, g.amount as cash
      from (
        select account_id, 'payout:' || ref_id as idem_key, d_available as amount
        from wallet_entries where kind = 'payout' and ref_type = 'adjustment'
        union all
        select account_id, 'return:' || provider || ':' || txn_id, -amount
        from suspense_resolutions where resolution = 'returned'
      ) e
      full join (
        select x.account_id, x.idem_key,
          sum(l.amount) filter (where l.gl_account like 'cash:%')::bigint as amount
        from gl_txns x join gl_lines l using (account_id, txn_id)
        where x.kind in ('payout', 'suspense_return') group by x.account_id, x.idem_key
      ) g using (account_id, idem_key)
      where e.amount is distinct from g.amount limit 100`,
  },
  {
    invariant: 'returned',
    description: 'a message is refunded once, by no more than was charged for it',
    broken: (sql) => sql`
      select e.account_id, e.seq, e.d_available, m.price, m.charge_state
      from (
        select *, substr(idem_key, 8)::uuid as message_id from wallet_entries
        where kind = 'refund' and idem_key like 'refund:%'
      ) e
      left join messages m using (account_id, message_id)
      where (m.price is null or m.charge_state <> 'captured' or e.d_available > m.price)
        and e.account_id not in ${closed(sql)} limit 100`,
  },
];
