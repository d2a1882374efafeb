import { PAGE_SIZE, type Paging } from '#contract/base/act.ts';

/** A page of a list, for every paging type. */
export type ListAnswer<Row> = {
  rows: readonly Row[];
  /** `undefined` for `manual`, which has no page count. */
  totalPages: number | undefined;
  /** Rows of all pages; `arrow` only. */
  total?: number;
  /** Set if a filter was applied to the first `searched` hits of a search, not to all. */
  searched?: number;
  /** `manual`: by how much this page moves the offset. */
  count: number;
};

type UnknownRecord = Readonly<Record<string, unknown>>;

const bag = (value: unknown): UnknownRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as UnknownRecord)
    : {};

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function whole(value: unknown): number {
  const number = typeof value === 'string' || typeof value === 'number' ? Number(value) : 0;
  return Number.isSafeInteger(Math.floor(number)) && number > 0 ? Math.floor(number) : 0;
}

/**
 * Reads a page as specified: `result.data` with `result.total_page` (default) or `result.total` rows (arrow); `data`
 * with `count` (manual). Any other reply is an empty list without pages.
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

/** Known offsets of the pages of a `manual` list: page → offset. */
export type Starts = ReadonlyMap<number, number>;

export const firstStarts: Starts = new Map([[1, 0]]);

/** The offset of a page (from 1): if unknown, whole pages after the nearest known one before it. */
export function startOf(starts: Starts, page: number): number {
  const known = Math.max(1, ...[...starts.keys()].filter((one) => one <= page));
  return (starts.get(known) ?? 0) + Math.max(0, page - known) * PAGE_SIZE;
}

/** Adds the start of the next page, `count` after this one. */
export function startsAfter(starts: Starts, page: number, count: number): Starts {
  const next = startOf(starts, page) + count;
  return starts.get(page + 1) === next ? starts : new Map([...starts, [page + 1, next]]);
}
