import type { Random } from '#tests/chaos/faults/random.ts';
import type { Sender, Senders } from './senders.ts';

/** A message to send. Its unique text identifies it everywhere. */
export type RequestedMessage = {
  text: string;
  to: string;
  ref: string | undefined;
  /** `open` until a definite answer. */
  outcome: 'open' | 'accepted' | 'refused';
  id: string | undefined;
  code: string | undefined;
};

export type SendRequest = {
  name: string;
  sender: Sender;
  key: string | undefined;
  many: boolean;
  messages: readonly RequestedMessage[];
  sendAt: string | undefined;
  /** Seconds within which the messages may leave; kills let it expire. */
  ttl: number | undefined;
  /** Cancelled by its client as soon as it is accepted. */
  cancel: boolean;
  cancelled: boolean;
  /** Sent twice at the same moment: its answers may overtake each other. */
  raced: boolean;
  unsure: number;
  /** The first 202 under a key; every later one must equal it. */
  first: string | undefined;
};

/** Without a key or refs a repeat would be another request, so it must not be repeated. */
export const isSafe = (request: SendRequest): boolean =>
  request.key !== undefined || request.messages.every(({ ref }) => ref !== undefined);

/** Maximum per token of numbers whose fixed outcome delays their lane. */
const slowMost: Readonly<Record<string, number>> = {
  '62800000004': 2,
  '62800000005': 1,
  '62800000006': 1,
  '62800000007': 2,
  '62800000008': 3,
};
/**
 * Phones that are offline while the app is killed: their receipts come only after they return, so no receipt saves a
 * message of a dead sender from being sent again.
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
/** Longer than a run: the nemesis decides when it expires. */
const TTL_SECONDS = 600;
/** Tokens in use at one time; they change, so that new lanes are busy at every kill. */
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
  next: (client: number, random: Random, progress: number) => SendRequest;
};

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
    // A few phones that receive many messages, and many that receive one.
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
