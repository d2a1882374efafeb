import type { Invariant } from './invariant.ts';

/** What must hold of wallets, their entries and the general ledger. */
export const walletInvariants: readonly Invariant[] = [
  {
    invariant: 'I1',
    description: 'debits and credits of the whole ledger sum to 0',
    broken: (sql) => sql`
      select sum(amount) as off from gl_all having coalesce(sum(amount), 0) <> 0`,
  },
  {
    invariant: 'I2',
    description: 'every wallet is the sum of its entries, and they are numbered without gaps',
    broken: (sql) => sql`
      select w.account_id, w.available, e.available as entries_available, w.held,
        e.held as entries_held, w.seq, e.last, e.n
      from wallets w left join (
        select account_id, sum(d_available)::bigint as available, sum(d_held)::bigint as held,
          max(seq) as last, count(*) as n
        from wallet_entries group by account_id
      ) e using (account_id)
      where (w.available, w.held, w.seq, w.seq) is distinct from
        (coalesce(e.available, 0), coalesce(e.held, 0), coalesce(e.last, 0), coalesce(e.n, 0))
      limit 100`,
  },
  {
    invariant: 'I3',
    description: 'what every entry says came after it is the running sum up to it',
    broken: (sql) => sql`
      select * from (
        select account_id, seq, available_after, held_after,
          (sum(d_available) over upto)::bigint as available_sum,
          (sum(d_held) over upto)::bigint as held_sum
        from wallet_entries window upto as (partition by account_id order by seq)
      ) run
      where (available_after, held_after) is distinct from (available_sum, held_sum) limit 100`,
  },
  {
    invariant: 'I6',
    description: 'the clearing of every account is 0',
    broken: (sql) => sql`
      select account_id, sum(amount)::bigint as off from gl_all where gl_account = 'clearing'
      group by account_id having sum(amount) <> 0 limit 100`,
  },
  {
    invariant: 'I8',
    description: 'no entry left anything below 0',
    broken: (sql) => sql`
      select account_id, seq, available_after, held_after from wallet_entries
      where available_after < 0 or held_after < 0 limit 100`,
  },
];
