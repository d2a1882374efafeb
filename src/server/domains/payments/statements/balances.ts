/** Change of the balance by a row of a statement, in sen; undefined where it cannot be read. */
export type BookedRow = {
  /** The line of the file. */
  number: number;
  day: string | undefined;
  change: bigint | undefined;
  balance: bigint | undefined;
  /** Credits in whole rupiah, which are stored as lines. */
  credit: number;
};

/** Balances of a day by a statement, in sen; null where it has none. */
export type DayBalance = {
  day: string;
  opening: bigint | null;
  closing: bigint | null;
  credits: number;
  /** The last day of a statement may have more lines later. */
  isLast: boolean;
};

/**
 * Adds up the balances of a statement, in the order of the file or the other way round. Rows without a balance count
 * until the next one that has one; a row that cannot be read ends what can be compared.
 *
 * @returns `unbalanced`: the line whose balance does not follow from those beside it.
 */
export function readBalances(
  rows: readonly BookedRow[],
): { days: readonly DayBalance[] } | { unbalanced: number } {
  const orders = [rows, rows.toReversed()].map((order) => ({ order, wrong: wrongLine(order) }));
  const fitting = orders.find(({ wrong }) => wrong === undefined);
  if (fitting) return { days: daysOf(inTime(fitting.order) ? fitting.order : rows) };
  return { unbalanced: orders[0]?.wrong ?? 0 };
}

/** Whether the days of an order never go back. */
const inTime = (rows: readonly BookedRow[]): boolean => {
  const days = rows.flatMap(({ day }) => day ?? []);
  return days.every((day, place) => place === 0 || (days[place - 1] ?? '') <= day);
};

/** The first line whose balance is not the one before it and what was booked since. */
function wrongLine(rows: readonly BookedRow[]): number | undefined {
  let expected: bigint | undefined;
  for (const { number, change, balance } of rows) {
    expected = expected === undefined || change === undefined ? undefined : expected + change;
    if (balance === undefined) continue;
    if (expected !== undefined && expected !== balance) return number;
    expected = balance;
  }
  return undefined;
}

/** The days of a statement whose rows are in time; a day that comes twice has no balances. */
function daysOf(rows: readonly BookedRow[]): DayBalance[] {
  const days = new Map<string, DayBalance>();
  let open: string | undefined;
  let running: bigint | undefined;
  for (const { day, change, balance, credit } of withBalances(rows)) {
    const before = balance !== undefined && change !== undefined ? balance - change : running;
    running = balance;
    if (day === undefined) continue;
    const known = days.get(day);
    const isTorn = known !== undefined && open !== day;
    open = day;
    days.set(day, {
      day,
      opening: isTorn ? null : known ? known.opening : (before ?? null),
      closing: isTorn ? null : (balance ?? null),
      credits: (known?.credits ?? 0) + credit,
      isLast: false,
    });
  }
  const last = [...days.keys()].toSorted().at(-1);
  return [...days.values()].map((one) => ({
    ...one,
    ...((one.opening === null || one.closing === null) && { opening: null, closing: null }),
    isLast: one.day === last,
  }));
}

/** Rows without a balance get the one that follows from the row before. */
function withBalances(rows: readonly BookedRow[]): BookedRow[] {
  let running: bigint | undefined;
  return rows.map((row) => {
    const follows =
      running === undefined || row.change === undefined ? undefined : running + row.change;
    running = row.balance ?? follows;
    return { ...row, balance: running };
  });
}
