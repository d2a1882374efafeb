import { PAGE_SIZE } from '#contract/base/act.ts';

/** An infinite list: the loaded pages as one array. */
export type Flat<Row> = {
  rows: readonly Row[];
  ended: boolean;
  /** By how much the page offsets exceed the number of rows; 0 where each page counts its rows. */
  beyond?: number;
  /** When the first pages were last read together, in ms. */
  readAt: number;
};

/** A page of a list; `count` is by how much it moves the offset. */
export type FlatPage<Row> = { rows: readonly Row[]; count: number };

export type Source<Row> = {
  /** A page of at most ten rows from an offset. */
  page: (start: number) => Promise<FlatPage<Row>>;
  /** The page after a row, for lists paged by row; omitted: paged by offset. */
  behind?: (last: Row) => Promise<FlatPage<Row>>;
  keyOf: (row: Row) => string;
  order: (a: Row, b: Row) => number;
  /** The newer of two versions of a row; omitted: the one read last. */
  newer?: (known: Row, fresh: Row) => Row;
};

/** Pages read at first and at each full refresh; they cover the visible part. */
const FIRST_PAGES = 3;
/** A gap of this many pages is not filled: older rows are dropped and read again on scrolling. */
const GAP_PAGES = 10;
const WHOLE_MS = 60_000;

type Ordering<Row> = Pick<Source<Row>, 'keyOf' | 'order' | 'newer'>;

/**
 * Merges known and new rows, without duplicates and in order. Sorts only the new rows, since the known list may be
 * long.
 */
export function merged<Row>(
  known: readonly Row[],
  loaded: readonly Row[],
  { keyOf, order, newer }: Ordering<Row>,
): readonly Row[] {
  const coming = new Map(loaded.map((row) => [keyOf(row), row]));
  const others: Row[] = [];
  let isSorted = true;
  for (const row of known) {
    const update = coming.get(keyOf(row));
    if (update !== undefined) {
      coming.set(keyOf(row), newer ? newer(row, update) : update);
      continue;
    }
    const last = others.at(-1);
    if (last !== undefined && order(last, row) > 0) isSorted = false;
    others.push(row);
  }
  const sorted = [...coming.values()].toSorted(order);
  // A live event may have changed the order of known rows.
  return isSorted ? zipped(others, sorted, order) : [...others, ...sorted].toSorted(order);
}

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
 * Reads the start of a list again: three pages at first and after a minute, else one, and further until it meets known
 * rows, so that none in between is missing.
 *
 * @param known reads the cache; called again once the pages have arrived.
 */
export async function readNewest<Row>(
  source: Source<Row>,
  known: () => Flat<Row> | undefined,
  now = Date.now(),
): Promise<Flat<Row>> {
  const before = known();
  const whole = !before || now - before.readAt > WHOLE_MS;
  // The first offsets assume full pages of ten because those pages are requested at once.
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
  const loaded = pages.flatMap(({ rows }) => rows);
  return {
    rows: merged(reused?.rows ?? [], loaded, source),
    ended: reused?.ended || pages.some(isLast),
    beyond: reused ? (reused.beyond ?? 0) : counted(pages) - loaded.length,
    readAt: whole ? now : (before?.readAt ?? now),
  };
}

const counted = (pages: readonly FlatPage<unknown>[]): number =>
  pages.reduce((sum, { count }) => sum + count, 0);

const isLast = (page: FlatPage<unknown> | undefined): boolean => (page?.count ?? 0) < PAGE_SIZE;

/** Each page overlaps by two rows: one may have moved across the page edge. */
const OVERLAP = 2;

/** The list with its next page added: after its last row, or from the offset its pages have reached. */
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
  // The row the page follows was dropped meanwhile: adding the page would leave a hole.
  const isBehind = last === end || (last && end && source.keyOf(last) === source.keyOf(end));
  if (source.behind && !isBehind) return latest;
  return {
    ...latest,
    rows: merged(latest.rows, page.rows, source),
    ended: isLast(page),
    beyond: (latest.beyond ?? 0) + page.count - page.rows.length,
  };
}
