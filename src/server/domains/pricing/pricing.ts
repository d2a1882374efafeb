import { type Rupiah, rupiah } from '#contract/base/money.ts';
import type { PriceCategory as Category } from '#contract/channels.ts';
import type { Config } from '#server/infra/config.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import { Refusal } from '#contract/base/refusals.ts';

type Setting = { operatorId: string; reason: string; at: Date; validFrom: Date | undefined };

type Stored = {
  valid_from: Date;
  set_by: string | null;
  set_at: Date | null;
  reason: string | null;
};
type PriceRow = Stored & { category: Category; price: Rupiah };
type RateRow = Stored & { num: number; den: number; dpp_num: number; dpp_den: number };

/** Tolerance for a browser's clock that is behind ours: such a time counts as now. */
const GRACE_MS = 60_000;

/**
 * Start of a change: never before now, because accepted messages keep their price.
 *
 * @throws Refusal `valid_from_past`
 */
function effectiveFrom({ validFrom, at }: Setting): Date {
  if (validFrom === undefined) return at;
  if (validFrom.getTime() < at.getTime() - GRACE_MS) throw new Refusal('valid_from_past', {});
  return validFrom < at ? at : validFrom;
}

/**
 * Sets a list price from now or a later instant on. Accepted messages keep their price.
 *
 * @throws Refusal `valid_from_past`, `valid_from_taken`
 */
export async function setPrice(
  tx: Tx,
  { category, price }: { category: Category; price: Rupiah },
  setting: Setting,
): Promise<void> {
  const [stored] = await tx<object[]>`
    insert into prices (category, price, valid_from, set_by, set_at, reason)
    values (${category}, ${price}, ${effectiveFrom(setting)}, ${setting.operatorId}, ${setting.at},
      ${setting.reason})
    on conflict do nothing returning category`;
  if (!stored) throw new Refusal('valid_from_taken', {});
}

/**
 * Sets a rate of PPN from now or a later instant on. Existing top-ups keep their PPN.
 *
 * @throws Refusal `valid_from_past`, `valid_from_taken`
 */
export async function setPpnRate(
  tx: Tx,
  rate: { num: number; den: number; dppNum: number; dppDen: number },
  setting: Setting,
): Promise<void> {
  const [stored] = await tx<object[]>`
    insert into tax_rates (code, num, den, dpp_num, dpp_den, valid_from, set_by, set_at, reason)
    values ('ppn', ${rate.num}, ${rate.den}, ${rate.dppNum}, ${rate.dppDen},
      ${effectiveFrom(setting)}, ${setting.operatorId}, ${setting.at}, ${setting.reason})
    on conflict do nothing returning code`;
  if (!stored) throw new Refusal('valid_from_taken', {});
}

/** All past, present and future list prices and rates of PPN, newest first. */
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

/** A tax of `num/den` on a base that is `dppNum/dppDen` of the price. */
export type TaxRate = { num: bigint; den: bigint; dppNum: bigint; dppDen: bigint };

export type CloudPrices = Readonly<Record<Exclude<Category, 'message'>, Rupiah>>;

export type Prices = {
  /**
   * Current list price by any channel but `cloud`. From memory: called for each accepted message.
   */
  message(): Rupiah;
  cloud(): CloudPrices;
  /** The list price of a category at an instant. @throws Error if no price had begun: our bug */
  priceOf(category: Category, at: Date): Rupiah;
  /** The PPN on an amount at an instant; 0 if the installation adds none. */
  ppnOf(base: Rupiah, at: Date): Rupiah;
  refresh(): Promise<void>;
  close(): void;
};

type Dated<T> = { from: number; value: T };
type Tables = { prices: Map<string, Dated<Rupiah>[]>; rates: Map<string, Dated<TaxRate>[]> };

/** Age limit of the cached tables: a new price holds on every node after this. */
const REFRESH_MS = 5_000;

type Deps = {
  allAccountsSql: Sql;
  config: Pick<Config, 'PPN'>;
  now: () => Date;
  onError?: (error: unknown) => void;
};

/** Caches prices and tax rates in memory, at most five seconds old. */
export async function openPrices({ allAccountsSql, config, now, onError }: Deps): Promise<Prices> {
  let tables = await readTables(allAccountsSql);
  const refresh = async () => {
    tables = await readTables(allAccountsSql);
  };
  const timer = setInterval(() => void refresh().catch(onError), REFRESH_MS);
  timer.unref();

  const priceOf = (category: Category, at: Date): Rupiah => {
    const price = valueAt(tables.prices.get(category), at.getTime());
    if (price === undefined) throw new Error(`no price of ${category} at ${at.toISOString()}`);
    return price;
  };
  return {
    message: () => priceOf('message', now()),
    cloud: () => {
      const at = now();
      return {
        marketing: priceOf('marketing', at),
        utility: priceOf('utility', at),
        authentication: priceOf('authentication', at),
        service: priceOf('service', at),
      };
    },
    priceOf,
    ppnOf: (base, at) => {
      if (!config.PPN) return rupiah(0);
      const rate = valueAt(tables.rates.get('ppn'), at.getTime());
      return rate === undefined ? rupiah(0) : taxOf(base, rate);
    },
    refresh,
    close: () => clearInterval(timer),
  };
}

/**
 * The tax on whole rupiah: one fraction, rounded half up once. Keep it: rounding the base first differs by Rp 1 for 2.7
 * % of all amounts (docs/money.md#prices-and-ppn).
 */
export function taxOf(base: Rupiah, { num, den, dppNum, dppDen }: TaxRate): Rupiah {
  const numerator = num * dppNum;
  const denominator = den * dppDen;
  return rupiah(Number((2n * BigInt(base) * numerator + denominator) / (2n * denominator)));
}

function valueAt<T>(dated: readonly Dated<T>[] | undefined, atMs: number): T | undefined {
  return dated?.find(({ from }) => from <= atMs)?.value;
}

async function readTables(allAccountsSql: Sql): Promise<Tables> {
  const [prices, rates] = await Promise.all([
    allAccountsSql<{ category: string; price: number; valid_from: Date }[]>`
      select category, price, valid_from from prices order by valid_from desc`,
    allAccountsSql<
      {
        code: string;
        num: number;
        den: number;
        dpp_num: number;
        dpp_den: number;
        valid_from: Date;
      }[]
    >`
      select code, num, den, dpp_num, dpp_den, valid_from from tax_rates order by valid_from desc`,
  ]);
  const tables: Tables = { prices: new Map(), rates: new Map() };
  for (const { category, price, valid_from } of prices) {
    addTo(tables.prices, category, { from: valid_from.getTime(), value: rupiah(price) });
  }
  for (const { code, num, den, dpp_num, dpp_den, valid_from } of rates) {
    const rate = {
      num: BigInt(num),
      den: BigInt(den),
      dppNum: BigInt(dpp_num),
      dppDen: BigInt(dpp_den),
    };
    addTo(tables.rates, code, { from: valid_from.getTime(), value: rate });
  }
  return tables;
}

function addTo<T>(table: Map<string, Dated<T>[]>, key: string, row: Dated<T>): void {
  const known = table.get(key);
  if (known) known.push(row);
  else table.set(key, [row]);
}
