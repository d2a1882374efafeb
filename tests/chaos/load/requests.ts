import type { Random } from '#tests/chaos/faults/random.ts';
import type { Sender, Senders } from './senders.ts';

/** One message somebody wants sent. Its text is like no other: by it the message is known anywhere. */
export type RequestedMessage = {
  text: string;
  to: string;
  ref: string | undefined;
  /** What the answers say: `open` while none was definite. */
  outcome: 'open' | 'accepted' | 'refused';
  /** The message's id, once one was told. */
  id: string | undefined;
  /** Why it was refused. */
  code: string | undefined;
};

/** One request of a client, repeated as it is until it is answered. */
export type SendRequest = {
  name: string;
  sender: Sender;
  key: string | undefined;
  /** Sent as `{ messages: […] }`. */
  many: boolean;
  messages: readonly RequestedMessage[];
  sendAt: string | undefined;
  /** Until when they may leave, in seconds; killings let it run out. */
  ttl: number | undefined;
  /** Withdrawn by its client as soon as it is accepted. */
  cancel: boolean;
  cancelled: boolean;
  /** Sent twice at the same moment: its answers may overtake each other. */
  raced: boolean;
  /** Tries that ended without a word on what became of them. */
  unsure: number;
  /** The first 202 under a key, as every later one must read. */
  first: string | undefined;
};

/** Without a key or refs a repeat would be another request, so nobody repeats it. */
export const isSafe = (request: SendRequest): boolean =>
  request.key !== undefined || request.messages.every(({ ref }) => ref !== undefined);

/** Numbers with a fixed outcome that holds its lane up: so many per token, at most. */
const slowMost: Readonly<Record<string, number>> = {
  '62800000004': 2,
  '62800000005': 1,
  '62800000006': 1,
  '62800000007': 2,
  '62800000008': 3,
};
/**
 * Phones that are away while the app is killed: what they took is confirmed only when they are back, so
 * a message whose sender died has no receipt to save it from being sent again.
 */
export const awayPhones: readonly string[] = Array.from(
  { length: 60 },
  (_, n) => `6281900000${String(n).padStart(3, '0')}`,
);
const quick = ['62800000001', '62800000002', '62800000003'] as const;
const NEVER_ANSWERS = '62800000006';
/** …006 takes a dozen seconds: only early in a run. */
const SILENT_UNTIL = 0.3;
const MANY_MOST = 50;
/** Longer than a run: it runs out when the nemesis says so. */
const TTL_SECONDS = 600;
/** Tokens in use at one time; they move on, so that fresh lanes are busy at every kill. */
const IN_USE = 6;

type Way = { key: boolean; refs: boolean; many: boolean };
const ways: readonly Way[] = [
  ...Array.from({ length: 5 }, () => ({ key: true, refs: false, many: false })),
  ...Array.from({ length: 3 }, () => ({ key: false, refs: true, many: false })),
  ...Array.from({ length: 2 }, () => ({ key: true, refs: true, many: false })),
  ...Array.from({ length: 4 }, () => ({ key: true, refs: false, many: true })),
  ...Array.from({ length: 3 }, () => ({ key: false, refs: true, many: true })),
  ...Array.from({ length: 2 }, () => ({ key: true, refs: true, many: true })),
  { key: false, refs: false, many: false },
  { key: false, refs: false, many: true },
];

export type Workload = {
  /** The next request of a client. @param progress of the run, from 0. */
  next: (client: number, random: Random, progress: number) => SendRequest;
};

/** Generates requests: every way to send, ordinary phones and those with fixed outcomes, short wallets. */
export function createWorkload({ free, short }: Senders): Workload {
  const slow = new Map<string, number>();
  let count = 0;

  const phoneFor = (sender: Sender, random: Random, progress: number): string => {
    if (random.chance(0.12)) return random.pick(quick);
    const to = random.pick(Object.keys(slowMost));
    const used = slow.get(sender.tokenId + to) ?? 0;
    const allowed = to !== NEVER_ANSWERS || progress < SILENT_UNTIL;
    if (random.chance(0.15) && allowed && used < (slowMost[to] ?? 0)) {
      slow.set(sender.tokenId + to, used + 1);
      return to;
    }
    if (random.chance(0.25)) return random.pick(awayPhones);
    // A few phones that are written to often, and many that are written to once.
    if (random.chance(0.2)) return `62818000000${random.whole(0, 4)}`;
    return `6281${random.whole(100_000_000, 899_999_999)}`;
  };
  const senderAt = (random: Random, progress: number): Sender => {
    if (random.chance(0.2)) return random.pick(short);
    const from = Math.floor(Math.min(progress, 1) * (free.length - IN_USE));
    return random.pick(free.slice(from, from + IN_USE));
  };
  const next: Workload['next'] = (client, random, progress) => {
    const name = `c${client}-${++count}`;
    const way = random.pick(ways);
    const sender = senderAt(random, progress);
    const cancel = way.key && !way.many && random.chance(0.1);
    const later = way.key && random.chance(0.08) ? random.whole(1_500, 4_000) : undefined;
    const afterMs = cancel ? 3_600_000 : later;
    const messages = Array.from(
      { length: way.many ? random.whole(2, MANY_MOST) : 1 },
      (_, n): RequestedMessage => {
        const to = cancel ? '6281200000001' : phoneFor(sender, random, progress);
        const text = `${name}.${n}`;
        return {
          text,
          to,
          ref: way.refs ? `ref ${text}` : undefined,
          outcome: 'open',
          id: undefined,
          code: undefined,
        };
      },
    );
    return {
      name,
      sender,
      key: way.key ? `key-${name}` : undefined,
      many: way.many,
      messages,
      sendAt: afterMs === undefined ? undefined : new Date(Date.now() + afterMs).toISOString(),
      ttl: !cancel && later === undefined && random.chance(0.4) ? TTL_SECONDS : undefined,
      cancel,
      cancelled: false,
      raced: false,
      unsure: 0,
      first: undefined,
    };
  };
  return { next };
}

/** The body of the request: the same at every try. */
export function bodyOf({ many, messages, sendAt, ttl }: SendRequest): object {
  const bodies = messages.map(({ text, to, ref }) => ({
    to,
    text: { body: text },
    ...(ref !== undefined && { ref }),
    ...(sendAt !== undefined && { send_at: sendAt }),
    ...(ttl !== undefined && { ttl }),
  }));
  return many ? { messages: bodies } : (bodies[0] ?? {});
}
