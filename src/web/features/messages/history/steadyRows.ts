export type Steady<Row> = { rows: readonly Row[]; news: number };

/**
 * The rows being read, each updated, while others arrive: none moves, none disappears.
 *
 * @param read the rows when the reading began.
 * @param fresh the page as the server has it now.
 * @param newer current data of rows that are no longer on it.
 */
export function steadyRows<Row extends { id: string }>(
  read: readonly Row[],
  fresh: readonly Row[],
  newer: ReadonlyMap<string, Row>,
): Steady<Row> {
  const byId = new Map(fresh.map((row) => [row.id, row]));
  const known = new Set(read.map(({ id }) => id));
  return {
    rows: read.map((row) => byId.get(row.id) ?? newer.get(row.id) ?? row),
    news: fresh.filter(({ id }) => !known.has(id)).length,
  };
}
