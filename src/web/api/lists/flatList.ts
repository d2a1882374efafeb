import { PAGE_SIZE } from '#contract/base/act.ts';

/** A list that grows by scrolling, kept as one piece however many pages it came in. */
export type Flat<Row> = {
  /** In the order that they are shown. */
  rows: readonly Row[];
  /** Nothing lies beyond the last row. */
  ended: boolean;
  /** By how much the offsets of its pages went beyond its rows: 0 where each counts what it brings. */
  beyond?: number;
  /** When its first pages were last read as a whole, in milliseconds. */
  readAt: number;
};

/** A page of a list; `count` is how far it moves the offset. */
export type FlatPage<Row> = { rows: readonly Row[]; count: number };

export type Source<Row> = {
  /** A page of at most ten rows from an offset on. */
  page: (start: number) => Promise<FlatPage<Row>>;
  /** The page behind a row, where a list goes on by its rows; left out: by offsets. */
  behind?: (last: Row) => Promise<FlatPage<Row>>;
  keyOf: (row: Row) => string;
  order: (a: Row, b: Row) => number;
  /** The newer of two versions of a row; what was just read when left out. */
  newer?: (known: Row, fresh: Row) => Row;
};

/** The pages that are read at first, and again after a while: they hold what is seen. */
const FIRST_PAGES = 3;
/** A gap this wide is not filled: what is beyond it is forgotten, and read again by scrolling. */
const GAP_PAGES = 10;
const WHOLE_MS = 60_000;

/** How the rows of a list are told apart, and stand. */
type Ordering<Row> = Pick<Source<Row>, 'keyOf' | 'order' | 'newer'>;

/**
 * Known rows and fresh ones as one list: each once, in order. Only the fresh ones are sorted: the list that
 * they come to may be long.
 */
export function merged<Row>(
  known: readonly Row[],
  fresh: readonly Row[],
  { keyOf, order, newer }: Ordering<Row>,
): readonly Row[] {
  const coming = new Map(fresh.map((row) => [keyOf(row), row]));
  const others: Row[] = [];
  let isSorted = true;
  for (const row of known) {
    const again = coming.get(keyOf(row));
    if (again !== undefined) {
      coming.set(keyOf(row), newer ? newer(row, again) : again);
      continue;
    }
    const last = others.at(-1);
    if (last !== undefined && order(last, row) > 0) isSorted = false;
    others.push(row);
  }
  const sorted = [...coming.values()].toSorted(order);
  // What a live event has changed may stand elsewhere now.
  return isSorted ? zipped(others, sorted, order) : [...others, ...sorted].toSorted(order);
}

/** Two lists in order as one. */
function zipped<Row>(
  some: readonly Row[],
  others: readonly Row[],
  order: Ordering<Row>['order'],
): readonly Row[] {
  const all: Row[] = [];
  let at = 0;
  for (const row of some) {
    for (let next = others[at]; next !== undefined && order(next, row) < 0; next = others[++at]) {
      all.push(next);
    }
    all.push(row);
  }
  return [...all, ...others.slice(at)];
}

/**
 * Reads the beginning of a list anew: three pages at first and after a minute, else one, and on until
 * it meets what is known, so that nothing between is missed.
 *
 * @param known what the cache has, looked at when the pages have come.
 */
export async function readNewest<Row>(
  source: Source<Row>,
  known: () => Flat<Row> | undefined,
  now = Date.now(),
): Promise<Flat<Row>> {
  const before = known();
  const whole = !before || now - before.readAt > WHOLE_MS;
  // Counted by tens only where pages are asked for at once; what comes after moves by what they count.
  const starts = Array.from({ length: whole ? FIRST_PAGES : 1 }, (_, page) => page * PAGE_SIZE);
  const pages = await Promise.all(starts.map(source.page));
  const knows = new Set(before?.rows.map(source.keyOf));
  const meets = () => pages.some(({ rows }) => rows.some((row) => knows.has(source.keyOf(row))));
  const full = () => !isLast(pages.at(-1));
  while (knows.size > 0 && full() && !meets() && pages.length < GAP_PAGES) {
    pages.push(await source.page(pages.length * PAGE_SIZE));
  }
  const latest = known();
  const reused = latest && (meets() || !full()) ? latest : undefined;
  const fresh = pages.flatMap(({ rows }) => rows);
  return {
    rows: merged(reused?.rows ?? [], fresh, source),
    ended: reused?.ended || pages.some(isLast),
    beyond: reused ? (reused.beyond ?? 0) : counted(pages) - fresh.length,
    readAt: whole ? now : (before?.readAt ?? now),
  };
}

const counted = (pages: readonly FlatPage<unknown>[]): number =>
  pages.reduce((sum, { count }) => sum + count, 0);

const isLast = (page: FlatPage<unknown> | undefined): boolean => (page?.count ?? 0) < PAGE_SIZE;

/** Two rows are read again with every page: one may have moved across the edge meanwhile. */
const OVERLAP = 2;

/** The list with the next page behind it: from its last row on, or from where the counts of its pages have led. */
export async function readOlder<Row>(
  source: Source<Row>,
  known: () => Flat<Row> | undefined,
): Promise<Flat<Row> | undefined> {
  const before = known();
  const last = before?.rows.at(-1);
  const start = Math.max(0, (before?.rows.length ?? 0) + (before?.beyond ?? 0) - OVERLAP);
  const page = await (source.behind && last ? source.behind(last) : source.page(start));
  const latest = known();
  if (!latest) return undefined;
  const end = latest.rows.at(-1);
  // What it was read behind was forgotten meanwhile: it would leave a hole.
  const isBehind = last === end || (last && end && source.keyOf(last) === source.keyOf(end));
  if (source.behind && !isBehind) return latest;
  return {
    ...latest,
    rows: merged(latest.rows, page.rows, source),
    ended: isLast(page),
    beyond: (latest.beyond ?? 0) + page.count - page.rows.length,
  };
}
