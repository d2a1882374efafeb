/** Rows as they stand before somebody's eyes, and how many new ones wait above them. */
export type Steady<Row> = { rows: readonly Row[]; news: number };

/**
 * The rows that somebody reads, each as it is now, although others have come: none moves, none goes.
 *
 * @param read the rows as they stood when the reading began.
 * @param fresh the page as the server has it now.
 * @param newer what is known of rows that are no longer on it.
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
