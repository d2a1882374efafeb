import { createHash } from 'node:crypto';
import type { Rupiah } from '#contract/base/money.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { withTimeout } from '#server/infra/with-timeout.ts';
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
  /** The caller's own reference, unique per account, and the hash of its message. */
  ref?: string | undefined;
  hash: Buffer;
  /** 0 otp, 1 normal, 2 bulk */
  priority: number;
  /** Not before; left out: now. */
  readyAt?: Date | undefined;
  expiresAt?: Date | undefined;
  /** A text that must not be stored in `messages`. */
  secret?: string | undefined;
};

/**
 * What an answer is written from, beside its results. Stored with the request's key, so that a repeat is
 * exactly the first answer, whatever has changed since.
 */
export type AnswerContext = {
  /** When the request came, in ms since 1970: what was due at once then stays so. */
  at: number;
  price: Rupiah;
  simulated: boolean;
  /** The language its sentences were written in. */
  language: string;
  /** What the caller added to the answer; another one under the same key is another request. */
  shape: string;
};

/** One request: all its items are answered together, under one idempotency key. */
export type SendRequest = {
  accountId: string;
  tokenId: string;
  /** The caller's idempotency key, and the hash of the whole request. */
  key?: string | undefined;
  hash: Buffer;
  /** Left out where the first answer is stored elsewhere. */
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

/** The result of one item; `id` is the first message's for a duplicate. */
export type ItemResult = { id: string; outcome: Outcome; fact: number | null };

export type Placed = {
  results: readonly ItemResult[];
  /** The available saldo after this request. */
  saldo: Rupiah;
  /** True when this key had been answered before: nothing new was placed. */
  replayed: boolean;
  /** The first answer's; `undefined` where none was stored. */
  context: AnswerContext | undefined;
};

/** The answer to a request: its results, the refusal of the whole, or its own error. */
export type Answer = Placed | Error;

type Job = { request: SendRequest; size: number };

export type Accepter = {
  /**
   * Places a request's messages, reserves their price and queues them; answers after COMMIT.
   *
   * Items are tried in order, each one accepted when the saldo, the token's daily limit and its own
   * checks allow it. The same key with the same hash gets the first answer again.
   *
   * A request that breaks its batch fails alone; the others are placed.
   *
   * @throws Refusal `idempotency_conflict`, `request_in_flight`, `queue_full`, `wallet_frozen`.
   */
  place: (request: SendRequest) => Promise<Placed>;
  /** Messages that wait to be placed. */
  waiting: () => number;
  close: () => Promise<void>;
};

/** How long a repeat waits for the first request with the same key. */
const IN_FLIGHT_WAIT_MS = 5000;

/** The hash by which two requests are compared. */
export const hashOf = (value: unknown): Buffer =>
  createHash('sha256').update(JSON.stringify(value)).digest();

/**
 * Opens the accept path over a pool.
 *
 * @param onPlaced called after each COMMIT: lanes may have new work.
 */
export function openAccepter(sql: Sql, onPlaced: () => void): Accepter {
  const batcher = new WalletBatcher<Job, Answer>(async (groups) => {
    const requests = groups.map(({ jobs }) => jobs.map((job) => job.request));
    const answers = await placeGroups(sql, requests);
    onPlaced();
    const later = answers.filter((answer) => answer instanceof Promise);
    if (later.length > 0) void Promise.allSettled(later).then(onPlaced);
    return answers;
  });
  const inFlight = new Map<string, { hash: Buffer; done: Promise<Placed> }>();

  const submit = async (request: SendRequest): Promise<Placed> => {
    const answer = await batcher.submit(request.accountId, { request, size: request.items.length });
    if (answer instanceof Error) throw answer;
    return answer;
  };

  const place = async (request: SendRequest): Promise<Placed> => {
    if (request.key === undefined) return submit(request);
    const name = `${request.accountId} ${request.tokenId} ${request.key}`;
    const first = inFlight.get(name);
    if (first) {
      if (!first.hash.equals(request.hash)) throw new Refusal('idempotency_conflict', {});
      return {
        ...(await withTimeout(first.done, IN_FLIGHT_WAIT_MS, refuseInFlight)),
        replayed: true,
      };
    }
    const done = submit(request);
    inFlight.set(name, { hash: request.hash, done });
    try {
      return await done;
    } finally {
      inFlight.delete(name);
    }
  };
  return { place, waiting: () => batcher.waiting, close: () => batcher.close() };
}

function refuseInFlight(): never {
  throw new Refusal('request_in_flight', { seconds: 1 });
}
