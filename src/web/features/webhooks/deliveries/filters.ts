import { CivilDay } from '#contract/base/days.ts';
import { TypedPeer } from '#contract/messages/peer.ts';
import { DeliveryState, EventType } from '#contract/webhooks.ts';
import type { DateRange } from '#web/ui/date/dates.ts';

/** The search parameters of the list besides its page. */
export type FilterSearch = {
  state?: string | undefined;
  type?: string | undefined;
  peer?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
};

export type Filters = {
  state?: DeliveryState;
  type?: EventType;
  peer?: string;
  from?: string;
  to?: string;
};

/** Parses the filters of an address; invalid ones are dropped. */
export function readFilters(search: FilterSearch): Filters {
  const state = DeliveryState().safeParse(search.state);
  const type = EventType().safeParse(search.type);
  const peer = TypedPeer().safeParse(search.peer);
  return {
    ...(state.success && { state: state.data }),
    ...(type.success && { type: type.data }),
    // As typed: the server resolves it with the account's data.
    ...(peer.success && search.peer !== undefined && { peer: search.peer }),
    ...rangeOf(search),
  };
}

/** The days of the address; a reversed range is swapped, half a range is one day. */
export function rangeOf({ from, to }: FilterSearch): DateRange | null {
  const days = [from, to].filter((day) => CivilDay().safeParse(day).success);
  const [first, last = first] = days as string[];
  if (first === undefined || last === undefined) return null;
  return first <= last ? { from: first, to: last } : { from: last, to: first };
}

export const noFilters = {
  state: undefined,
  type: undefined,
  peer: undefined,
  from: undefined,
  to: undefined,
} as const;
