import { Id } from '#contract/base/ids.ts';
import { Direction, MESSAGE_QUERY_MAX, MessageType, StatusFilter } from '#contract/messages.ts';
import { isCivilDate, type DateRange } from '#web/ui/date/dates.ts';

export type FilterSearch = {
  q?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
  direction?: string | undefined;
  status?: readonly string[] | undefined;
  type?: string | undefined;
  token?: string | undefined;
};

export type Filters = {
  q?: string;
  from?: string;
  to?: string;
  direction?: Direction;
  status?: StatusFilter[];
  type?: MessageType;
  token_id?: string;
};

/** Parses the filters of an address; invalid ones are dropped. */
export function readFilters(search: FilterSearch): Filters {
  const range = rangeOf(search);
  const direction = Direction().safeParse(search.direction);
  const status = StatusFilter().options.filter((one) => search.status?.includes(one));
  const type = MessageType().safeParse(search.type);
  const token = Id('token').safeParse(search.token);
  const q = search.q?.trim();
  return {
    ...(q && q.length <= MESSAGE_QUERY_MAX && { q }),
    ...range,
    ...(direction.success && { direction: direction.data }),
    ...(status.length > 0 && { status }),
    ...(type.success && { type: type.data }),
    ...(token.success && { token_id: token.data }),
  };
}

/** The days of the address; a reversed range is swapped, half a range is one day. */
export function rangeOf({ from, to }: Pick<FilterSearch, 'from' | 'to'>): DateRange | null {
  const [first, last = first] = [from, to].filter((day) => day !== undefined && isCivilDate(day));
  if (first === undefined || last === undefined) return null;
  return first <= last ? { from: first, to: last } : { from: last, to: first };
}

export const noFilters: Record<keyof FilterSearch, undefined> = {
  q: undefined,
  from: undefined,
  to: undefined,
  direction: undefined,
  status: undefined,
  type: undefined,
  token: undefined,
};

/** The number of active filters, excluding the search, which is always visible. */
export function countSet(filters: Filters): number {
  const { q: _, from, to: __, ...others } = filters;
  return Object.keys(others).length + (from === undefined ? 0 : 1);
}
