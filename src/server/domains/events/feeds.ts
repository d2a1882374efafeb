import type { FrameSink, Subscription } from '#server/infra/acts.ts';
import { LiveEvent } from '#contract/events.ts';
import type { Tag } from '#server/infra/postgres/sql.ts';
import { isLiveKind } from './outbox.ts';
import { publicId } from '#contract/base/ids.ts';

const ACCOUNTS_MAX = 100;
/** The time that `close` waits for reads in progress. */
const CLOSING_MS_MAX = 3_000;

type Deps = {
  /** Reads new events of several accounts for all their streams: a page each, in the same order. */
  readShared: (positions: readonly Position[]) => Promise<readonly Page[]>;
  readOwn: (position: Position) => Promise<Page>;
  report: (trouble: unknown) => void;
};

type Feed = {
  readonly accountId: string;
  readonly followers: Set<Follower>;
  /** The account was read up to here; a `current` stream is at this position or later. */
  position: number;
  isHinted: boolean;
};

/**
 * `behind`: reads its own backlog until it catches up. `current`: gets the shared reads. `full`: its sink accepts
 * nothing now, and it is behind once the sink drains. `gone`: gets nothing more.
 */
type State = 'behind' | 'current' | 'full' | 'gone';

/** One stream. It gets the account's positions after its own, in order and once, or a reset. */
class Follower implements Subscription {
  readonly feed: Feed;
  readonly #feeds: Feeds;
  readonly #sink: FrameSink;
  position: number;
  state: State = 'behind';
  hasBacklog = true;

  constructor(feeds: Feeds, sink: FrameSink, { feed, since }: { feed: Feed; since: number }) {
    this.#feeds = feeds;
    this.#sink = sink;
    this.feed = feed;
    this.position = since;
  }

  take(page: Page): void {
    if (page.isReset ? this.position === page.upTo : this.position >= page.upTo) return;
    const bytes = page.bytes(this.position);
    this.position = page.upTo;
    if (bytes.length === 0 || this.#sink.write(bytes) || this.state === 'gone') return;
    this.state = 'full';
  }

  signal(frame: Buffer): void {
    if (this.state !== 'current' || this.#sink.write(frame)) return;
    // The write may have ended the stream.
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
 * Reads the events of accounts once for all their streams here. A stream that joins, or was full for a while, first
 * reads its own backlog: it delays no other stream and needs no queue.
 */
export class Feeds {
  readonly #deps: Deps;
  readonly #feeds = new Map<string, Feed>();
  readonly #due = new Set<Feed>();
  #isReading = false;
  #isClosed = false;
  #size = 0;
  #reads = 0;
  #onIdle: (() => void) | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  get size(): number {
    return this.#size;
  }

  positions(): Position[] {
    return Array.from(this.#feeds.values(), ({ accountId, position }) => ({
      accountId,
      since: position,
    }));
  }

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

  hint(accountId: string): void {
    const feed = this.#feeds.get(accountId);
    if (!feed) return;
    feed.isHinted = true;
    this.#schedule(feed);
  }

  signal(accountId: string, frame: Buffer): void {
    for (const follower of this.#feeds.get(accountId)?.followers ?? []) follower.signal(frame);
  }

  hintAll(): void {
    for (const accountId of this.#feeds.keys()) this.hint(accountId);
  }

  /** Ends all streams; resolves when no read is in progress, after three seconds at most. */
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
    // A stream that becomes current later finds the hint.
    if (!hasCurrent(feed)) return;
    this.#due.add(feed);
    if (!this.#isReading) void this.#readDue();
  }

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
      // The streams stay open; the next look retries the failed read.
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

/** With more missed events than this, the tab refetches everything instead. */
const BEHIND_MAX = 500;
/** Events of an account per read, and so the most that wait for a full stream. */
const PAGE_EVENTS = 100;

/** A position in an account's events: `since` is the newest event already received. */
export type Position = { accountId: string; since: number };

type Frame = { position: number; text: string };

/** An account's events after a position, encoded once for all its streams. */
export type Page = {
  /** The reader's position after this page; lower than before when the database was restored. */
  readonly upTo: number;
  /** The client must refetch everything. */
  readonly isReset: boolean;
  /** No later events existed at the time of the read. */
  readonly isLast: boolean;
  /** All frames, or those after a position, in the format of `docs/wire.md#live-stream`. */
  bytes(after?: number): Buffer;
};

export type Shown = {
  isShown: (accountId: string, kind: string) => boolean;
  report: (bug: unknown) => void;
  onRead?: (events: readonly EventRow[]) => void;
};

type Row = { accountId: string; last: number } & (EventRow | { position: null });

/**
 * Reads the events after each position, up to 100 per account, in one statement. A reader that missed more than 500,
 * or is at a position the account never reached, gets a `reset` at the newest position.
 *
 * @param sql sees all these accounts.
 * @param shown selects the events; `report` gets those that are not a `LiveEvent`, which are skipped.
 * @returns a page per position, in their order; no account twice.
 */
export async function readPages(
  sql: Tag,
  positions: readonly Position[],
  shown: Shown,
): Promise<Page[]> {
  const rows = await sql<Row[]>`
    select o_account as "accountId", o_last as last, o_position as position, o_kind as kind,
      o_message as message_id, o_token as token_id, o_peer as peer, o_status as status,
      o_data as data
    from read_events(
      ${positions.map(({ accountId }) => accountId)}::uuid[],
      ${positions.map(({ since }) => since)}::bigint[], ${BEHIND_MAX}, ${PAGE_EVENTS}
    )`;
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
    // Erased events leave gaps in the positions.
    upTo: isLast ? last : (events.at(-1)?.position ?? last),
    isReset: false,
    isLast,
    bytes: (after = since) =>
      after <= since ? all : encode(frames.filter(({ position }) => position > after)),
  };
}

/** The frame for a row; undefined, and reported, for an event outside the contract. */
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
  report(new Error(`the event ${kind} does not match its schema`, { cause: event.error }));
  return undefined;
}

/** The frame of an unstored event. @throws ZodError for an event outside the contract. */
export const signalFrame = (given: unknown): Buffer => {
  const event = LiveEvent().parse(given);
  return Buffer.from(`event: ${event.kind}\ndata: ${JSON.stringify(event)}\n\n`);
};

const frameText = (position: number, kind: string, data: string): string =>
  `id: ${position}\nevent: ${kind}\ndata: ${data}\n\n`;

/** A published event as stored; for messages, `data` holds only values without a column. */
export type EventRow = {
  position: number;
  kind: string;
  message_id: string | null;
  token_id: string | null;
  peer: string | null;
  status: string | null;
  data: object | null;
};

/** The facts of an event for open tabs: a LiveEvent, unless it was stored in another shape. */
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
