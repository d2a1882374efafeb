import { LiveEvent } from '#contract/events.ts';
import type { Tag } from '#server/infra/postgres/sql.ts';
import { type EventRow, factsOf } from './event-row.ts';
import { isLiveKind } from './outbox.ts';

/** More events behind than this, and the tab refetches everything instead. */
const BEHIND_MAX = 500;
/** Events of an account that are read at once: what a stream that takes nothing can have waiting. */
const PAGE_EVENTS = 100;

/** Where somebody stands in an account's events: `since` is the newest that they have. */
export type Position = { accountId: string; since: number };

/** An event as open tabs receive it. */
type Frame = { position: number; text: string };

/** What an account has to hear after a position, encoded once for all its streams. */
export type Page = {
  /** Where whoever has taken the page stands; below where they stood when the database was set back. */
  readonly upTo: number;
  /** Everything is to be fetched anew, whatever somebody has. */
  readonly isReset: boolean;
  /** Nothing more stood there when it was read. */
  readonly isLast: boolean;
  /** All frames, or those after a position: the bytes of `docs/wire.md#live-stream`. */
  bytes(after?: number): Buffer;
};

/** Which events streams are told of. */
export type Shown = {
  isShown: (accountId: string, kind: string) => boolean;
  report: (bug: unknown) => void;
  /** Called with what was read, if anything. */
  onRead?: (events: readonly EventRow[]) => void;
};

type Row = { accountId: string; last: number } & (EventRow | { position: null });

/**
 * Reads what comes after each position, up to 100 events of an account, in one statement. Whoever missed more
 * than 500, or stands where the account never was, gets a `reset` at the newest position.
 *
 * @param sql sees all these accounts.
 * @param shown which events are written; `report` is called with those that are no `LiveEvent`, which are left out.
 * @returns a page per position, in their order; no account twice.
 */
export async function readPages(
  sql: Tag,
  positions: readonly Position[],
  shown: Shown,
): Promise<Page[]> {
  const rows = await sql<Row[]>`
    select f.account_id as "accountId", f.last, e.*
    from (
      select u.account_id, u.since, coalesce(p.last, 0) as last
      from unnest(
        ${positions.map(({ accountId }) => accountId)}::uuid[],
        ${positions.map(({ since }) => since)}::bigint[]
      ) as u(account_id, since)
      left join event_positions p on p.account_id = u.account_id
    ) f
    left join lateral (
      select position, kind, message_id, token_id, peer, status, data from events
      where account_id = f.account_id and position > f.since and f.last - f.since <= ${BEHIND_MAX}
      order by position limit ${PAGE_EVENTS}
    ) e on true
    order by f.account_id, e.position`;
  shown.onRead?.(rows.filter((row) => row.position !== null));
  const byAccount = Map.groupBy(rows, ({ accountId }) => accountId);
  return positions.map(({ accountId, since }) =>
    pageOf(since, byAccount.get(accountId) ?? [], shown),
  );
}

function pageOf(since: number, rows: readonly Row[], shown: Shown): Page {
  const last = rows[0]?.last ?? 0;
  if (since > last || last - since > BEHIND_MAX) {
    const bytes = Buffer.from(frameText(last, 'reset', String(last)));
    return { upTo: last, isReset: true, isLast: true, bytes: () => bytes };
  }
  const events = rows.filter((row) => row.position !== null);
  const frames = events.flatMap((row) => frameOf(row, shown) ?? []);
  const isLast = events.length < PAGE_EVENTS;
  const encode = (some: readonly Frame[]) => Buffer.from(some.map(({ text }) => text).join(''));
  const all = encode(frames);
  return {
    // What was erased leaves its position behind.
    upTo: isLast ? last : (events.at(-1)?.position ?? last),
    isReset: false,
    isLast,
    bytes: (after = since) =>
      after <= since ? all : encode(frames.filter(({ position }) => position > after)),
  };
}

/** A row as the frame that tabs receive; reported, and nothing, when it is no event of the contract. */
function frameOf(
  row: EventRow & { accountId: string },
  { isShown, report }: Shown,
): Frame | undefined {
  const { position, kind, accountId } = row;
  if (!isLiveKind(kind) || !isShown(accountId, kind)) return undefined;
  const event = LiveEvent().safeParse(factsOf(row));
  if (event.success) {
    return { position, text: frameText(position, kind, JSON.stringify(event.data)) };
  }
  report(new Error(`the event ${kind} has another shape`, { cause: event.error }));
  return undefined;
}

/** A frame that is stored nowhere, and has no position. @throws ZodError when it is no event of the contract. */
export const signalFrame = (given: unknown): Buffer => {
  const event = LiveEvent().parse(given);
  return Buffer.from(`event: ${event.kind}\ndata: ${JSON.stringify(event)}\n\n`);
};

const frameText = (position: number, kind: string, data: string): string =>
  `id: ${position}\nevent: ${kind}\ndata: ${data}\n\n`;
