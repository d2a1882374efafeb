import { PAGE_SIZE, type Paging } from '#contract/base/act.ts';

/** A page of a list, whatever paging it came in. */
export type ListAnswer<Row> = {
  rows: readonly Row[];
  /** `undefined` for `manual`, which does not say. */
  totalPages: number | undefined;
  /** Rows of all pages, where the answer says so: `arrow`. */
  total?: number;
  /** Where a filter chose among the first so many that a search found, not among all. */
  searched?: number;
  /** `manual`: how far this page moves the offset. */
  count: number;
};

type UnknownRecord = Readonly<Record<string, unknown>>;

const bag = (value: unknown): UnknownRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as UnknownRecord)
    : {};

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** A whole number from 0; anything else is 0. */
function whole(value: unknown): number {
  const number = typeof value === 'string' || typeof value === 'number' ? Number(value) : 0;
  return Number.isSafeInteger(Math.floor(number)) && number > 0 ? Math.floor(number) : 0;
}

/**
 * The page in a reply, as specified: `result.data` with `result.total_page` (default) or
 * `result.total` rows (arrow); `data` with `count` (manual). A reply of any other shape, a text or
 * nothing at all among them, is an empty list of no pages.
 */
export function readPage(paging: Paging, body: unknown): ListAnswer<unknown> {
  const reply = bag(body);
  if (paging === 'manual') {
    if (!Array.isArray(reply['data'])) return { rows: [], totalPages: 0, count: 0 };
    const rows = list(reply['data']);
    const count = 'count' in reply ? whole(reply['count']) : rows.length;
    return { rows, totalPages: undefined, count };
  }
  const result = bag(reply['result']);
  const rows = list(result['data']);
  const totalPages =
    paging === 'default'
      ? whole(result['total_page'])
      : Math.ceil(whole(result['total']) / PAGE_SIZE);
  const total = paging === 'arrow' && 'total' in result && { total: whole(result['total']) };
  const searched = 'searched' in result && { searched: whole(result['searched']) };
  return { rows, totalPages, ...total, ...searched, count: rows.length };
}

/** Where the pages of a `manual` list begin, as far as their answers have told: page → offset. */
export type Starts = ReadonlyMap<number, number>;

/** The first page begins at 0. */
export const firstStarts: Starts = new Map([[1, 0]]);

/** The offset of a page (from 1): as told, else as many whole pages after the nearest one before it. */
export function startOf(starts: Starts, page: number): number {
  const known = Math.max(1, ...[...starts.keys()].filter((one) => one <= page));
  return (starts.get(known) ?? 0) + Math.max(0, page - known) * PAGE_SIZE;
}

/** What is known after the answer for a page: the next one begins `count` further. */
export function startsAfter(starts: Starts, page: number, count: number): Starts {
  const next = startOf(starts, page) + count;
  return starts.get(page + 1) === next ? starts : new Map([...starts, [page + 1, next]]);
}
