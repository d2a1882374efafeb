import { type Rupiah, rupiah } from '#contract/base/money.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { Plan } from '#contract/billing.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';

/** The default plan. It always exists and costs nothing. */
export const GRATIS = 'gratis';

export type PlanRevision = Plan & { isOffered: boolean };

type Row = {
  code: string;
  revision: number;
  name: string;
  description: string;
  price: number;
  tokens: number;
  quota: number;
  overage: number;
  is_offered: boolean;
};

const revisionOf = ({ is_offered: isOffered, price, overage, ...row }: Row): PlanRevision => ({
  ...row,
  price: rupiah(price),
  overage: rupiah(overage),
  isOffered,
});

const columns = (sql: Sql | Tx) => sql`
  r.code, r.revision, r.name, r.description, r.price, r.tokens, r.quota, r.overage, p.is_offered`;

export const planOf = ({ isOffered: _, ...plan }: PlanRevision): Plan => plan;

/** Plans by code, in the revision in force at an instant; in the order of offers. */
export async function plansAt(sql: Sql | Tx, at: Date): Promise<Map<string, PlanRevision>> {
  const found = await sql<Row[]>`
    select distinct on (p.position, r.code) ${columns(sql)}
    from plans p join plan_revisions r using (code)
    where r.valid_from <= ${at} order by p.position, r.code, r.revision desc`;
  return new Map(found.map((row) => [row.code, revisionOf(row)]));
}

/** The revision of a plan in force at an instant. @throws Refusal `not_found` when there is none. */
export async function planAt(tx: Sql | Tx, code: string, at: Date): Promise<PlanRevision> {
  const plan = (await plansAt(tx, at)).get(code);
  if (!plan) throw new Refusal('not_found', { what: 'Paket' });
  return plan;
}

export async function revisionAt(
  tx: Sql | Tx,
  { code, revision }: { code: string; revision: number },
): Promise<PlanRevision> {
  const [row] = await tx<Row[]>`
    select ${columns(tx)} from plan_revisions r join plans p using (code)
    where r.code = ${code} and r.revision = ${revision}`;
  if (!row) throw new Error(`no revision ${revision} of the plan ${code}`);
  return revisionOf(row);
}

export async function planNameOf(sql: Sql | Tx, accountId: string): Promise<string> {
  const [plan] = await sql<{ name: string }[]>`
    select r.name from subscriptions s
    join plan_revisions r on (r.code, r.revision) = (s.plan_code, s.plan_revision)
    where s.account_id = ${accountId}`;
  return plan?.name ?? '';
}

export async function offeredPlans(sql: Sql | Tx, at: Date): Promise<Plan[]> {
  const plans = [...(await plansAt(sql, at)).values()];
  return plans
    .filter(({ isOffered }) => isOffered)
    .toSorted((one, other) => one.price - other.price)
    .map(planOf);
}

export type PlanEdit = {
  code: string;
  name: string;
  description: string;
  price: Rupiah;
  tokens: number;
  quota: number;
  overage: Rupiah;
  isOffered: boolean;
  operatorId: string;
  at: Date;
};

/**
 * Writes a new revision of a plan, or a new plan. New subscribers get it now, existing ones at their next renewal.
 * Needs a transaction that sees all accounts. A check constraint refuses a Gratis that costs money or is not on offer,
 * and another free plan (`gratis_is_free`, `gratis_is_offered`).
 */
export async function savePlan(tx: Tx, edit: PlanEdit): Promise<Plan> {
  const { code, name, description, price, tokens, quota, overage, operatorId, at } = edit;
  // This locks the plan's row: concurrent edits become consecutive revisions.
  await tx`
    insert into plans (code, is_offered, position)
    select ${code}, ${edit.isOffered}, coalesce(max(position), 0) + 1 from plans
    on conflict (code) do update set is_offered = excluded.is_offered`;
  const [made] = await tx<{ revision: number }[]>`
    insert into plan_revisions as made (
      code, revision, name, description, price, tokens, quota, overage, valid_from, operator_id
    )
    select ${code}, coalesce(max(revision), 0) + 1, ${name}, ${description}, ${price}, ${tokens},
      ${quota}, ${overage}, ${at}, ${operatorId}
    from plan_revisions where code = ${code}
    returning made.revision`;
  if (!made) throw new Error('the plan was not saved');
  return planOf(await revisionAt(tx, { code, revision: made.revision }));
}

type OperatorPlan = Plan & {
  is_offered: boolean;
  valid_from: Date;
  /** Author of the revision; null if it came with the installation. */
  operator_id: string | null;
  subscribers: number;
};

/** The newest revision of every plan, including those not on offer. Needs a pool that sees all accounts. */
export async function plansForOperator(sql: Sql | Tx): Promise<OperatorPlan[]> {
  type Whole = Row & { valid_from: Date; operator_id: string | null; subscribers: number };
  const found = await sql<Whole[]>`
    select ${columns(sql)}, r.valid_from, r.operator_id,
      coalesce(s.subscribers, 0) as subscribers
    from plans p
    join (select distinct on (code) * from plan_revisions order by code, revision desc) r
      on r.code = p.code
    left join (
      select plan_code, count(*) as subscribers from subscriptions group by plan_code
    ) s on s.plan_code = p.code
    order by p.position`;
  return found.map((row) => ({ ...row, price: rupiah(row.price), overage: rupiah(row.overage) }));
}
