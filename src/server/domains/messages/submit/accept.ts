import { createHash } from 'node:crypto';
import type { Rupiah } from '#contract/base/money.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { WalletBatcher } from '#server/domains/ledger/ledger.ts';
import { placeGroups } from './accept-sql.ts';
import type { Sql } from '#server/infra/postgres/database.ts';

/** One message to place; its price is frozen here. */
export type Item = {
  id: string;
  tokenId: string;
  peer: string;
  type: string;
  body: object;
  price: Rupiah;
  /** The caller's own reference, unique per account, and the hash of what it stood for. */
  ref?: string | undefined;
  hash: Buffer;
  /** 0 otp, 1 normal, 2 bulk */
  priority: number;
  /** Not before; left out: now. */
  readyAt?: Date | undefined;
  expiresAt?: Date | undefined;
  /** A text that must not rest in `messages`. */
  secret?: string | undefined;
};

/**
 * What an answer is written from beside its results. Kept with the request's key, so that a repeat is the
 * first answer to the letter, whatever has changed since.
 */
export type AnswerContext = {
  /** When the request came, in ms since 1970: what was due at once then is not judged anew. */
  at: number;
  price: Rupiah;
  simulated: boolean;
  /** The language its sentences were written in. */
  language: string;
  /** What the caller added to the answer; another one under the same key is another request. */
  shape: string;
};

/** One request: all its items are answered together, under one idempotency key. */
export type Order = {
  accountId: string;
  tokenId: string;
  /** The caller's idempotency key, and the hash of the whole request. */
  key?: string | undefined;
  hash: Buffer;
  /** Left out where whoever keeps the first answer is somebody else. */
  context?: AnswerContext | undefined;
  items: readonly Item[];
};

export type Outcome =
  | 'accepted'
  | 'duplicate'
  | 'ref_conflict'
  | 'saldo_short'
  | 'limit'
  | 'opted_out'
  | 'not_linked'
  | 'suspended'
  | 'frozen';

/** What became of one item; `id` is the first message's for a duplicate. */
export type ItemResult = { id: string; outcome: Outcome; fact: number | null };

export type Placed = {
  results: readonly ItemResult[];
  /** The available saldo after this request. */
  saldo: Rupiah;
  /** True when this key had been answered before: nothing new was placed. */
  replayed: boolean;
  /** The first answer's; `undefined` where none was kept. */
  context: AnswerContext | undefined;
};

/** What an order gets: its results, the refusal of the whole, or the trouble that it alone met. */
export type Answer = Placed | Error;

type Job = { order: Order; size: number };

export type Accepter = {
  /**
   * Places a request's messages, reserves their price and queues them; answers after COMMIT.
   *
   * Items are taken in order, each one accepted when the saldo, the token's daily limit and its own
   * checks allow it. The same key with the same hash gets the first answer again.
   *
   * What breaks a batch is found, and fails its own request only; the others are placed.
   *
   * @throws Refusal `idempotency_conflict`, `request_in_flight`, `queue_full`, `wallet_frozen`.
   */
  place: (order: Order) => Promise<Placed>;
  /** Messages that wait to be placed. */
  waiting: () => number;
  close: () => Promise<void>;
};

const IN_FLIGHT_WAIT_MS = 5000;

/** The hash that tells whether two requests ask the same. */
export const hashOf = (value: unknown): Buffer =>
  createHash('sha256').update(JSON.stringify(value)).digest();

/**
 * Opens the accept path over a pool.
 *
 * @param onPlaced told after each COMMIT: lanes may have new work.
 */
export function openAccepter(sql: Sql, onPlaced: () => void): Accepter {
  const batcher = new WalletBatcher<Job, Answer>(async (groups) => {
    const asked = groups.map(({ jobs }) => jobs.map((job) => job.order));
    const answers = await placeGroups(sql, asked);
    onPlaced();
    const later = answers.filter((answer) => answer instanceof Promise);
    if (later.length > 0) void Promise.allSettled(later).then(onPlaced);
    return answers;
  });
  const inFlight = new Map<string, { hash: Buffer; done: Promise<Placed> }>();

  const submit = async (order: Order): Promise<Placed> => {
    const answer = await batcher.submit(order.accountId, { order, size: order.items.length });
    if (answer instanceof Error) throw answer;
    return answer;
  };

  const place = async (order: Order): Promise<Placed> => {
    if (order.key === undefined) return submit(order);
    const name = `${order.accountId} ${order.tokenId} ${order.key}`;
    const first = inFlight.get(name);
    if (first) {
      if (!first.hash.equals(order.hash)) throw new Refusal('idempotency_conflict', {});
      return { ...(await withTimeout(first.done)), replayed: true };
    }
    const done = submit(order);
    inFlight.set(name, { hash: order.hash, done });
    try {
      return await done;
    } finally {
      inFlight.delete(name);
    }
  };
  return { place, waiting: () => batcher.waiting, close: () => batcher.close() };
}

/** Waits for the first request with the same key, but not for ever. */
async function withTimeout(done: Promise<Placed>): Promise<Placed> {
  const { promise: tooLong, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new Refusal('request_in_flight', { seconds: 1 })),
    IN_FLIGHT_WAIT_MS,
  );
  try {
    return await Promise.race([done, tooLong]);
  } finally {
    clearTimeout(timer);
  }
}
