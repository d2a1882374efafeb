import { type Rupiah, rupiah } from '#contract/base/money.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { PriceCategory as Category } from '#contract/tokens/channels.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';

/** Who sets something that counts from an instant on, and why. */
export type Setting = { operatorId: string; reason: string; at: Date; validFrom: Date | undefined };

type Stored = {
  valid_from: Date;
  set_by: string | null;
  set_at: Date | null;
  reason: string | null;
};
export type PriceRow = Stored & { category: Category; price: Rupiah };
export type RateRow = Stored & { num: number; den: number; dpp_num: number; dpp_den: number };

/** A clock of a browser may be behind ours by this much: such a time counts as now. */
const GRACE_MS = 60_000;

/**
 * When a change begins: never before now, because what was accepted has its price.
 *
 * @throws Refusal `valid_from_past`.
 */
function beginningOf({ validFrom, at }: Setting): Date {
  if (validFrom === undefined) return at;
  if (validFrom.getTime() < at.getTime() - GRACE_MS) throw new Refusal('valid_from_past', {});
  return validFrom < at ? at : validFrom;
}

/**
 * A list price from now or a later instant on. Nothing that was accepted changes.
 *
 * @throws Refusal `valid_from_past`, `valid_from_taken`.
 */
export async function setPrice(
  tx: Tx,
  { category, price }: { category: Category; price: Rupiah },
  setting: Setting,
): Promise<void> {
  const [stored] = await tx<object[]>`
    insert into prices (category, price, valid_from, set_by, set_at, reason)
    values (${category}, ${price}, ${beginningOf(setting)}, ${setting.operatorId}, ${setting.at},
      ${setting.reason})
    on conflict do nothing returning category`;
  if (!stored) throw new Refusal('valid_from_taken', {});
}

/**
 * A rate of PPN from now or a later instant on. Top-ups that were made keep their PPN.
 *
 * @throws Refusal `valid_from_past`, `valid_from_taken`.
 */
export async function setPpnRate(
  tx: Tx,
  rate: { num: number; den: number; dppNum: number; dppDen: number },
  setting: Setting,
): Promise<void> {
  const [stored] = await tx<object[]>`
    insert into tax_rates (code, num, den, dpp_num, dpp_den, valid_from, set_by, set_at, reason)
    values ('ppn', ${rate.num}, ${rate.den}, ${rate.dppNum}, ${rate.dppDen},
      ${beginningOf(setting)}, ${setting.operatorId}, ${setting.at}, ${setting.reason})
    on conflict do nothing returning code`;
  if (!stored) throw new Refusal('valid_from_taken', {});
}

/** All list prices and rates of PPN there ever were or will be, the newest first. */
export async function datedTables(sql: Sql): Promise<{ prices: PriceRow[]; rates: RateRow[] }> {
  const [prices, rates] = await Promise.all([
    sql<PriceRow[]>`
      select category, price, valid_from, set_by, set_at, reason from prices
      order by valid_from desc limit 100`,
    sql<RateRow[]>`
      select num, den, dpp_num, dpp_den, valid_from, set_by, set_at, reason from tax_rates
      where code = 'ppn' order by valid_from desc limit 100`,
  ]);
  return { prices: prices.map((row) => ({ ...row, price: rupiah(row.price) })), rates: [...rates] };
}
