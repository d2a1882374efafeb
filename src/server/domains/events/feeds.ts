import type { FrameSink, Subscription } from '#server/infra/acts.ts';
import { LiveEvent } from '#contract/events.ts';
import type { Tag } from '#server/infra/postgres/sql.ts';
import { isLiveKind } from './outbox.ts';
import { publicId } from '#contract/base/ids.ts';

/** Accounts that are read in one statement. */
const ACCOUNTS_MAX = 100;
/** How long closing waits for reads under way. */
const CLOSING_MS_MAX = 3_000;

type Deps = {
  /** Reads what is new of several accounts, for all their streams: a page each, in the same order. */
  readShared: (positions: readonly Position[]) => Promise<readonly Page[]>;
  /** Reads what one stream has missed. */
  readOwn: (position: Position) => Promise<Page>;
  report: (trouble: unknown) => void;
};

/** The streams of one account in this process. */
type Feed = {
  readonly accountId: string;
  readonly followers: Set<Follower>;
  /** The account was read up to here; whoever is `current` stands here or after. */
  position: number;
  /** There may be events after `position`. */
  isHinted: boolean;
};

/**
 * `behind`: reads for itself, until it has what was read for all. `current`: gets what is read for all.
 * `full`: takes nothing now, and is behind when it does again. `gone`: gets nothing more.
 */
type State = 'behind' | 'current' | 'full' | 'gone';

/** One stream. Each gets the account's positions after its own, in order and once, or a reset. */
class Follower implements Subscription {
  readonly feed: Feed;
  readonly #feeds: Feeds;
  readonly #sink: FrameSink;
  position: number;
  state: State = 'behind';
  /** What it missed was not yet read to its end. */
  hasBacklog = true;

  constructor(feeds: Feeds, sink: FrameSink, { feed, since }: { feed: Feed; since: number }) {
    this.#feeds = feeds;
    this.#sink = sink;
    this.feed = feed;
    this.position = since;
  }

  /** Writes what it does not have of a page; afterwards it may be `full`. */
  take(page: Page): void {
    if (page.isReset ? this.position === page.upTo : this.position >= page.upTo) return;
    const bytes = page.bytes(this.position);
    this.position = page.upTo;
    if (bytes.length === 0 || this.#sink.write(bytes) || this.state === 'gone') return;
    this.state = 'full';
  }

  /** Writes a frame that has no position, unless it takes nothing now: it is not made up for. */
  signal(frame: Buffer): void {
    if (this.state !== 'current' || this.#sink.write(frame)) return;
    // Writing may have ended it.
    if (this.state === 'current') this.state = 'full';
  }

  resume(): void {
    if (this.state === 'full') this.#feeds.catchUp(this);
  }

  cancel(): void {
    this.#feeds.remove(this);
  }

  end(): void {
    this.cancel();
    this.#sink.end();
  }
}

/**
 * Reads the events of accounts once for all their streams here. Whoever joins, or took nothing for a while,
 * first reads what it missed by itself: it holds up nobody, and nothing is queued for it.
 */
export class Feeds {
  readonly #deps: Deps;
  readonly #feeds = new Map<string, Feed>();
  /** Feeds to be read now: hinted, and with somebody who takes it. */
  readonly #due = new Set<Feed>();
  #isReading = false;
  #isClosed = false;
  #size = 0;
  /** Reads under way. */
  #reads = 0;
  #onIdle: (() => void) | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Streams open now. */
  get size(): number {
    return this.#size;
  }

  /** The accounts that are followed, each with the position up to which it was read for all. */
  positions(): Position[] {
    return Array.from(this.#feeds.values(), ({ accountId, position }) => ({
      accountId,
      since: position,
    }));
  }

  /** Begins to write an account's frames after `since` to a sink. */
  follow({ accountId, since }: Position, sink: FrameSink): Subscription {
    const known = this.#feeds.get(accountId);
    const feed = known ?? { accountId, followers: new Set(), position: -1, isHinted: false };
    if (!known) this.#feeds.set(accountId, feed);
    const follower = new Follower(this, sink, { feed, since });
    feed.followers.add(follower);
    this.#size += 1;
    if (this.#isClosed) follower.end();
    else this.catchUp(follower);
    return follower;
  }

  /** An account's events may have grown. */
  hint(accountId: string): void {
    const feed = this.#feeds.get(accountId);
    if (!feed) return;
    feed.isHinted = true;
    this.#schedule(feed);
  }

  /** Writes a frame that is stored nowhere to who follows an account now. */
  signal(accountId: string, frame: Buffer): void {
    for (const follower of this.#feeds.get(accountId)?.followers ?? []) follower.signal(frame);
  }

  /** The events of all accounts may have grown. */
  hintAll(): void {
    for (const accountId of this.#feeds.keys()) this.hint(accountId);
  }

  /** Ends all streams; resolves when no read is under way, after three seconds at most. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { followers } of this.#feeds.values()) {
      for (const follower of followers) follower.end();
    }
    if (this.#reads === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onIdle = resolve;
    const timer = setTimeout(resolve, CLOSING_MS_MAX);
    await promise;
    clearTimeout(timer);
  }

  /** Lets a stream read what it missed by itself, then take part in what is read for all. */
  catchUp(follower: Follower): void {
    follower.state = 'behind';
    void this.#readBacklog(follower);
  }

  remove(follower: Follower): void {
    if (follower.state === 'gone') return;
    follower.state = 'gone';
    this.#size -= 1;
    const { feed } = follower;
    feed.followers.delete(follower);
    if (feed.followers.size > 0) return;
    this.#feeds.delete(feed.accountId);
    this.#due.delete(feed);
  }

  async #readBacklog(follower: Follower): Promise<void> {
    const { feed } = follower;
    try {
      while (follower.hasBacklog || follower.position < feed.position) {
        const position = { accountId: feed.accountId, since: follower.position };
        const page = await this.#read(() => this.#deps.readOwn(position));
        if (follower.state === 'gone') return;
        follower.hasBacklog = !page.isLast;
        follower.take(page);
        if (follower.state === 'full') return;
      }
    } catch (error) {
      if (follower.state === 'gone') return;
      this.#deps.report(error);
      follower.end();
      return;
    }
    if (!hasCurrent(feed)) feed.position = follower.position;
    follower.state = 'current';
    if (feed.isHinted) this.#schedule(feed);
  }

  #schedule(feed: Feed): void {
    // Whoever becomes current later finds the hint.
    if (!hasCurrent(feed)) return;
    this.#due.add(feed);
    if (!this.#isReading) void this.#readDue();
  }

  /** Reads what is due, one statement after the other; what is hinted meanwhile shares the next. */
  async #readDue(): Promise<void> {
    this.#isReading = true;
    while (this.#due.size > 0) {
      const feeds = [...this.#due.values().take(ACCOUNTS_MAX)];
      for (const feed of feeds) {
        this.#due.delete(feed);
        feed.isHinted = false;
      }
      await this.#readShared(feeds);
    }
    this.#isReading = false;
  }

  async #readShared(feeds: readonly Feed[]): Promise<void> {
    const positions = feeds.map(({ accountId, position }) => ({ accountId, since: position }));
    let pages: readonly Page[];
    try {
      pages = await this.#read(() => this.#deps.readShared(positions));
    } catch (error) {
      // The streams stay open; the next look finds what was not read.
      for (const feed of feeds) feed.isHinted = true;
      this.#deps.report(error);
      return;
    }
    for (const [index, feed] of feeds.entries()) {
      const page = pages[index];
      if (page) this.#share(feed, page);
    }
  }

  #share(feed: Feed, page: Page): void {
    for (const follower of feed.followers) if (follower.state === 'current') follower.take(page);
    feed.position = page.upTo;
    if (!page.isLast) this.hint(feed.accountId);
  }

  async #read<T>(work: () => Promise<T>): Promise<T> {
    this.#reads += 1;
    try {
      return await work();
    } finally {
      this.#reads -= 1;
      if (this.#reads === 0) this.#onIdle?.();
    }
  }
}

const hasCurrent = ({ followers }: Feed): boolean =>
  followers.values().some(({ state }) => state === 'current');

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

/** A published event as it is stored; of messages, `data` has only what the columns have not. */
export type EventRow = {
  position: number;
  kind: string;
  message_id: string | null;
  token_id: string | null;
  peer: string | null;
  status: string | null;
  data: object | null;
};

/** The facts of an event as open tabs receive them: a LiveEvent, unless it was stored in another shape. */
export function factsOf({ kind, message_id, token_id, peer, status, data }: EventRow): object {
  if (message_id === null || token_id === null || status === null) return { ...data, kind };
  return {
    kind,
    id: publicId('message', message_id),
    token_id: publicId('token', token_id),
    peer,
    direction: status === 'received' ? 'in' : 'out',
    status,
    ...data,
  };
}
