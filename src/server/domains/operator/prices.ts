import { Refusal } from '#contract/base/refusals.ts';
import { rupiah } from '#contract/base/money.ts';
import type { InputOf } from '#contract/base/act.ts';
import type * as books from '#contract/operator/money/books.ts';
import type { DeskPlan, PriceTables } from '#contract/operator/money/books.ts';
import type { PriceCategory } from '#contract/tokens/channels.ts';
import { operatorNames } from '#server/domains/accounts/accounts.ts';
import { GRATIS, plansForOperator, savePlan } from '#server/domains/billing/billing.ts';
import { datedTables, setPpnRate, setPrice } from '#server/domains/pricing/pricing.ts';
import type { Tx } from '#server/infra/postgres/database.ts';
import type { DeskDeps } from './deps.ts';

type Dated = {
  /** Of prices: each category has one in force. */
  category?: PriceCategory;
  valid_from: Date;
  set_by: string | null;
  set_at: Date | null;
  reason: string | null;
};

/** List prices and rates of PPN with when each counts, the newest first. */
export async function priceTables(deps: DeskDeps): Promise<PriceTables> {
  const { allAccountsSql: sql, config, now } = deps;
  const { prices, rates } = await datedTables(sql);
  const people = [...prices, ...rates].flatMap(({ set_by }) => set_by ?? []);
  const names = await operatorNames(sql, people);
  const at = now();
  const dated = <Row extends Dated>(rows: readonly Row[]) => {
    const inForce = (row: Row) =>
      rows.find((one) => one.category === row.category && one.valid_from <= at);
    return rows.map((row) => ({
      ...row,
      state: stateOf(row, inForce(row), at),
      set_by: row.set_by && (names.get(row.set_by) ?? 'Operator'),
    }));
  };
  return { prices: dated(prices), rates: dated(rates), ppn: config.PPN };
}

function stateOf(row: Dated, inForce: Dated | undefined, at: Date): 'past' | 'now' | 'future' {
  if (row === inForce) return 'now';
  return row.valid_from > at ? 'future' : 'past';
}

const settingOf = (
  deps: DeskDeps,
  operatorId: string,
  { reason, valid_from }: { reason: string; valid_from?: string | undefined },
) => ({
  operatorId,
  reason,
  at: deps.now(),
  validFrom: valid_from === undefined ? undefined : new Date(valid_from),
});

/**
 * Sets a list price, and answers how all prices stand.
 *
 * @throws Refusal `valid_from_past`, `valid_from_taken`.
 */
export async function changePrice(
  deps: DeskDeps,
  operatorId: string,
  input: InputOf<typeof books.setPrice>,
): Promise<PriceTables> {
  const { category, price } = input;
  await written(deps, (tx) =>
    setPrice(tx, { category, price: rupiah(price) }, settingOf(deps, operatorId, input)),
  );
  return priceTables(deps);
}

/**
 * Sets a rate of PPN, and answers how all rates stand.
 *
 * @throws Refusal `valid_from_past`, `valid_from_taken`.
 */
export async function changePpn(
  deps: DeskDeps,
  operatorId: string,
  input: InputOf<typeof books.setPpn>,
): Promise<PriceTables> {
  const { num, den, dpp_num, dpp_den } = input;
  const rate = { num, den, dppNum: dpp_num, dppDen: dpp_den };
  await written(deps, (tx) => setPpnRate(tx, rate, settingOf(deps, operatorId, input)));
  return priceTables(deps);
}

async function written(deps: DeskDeps, work: (tx: Tx) => Promise<void>): Promise<void> {
  await deps.allAccountsSql.begin(work);
  await deps.prices.refresh();
}

/** The newest revision of every plan. */
export const deskPlans = (deps: DeskDeps): Promise<DeskPlan[]> =>
  plansForOperator(deps.allAccountsSql);

/** One plan is free, and always on offer: whoever has no other has it. */
function refuseUnfit({ code, price }: { code: string; price: number }, isOffered: boolean): void {
  const isFree = code === GRATIS;
  const fields = {
    ...(isFree !== (price === 0) && {
      price: isFree ? 'Paket Gratis tidak berbiaya.' : 'Hanya paket Gratis yang tidak berbiaya.',
    }),
    ...(isFree && !isOffered && { offered: 'Paket Gratis selalu ditawarkan.' }),
  };
  if (Object.keys(fields).length > 0) throw new Refusal('input_invalid', { fields });
}

/**
 * Makes a new revision of a plan; customers keep theirs until they renew.
 *
 * @throws Refusal `input_invalid` for a free plan beside Gratis, and for a Gratis that is not free or not
 *   on offer.
 */
export async function changePlan(
  deps: DeskDeps,
  operatorId: string,
  { reason: _, offered, ...plan }: InputOf<typeof books.savePlan>,
): Promise<DeskPlan> {
  refuseUnfit(plan, offered === 'yes');
  await deps.allAccountsSql.begin((tx) =>
    savePlan(tx, {
      ...plan,
      price: rupiah(plan.price),
      overage: rupiah(plan.overage),
      isOffered: offered === 'yes',
      operatorId,
      at: deps.now(),
    }),
  );
  const plans = await deskPlans(deps);
  const saved = plans.find(({ code }) => code === plan.code);
  if (!saved) throw new Error('a plan was saved and is not there');
  return saved;
}
