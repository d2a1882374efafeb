/** A row of a statement. Amounts in sen; undefined if unreadable. */
export type BookedRow = {
  number: number;
  day: string | undefined;
  change: bigint | undefined;
  balance: bigint | undefined;
  /** Credits in whole rupiah, as stored in bank lines. */
  credit: number;
};

/** The balances of a day by a statement, in sen; null if absent. */
export type DayBalance = {
  day: string;
  opening: bigint | null;
  closing: bigint | null;
  credits: number;
  /** A later statement may have more lines of this statement's last day. */
  isLast: boolean;
};

/**
 * Adds up the balances of a statement, in the order of the file or in reverse. Rows without a balance count until the
 * next row with one; an unreadable row ends the comparison.
 *
 * @returns `unbalanced`: the line whose balance does not follow from its neighbours.
 */
export function readBalances(
  rows: readonly BookedRow[],
): { days: readonly DayBalance[] } | { unbalanced: number } {
  const orders = [rows, rows.toReversed()].map((order) => ({
    order,
    wrong: findUnbalanced(order),
  }));
  const fitting = orders.find(({ wrong }) => wrong === undefined);
  if (fitting) return { days: daysOf(isChronological(fitting.order) ? fitting.order : rows) };
  return { unbalanced: orders[0]?.wrong ?? 0 };
}

const isChronological = (rows: readonly BookedRow[]): boolean => {
  const days = rows.flatMap(({ day }) => day ?? []);
  return days.every((day, place) => place === 0 || (days[place - 1] ?? '') <= day);
};

function findUnbalanced(rows: readonly BookedRow[]): number | undefined {
  let expected: bigint | undefined;
  for (const { number, change, balance } of rows) {
    expected = expected === undefined || change === undefined ? undefined : expected + change;
    if (balance === undefined) continue;
    if (expected !== undefined && expected !== balance) return number;
    expected = balance;
  }
  return undefined;
}

/** The days of chronological rows; a day that occurs twice has no balances. */
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

function withBalances(rows: readonly BookedRow[]): BookedRow[] {
  let running: bigint | undefined;
  return rows.map((row) => {
    const follows =
      running === undefined || row.change === undefined ? undefined : running + row.change;
    running = row.balance ?? follows;
    return { ...row, balance: running };
  });
}
