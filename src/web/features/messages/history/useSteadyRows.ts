import { useEffect, useState } from 'react';
import { getMessage, type MessageRow } from '#contract/messages.ts';
import { perform } from '#web/api/act.ts';
import { onLiveEvent } from '#web/live/listeners.ts';

type Options = {
  /** Identifies the request: another page, order or filter starts over. */
  request: string;
  isThere: boolean;
  /** The list is being read: no row may move. */
  held: boolean;
};

type Read = { request: string; rows: readonly MessageRow[] };

/**
 * The rows of a page, which do not move while they are read: statuses change in place, and new rows wait until `show`
 * is called, or the reading ends.
 */
export function useSteadyRows(
  fresh: readonly MessageRow[],
  { request, isThere, held }: Options,
): Steady<MessageRow> & { show: (rows?: readonly MessageRow[]) => void } {
  const [read, setRead] = useState<Read>({ request, rows: fresh });
  const isOther = read.request !== request || read.rows.length === 0 || !held;
  // Each empty response has an array of its own.
  const isNew = read.rows !== fresh && read.rows.length + fresh.length > 0;
  if (isThere && isOther && (isNew || read.request !== request)) {
    setRead({ request, rows: fresh });
  }
  const reading = isThere && !isOther;
  const newer = useNewer(reading ? read.rows : none, fresh);
  const steady = reading ? steadyRows(read.rows, fresh, newer) : { rows: fresh, news: 0 };
  return { ...steady, show: (rows = fresh) => setRead({ request, rows }) };
}

const none: readonly MessageRow[] = [];

function useNewer(
  read: readonly MessageRow[],
  fresh: readonly MessageRow[],
): ReadonlyMap<string, MessageRow> {
  const [newer, setNewer] = useState<ReadonlyMap<string, MessageRow>>(new Map());
  useEffect(() => {
    const gone = new Set(read.map(({ id }) => id));
    for (const { id } of fresh) gone.delete(id);
    if (gone.size === 0) return;
    const stopped = new AbortController();
    const { signal } = stopped;
    const stop = onLiveEvent('message.changed', ({ id }) => {
      if (!gone.has(id)) return;
      const keep = (row: MessageRow) => setNewer((known) => new Map(known).set(id, row));
      perform(getMessage, { message_id: id }, { signal }).then(keep, () => undefined);
    });
    return () => {
      stop();
      stopped.abort();
    };
  }, [read, fresh]);
  return newer;
}

type Steady<Row> = { rows: readonly Row[]; news: number };

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
