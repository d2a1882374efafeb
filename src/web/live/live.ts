import type { QueryClient } from '@tanstack/react-query';
import { events, LiveEvent } from '#contract/events.ts';
import { uuidOf } from '#contract/base/ids.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { performStream } from '#web/api/act.ts';
import type { Frame } from '#web/live/frames.ts';
import { forgetAtSignOut, keep, kept } from '#web/browser/storage.ts';
import { liveCache } from '#web/live/cache.ts';
import { followStream } from '#web/live/stream.ts';
import { userQuery } from '#web/api/user.ts';

/** The lock of the one tab that holds the stream, and the channel by which the others hear of it. */
const NAME = 'kabari-live';
/** A message older than this is no news any more: it came while the line was down. */
const NEWS_MS = 60_000;
/** So long the other tabs have to say that somebody sees a message there. */
const SEEN_MS = 250;
/** A tab that was asleep does not make up for what others have long told. */
const LATE_MS = 3_000;

export type Received = Extract<LiveEvent, { kind: 'message.received' }>;

type Heard = {
  /** A message came in just now; told in every tab. True when somebody has it before their eyes here. */
  onMessage: (message: Received) => boolean;
  /** Nobody has it before their eyes in any tab; told in one tab only. */
  onUnseen: (message: Received) => void;
};

/** What tabs tell each other. */
type Word =
  | { kind: 'frame'; frame: Frame; at: number; skewMs: number }
  | { kind: 'position'; position: number }
  | { kind: 'seen'; messageId: string }
  | { kind: 'hello' };

/**
 * Keeps this tab current: one stream per browser, in one tab; the others hear of it by a channel and
 * take its place when it closes. Where the browser has no locks (plain http), each tab has its own.
 *
 * @returns how to stop
 */
export function startLive(client: QueryClient, userId: string, heard: Heard): () => void {
  const stop = new AbortController();
  const { signal } = stop;
  const cache = liveCache(client);
  // A tab that has not noticed yet that somebody else signed in is not listened to.
  const name = `${NAME} ${userId}`;
  const channel = 'BroadcastChannel' in globalThis ? new BroadcastChannel(name) : undefined;
  const say = (word: Word) => channel?.postMessage(word);
  let position = keptPosition(userId);
  let leads = false;
  /** Messages that somebody sees in another tab, for the moment in which that matters. */
  const seen = new Set<string>();

  const hear = (message: Received) => {
    if (heard.onMessage(message)) return say({ kind: 'seen', messageId: message.id });
    if (!leads) return;
    setTimeout(() => {
      if (!seen.delete(message.id) && !signal.aborted) heard.onUnseen(message);
    }, SEEN_MS);
  };
  const take = (frame: Frame, at: number, skewMs: number) => {
    position = frame.position ?? position;
    if (frame.event === 'reset') return cache.reset();
    const event = eventOf(frame);
    if (!event) return;
    cache.take(event);
    if (event.kind !== 'message.received' || Date.now() - at > LATE_MS) return;
    if (isNews(event.id, Date.now() + skewMs)) hear(event);
  };
  channel?.addEventListener('message', ({ data }: MessageEvent<Word>) => {
    if (data.kind === 'hello') {
      if (leads && position !== undefined) say({ kind: 'position', position });
    } else if (data.kind === 'seen') {
      if (!leads) return;
      seen.add(data.messageId);
      setTimeout(() => seen.delete(data.messageId), LATE_MS);
    }
    // Without locks every tab has a stream of its own.
    if (leads) return;
    if (data.kind === 'frame') take(data.frame, data.at, data.skewMs);
    if (data.kind === 'position') position = data.position;
  });
  say({ kind: 'hello' });

  const lead = () => {
    leads = true;
    let skewMs = 0;
    return followStream({
      open: (since, line) => performStream(events, { since }, line),
      since: () => position,
      onOpen: (response) => (skewMs = skewOf(response)),
      onFrame: (frame) => {
        const at = Date.now();
        say({ kind: 'frame', frame, at, skewMs });
        take(frame, at, skewMs);
      },
      patienceMs: (error) => patience(client, error),
      onWake,
      signal,
    });
  };
  void inOneTab(name, lead, signal);

  const keepPosition = () => keep('tab', 'position', JSON.stringify([userId, position]));
  window.addEventListener('pagehide', keepPosition);
  const stopForgetting = forgetAtSignOut();
  return () => {
    window.removeEventListener('pagehide', keepPosition);
    stopForgetting();
    stop.abort();
    cache.stop();
    channel?.close();
  };
}

/** Does something in one tab of this browser at a time, this one or another, until `signal` aborts. */
async function inOneTab(
  name: string,
  lead: () => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const { locks } = navigator as { locks?: LockManager };
  if (!locks) return lead();
  try {
    await locks.request(name, { signal }, lead);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** Where this tab was before it was loaded again: nothing is missed, and nothing asked for twice. */
function keptPosition(userId: string): number | undefined {
  try {
    const [whose, position] = JSON.parse(kept('tab', 'position') ?? '[]') as unknown[];
    return whose === userId && typeof position === 'number' ? position : undefined;
  } catch {
    return undefined;
  }
}

function eventOf({ event: kind, data }: Frame): LiveEvent | undefined {
  try {
    const read = LiveEvent.safeParse(JSON.parse(data));
    return read.success && read.data.kind === kind ? read.data : undefined;
  } catch {
    return undefined;
  }
}

/** When an id was made, in milliseconds, by the server's clock: UUIDv7 begins with it. */
export function madeAt(messageId: string): number {
  const uuid = uuidOf('message', messageId) ?? '';
  return Number.parseInt(uuid.replaceAll('-', '').slice(0, 12), 16);
}

/** Whether a message came just now, by the server's clock. */
export const isNews = (messageId: string, serverNow: number): boolean =>
  serverNow - madeAt(messageId) < NEWS_MS;

/** How far the server's clock is ahead of ours, to the second; 0 when it does not say. */
function skewOf(response: Response): number {
  const date = Date.parse(response.headers.get('date') ?? '');
  return Number.isNaN(date) ? 0 : date - Date.now();
}

/** How long to leave the server in peace after a refusal; `undefined` when the session is over. */
function patience(client: QueryClient, error: unknown): number | undefined {
  if (!(error instanceof Refusal)) return 0;
  if (error.code === 'not_signed_in') {
    void client.resetQueries({ queryKey: userQuery.queryKey });
    return undefined;
  }
  return 'seconds' in error.facts ? error.facts.seconds * 1000 : 0;
}

function onWake(wake: () => void): () => void {
  const seen = () => {
    if (!document.hidden) wake();
  };
  window.addEventListener('online', wake);
  document.addEventListener('visibilitychange', seen);
  return () => {
    window.removeEventListener('online', wake);
    document.removeEventListener('visibilitychange', seen);
  };
}
