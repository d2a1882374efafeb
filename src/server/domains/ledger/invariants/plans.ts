import { type Invariant, closed } from './invariant.ts';

/** What must hold of plans: their quota, and what was charged for them. */
export const planInvariants: readonly Invariant[] = [
  {
    invariant: 'I19',
    description:
      'what is used of a plan’s quota is the messages of its round that were not given back',
    broken: (sql) => sql`
      select w.account_id, w.plan_round, w.plan_used, coalesce(m.n, 0) as messages
      from wallets w left join (
        select account_id, plan_round, count(*) as n from messages
        where plan_round is not null and charge_state <> 'released' group by account_id, plan_round
      ) m using (account_id, plan_round)
      where w.plan_used <> coalesce(m.n, 0) and w.account_id not in ${closed(sql)} limit 100`,
  },
  {
    invariant: 'I15',
    description: 'no period of a plan is charged twice, for the same revision or another period',
    broken: (sql) => sql`
      select account_id, c.charge_id, c.period_start, c.revision, o.charge_id as other
      from subscription_charges c join subscription_charges o using (account_id)
      where c.charge_id < o.charge_id and (
        (c.period_start, c.revision) = (o.period_start, o.revision)
        -- Whole periods do not overlap, unless an operator ended the plan in between.
        or (c.kind = 'period' and o.kind = 'period'
          and c.period_start < o.period_end and o.period_start < c.period_end
          and not exists (
            select from subscription_charges e where e.account_id = c.account_id
              and e.kind = 'end' and e.period_start in (c.period_start, o.period_start)
          ))
      ) limit 100`,
  },
  {
    invariant: 'I18',
    description: 'what was charged for plans is what its entries took from the saldo, or gave back',
    broken: (sql) => sql`
      select account_id, charge_id, c.amount, -e.d_available as entry_amount
      from (
        select account_id, charge_id::text as charge_id, amount from subscription_charges
        where amount <> 0
      ) c
      full join (
        select account_id, ref_id as charge_id, d_available, contra from wallet_entries
        where ref_type = 'charge' or kind = 'plan'
      ) e using (account_id, charge_id)
      where (c.amount, 'rev:plan') is distinct from (-e.d_available, e.contra) limit 100`,
  },
];
