import { createHash } from 'node:crypto';
import { inAccount } from '#server/infra/postgres/distribution/scope.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { withTimeout } from '#server/infra/with-timeout.ts';
import { BATCHER_LIMITS, WalletBatcher } from '#server/domains/ledger/ledger.ts';
import { placeGroups } from './accept-sql.ts';
import type { SendRequest, Placed, Answer } from './send-request.ts';
import { type TracedJob, traceAccepted } from './trace-accepted.ts';
import type { Tracing } from '#server/infra/observability/tracing/tracing.ts';
import type { Sql } from '#server/infra/postgres/database.ts';

type Job = TracedJob & { size: number };

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

type AccepterOptions = {
  /** False: a batch has one account's requests only, as a distributed database needs. */
  isAcrossAccounts?: boolean;
  /** Called with how many messages were accepted by a request. */
  onAccepted?: (messages: number) => void;
  tracing?: Tracing | undefined;
};

/**
 * Opens the accept path over a pool.
 *
 * @param onPlaced called after each COMMIT, with the tokens whose lanes may have new work.
 */
export function openAccepter(
  sql: Sql,
  onPlaced: (tokenIds: readonly string[]) => void,
  { isAcrossAccounts = true, onAccepted = () => undefined, tracing }: AccepterOptions = {},
): Accepter {
  const batcher = new WalletBatcher<Job, Answer>(
    async (groups) => {
      const requests = groups.map(({ jobs }) => jobs.map((job) => job.request));
      const tokenIds = [...new Set(requests.flat().map(({ tokenId }) => tokenId))];
      const began = performance.now();
      const place = () => placeGroups(sql, requests);
      const [alone] = requests.flat();
      const answers = await (isAcrossAccounts || !alone
        ? place()
        : inAccount(alone.accountId, place));
      if (tracing) traceAccepted(tracing, { began, groups, answers });
      onPlaced(tokenIds);
      const later = answers.filter((answer) => answer instanceof Promise);
      if (later.length > 0) void Promise.allSettled(later).then(() => onPlaced(tokenIds));
      return answers;
    },
    { ...BATCHER_LIMITS, ...(!isAcrossAccounts && { walletsMax: 1, batches: 8 }) },
  );
  const inFlight = new Map<string, { hash: Buffer; done: Promise<Placed> }>();

  const submit = async (request: SendRequest): Promise<Placed> => {
    const { accountId, items } = request;
    const cause = tracing?.cause();
    const answer = await batcher.submit(accountId, { request, cause, size: items.length });
    if (answer instanceof Error) throw answer;
    if (!answer.replayed) {
      onAccepted(answer.results.filter(({ outcome }) => outcome === 'accepted').length);
    }
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
