import type { OutputOf } from '#contract/base/act.ts';
import type { BroadcastAudience, broadcastAudiences } from '#contract/operator/broadcasts.ts';
import { countCustomers } from '#server/domains/accounts/accounts.ts';
import { isOnPlan, plansForOperator } from '#server/domains/billing/billing.ts';
import { hasLinkedToken } from '#server/domains/tokens/tokens.ts';
import type { Fragment, Sql, Tx } from '#server/infra/postgres/database.ts';

/** Whom a broadcast is for. */
export type Audience = { audience: BroadcastAudience; plan: string | null };

/** SQL that is true of an account `a` that a broadcast is for. */
export function isInAudience(sql: Sql | Tx, { audience, plan }: Audience): Fragment {
  if (audience === 'linked') return hasLinkedToken(sql);
  return audience === 'plan' ? isOnPlan(sql, plan ?? '') : sql`true`;
}

/** How many people each audience has now. */
export async function audiences(sql: Sql): Promise<OutputOf<typeof broadcastAudiences>> {
  const plans = await plansForOperator(sql);
  const asked: Audience[] = [
    { audience: 'all', plan: null },
    { audience: 'linked', plan: null },
    ...plans.map(({ code }): Audience => ({ audience: 'plan', plan: code })),
  ];
  const people = await countCustomers(
    sql,
    asked.map((one) => isInAudience(sql, one)),
  );
  const [all = 0, linked = 0, ...onPlans] = people;
  return {
    all,
    linked,
    plans: plans.map(({ code, name }, place) => ({ code, name, people: onPlans[place] ?? 0 })),
  };
}
