import { createHash } from 'node:crypto';
import { inAccount } from '#server/infra/postgres/distribution/scope.ts';
import { Refusal, type RefusalCode } from '#contract/base/refusals.ts';
import { withTimeout } from '#server/infra/with-timeout.ts';
import { BATCHER_LIMITS, WalletBatcher } from '#server/domains/ledger/ledger.ts';
import type { Tracing, RequestTrace, Step } from '#server/infra/observability/tracing/tracing.ts';
import {
  type Sql,
  type Fragment,
  isLocked,
  isOutOfResources,
  isTransient,
  retrying,
} from '#server/infra/postgres/database.ts';
import { type Rupiah, rupiah } from '#contract/base/money.ts';
import { json } from '#server/infra/postgres/sql.ts';
import type { CloudPrices } from '#server/domains/pricing/pricing.ts';

type Job = TracedJob & { size: number };

export type Intake = {
  /**
   * Accepts a request's messages, holds their price and queues them; answers after COMMIT.
   * Items are tried in order; each is accepted when the saldo, the token's daily limit and its own checks allow it. The
   * same key with the same hash gets the first answer again.
   * A request that breaks its batch fails alone; the others are accepted.
   *
   * @throws Refusal `idempotency_conflict`, `request_in_flight`, `queue_full`, `wallet_frozen`.
   */
  accept: (request: SendRequest) => Promise<Placed>;
  waiting: () => number;
  close: () => Promise<void>;
};

/** Wait of a repeat for the first request with the same key. */
const IN_FLIGHT_WAIT_MS = 5000;

export const hashOf = (value: unknown): Buffer =>
  createHash('sha256').update(JSON.stringify(value)).digest();

type IntakeOptions = {
  /** False: a batch has one account's requests only, as a distributed database needs. */
  isAcrossAccounts?: boolean;
  onAccepted?: (messages: number) => void;
  tracing?: Tracing | undefined;
};

/**
 * Opens the accept path over a pool.
 *
 * @param onPlaced called after each COMMIT, with the tokens whose lanes may have new work.
 */
export function openIntake(
  sql: Sql,
  onPlaced: (tokenIds: readonly string[]) => void,
  { isAcrossAccounts = true, onAccepted = () => undefined, tracing }: IntakeOptions = {},
): Intake {
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

  const accept = async (request: SendRequest): Promise<Placed> => {
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
  return { accept, waiting: () => batcher.waiting, close: () => batcher.close() };
}

function refuseInFlight(): never {
  throw new Refusal('request_in_flight', { seconds: 1 });
}

type TracedJob = { request: SendRequest; cause?: RequestTrace | undefined };

type Batch = {
  began: number;
  groups: readonly { jobs: readonly TracedJob[] }[];
  answers: readonly (readonly Answer[] | Promise<readonly Answer[]>)[];
};

/**
 * Begins the traces of a batch's accepted messages; those of a slower wallet once it has answered.
 */
function traceAccepted(tracing: Tracing, { began, groups, answers }: Batch): void {
  const record = (pairs: readonly Pair[]) => {
    const requests = pairs.flatMap(([{ jobs }, answered]) =>
      jobs.map(({ request, cause }, index) => ({
        cause,
        messages: acceptedOf(request, answered[index]),
      })),
    );
    tracing.created({ operation: 'accept', began, requests });
  };
  const answered: Pair[] = [];
  for (const [index, group] of groups.entries()) {
    const answer = answers[index] ?? [];
    if (answer instanceof Promise) {
      answer.then((later) => record([[group, later]])).catch(() => undefined);
    } else answered.push([group, answer]);
  }
  record(answered);
}

type Pair = readonly [{ jobs: readonly TracedJob[] }, readonly Answer[]];

function acceptedOf({ accountId, items }: SendRequest, answer: Answer | undefined): Step[] {
  if (answer === undefined || answer instanceof Error || answer.replayed) return [];
  return answer.results.flatMap(({ id, outcome }, index) => {
    const item = items[index];
    if (outcome !== 'accepted' || !item) return [];
    return [{ messageId: id, account: accountId, token: item.tokenId, type: item.type }];
  });
}

type StoredAnswer = {
  o_saldo: number | null;
  o_ids: string[] | null;
  o_outcomes: ItemResult[] | null;
  o_context: AnswerContext | null;
};

type Row = StoredAnswer & {
  o_request: number;
  o_item: number;
  o_id: string | null;
  o_outcome: Outcome | 'replayed' | 'conflict';
  o_fact: number | null;
  o_price: number | null;
};

/**
 * Accepts the requests of any number of wallets: in one call if they fit whole, else wallet by wallet. A wallet that is
 * locked for long sends all of them the second way.
 */
export async function placeGroups(
  sql: Sql,
  groups: readonly (readonly SendRequest[])[],
): Promise<(readonly Answer[] | Promise<readonly Answer[]>)[]> {
  try {
    const together = await placeMany(sql, groups.flat());
    return groups.map((requests) => {
      const rest = requests.filter((request) => !together.has(request));
      return rest.length === 0
        ? merged(requests, together)
        : placeRemaining(sql, requests, rest, together);
    });
  } catch (error) {
    if (isLocked(error)) return groups.map((requests) => placeWithRecovery(sql, requests));
    if (affectsAll(error)) return groups.map((requests) => failAll(requests, error));
    return groups.map((requests) => placeAfterFailure(sql, requests));
  }
}

async function placeRemaining(
  sql: Sql,
  requests: readonly SendRequest[],
  rest: readonly SendRequest[],
  together: ReadonlyMap<SendRequest, Answer>,
): Promise<readonly Answer[]> {
  const remaining = await placeWithRecovery(sql, rest);
  const answers = new Map(together);
  rest.forEach((request, index) => {
    const answer = remaining[index];
    if (answer) answers.set(request, answer);
  });
  return merged(requests, answers);
}

const merged = (
  requests: readonly SendRequest[],
  answers: ReadonlyMap<SendRequest, Answer>,
): Answer[] =>
  requests.map((request) => {
    const answer = answers.get(request);
    if (!answer) throw new Error('a request was not answered');
    return answer;
  });

/**
 * Accepts a wallet's requests, also when the connection is lost in the middle or one of them breaks the call: each
 * request gets an answer of its own.
 */
const placeWithRecovery = (
  sql: Sql,
  requests: readonly SendRequest[],
): Promise<readonly Answer[]> =>
  placeBatch(sql, requests).catch((error: unknown) =>
    affectsAll(error) ? failAll(requests, error) : placeAfterFailure(sql, requests),
  );

/**
 * Accepts a wallet's requests after a call that failed, or may have. The accepted ones are found by their ids, under
 * the wallet's lock, and only the rest is sent again, with the same ids: an unknown outcome never accepts or charges
 * anything twice. When it fails again, bisection finds the request at fault, and it alone fails.
 */
async function placeAfterFailure(
  sql: Sql,
  requests: readonly SendRequest[],
): Promise<readonly Answer[]> {
  try {
    return await retrying(() => placeMissing(sql, requests));
  } catch (error) {
    if (requests.length === 1 || isTransient(error) || affectsAll(error))
      return failAll(requests, error);
  }
  const half = Math.ceil(requests.length / 2);
  const first = await placeAfterFailure(sql, requests.slice(0, half));
  return [...first, ...(await placeAfterFailure(sql, requests.slice(half)))];
}

/** True for a definite refusal that every request would get; bisecting would only take longer. */
const affectsAll = (error: unknown): boolean =>
  hasCode(error, 'WA001') || (isOutOfResources(error) && !isTransient(error));

const failAll = (requests: readonly SendRequest[], error: unknown): Error[] => {
  const cause = error instanceof Error ? error : new Error('placing failed', { cause: error });
  const answer = hasCode(error, 'WA001') ? new Refusal('wallet_frozen', {}) : cause;
  return requests.map(() => answer);
};

async function placeMissing(
  sql: Sql,
  requests: readonly SendRequest[],
): Promise<readonly Answer[]> {
  const accountId = walletOf(requests);
  const ids = requests.flatMap((request) => request.items.map((item) => item.id));
  const placed = await sql<{ o_id: string; o_available: number; o_price: number }[]>`
    select * from find_accepted(${accountId}, ${ids}::uuid[])`;
  const placedPrices = new Map(placed.map((row) => [row.o_id, row.o_price]));
  const saldo = rupiah(placed[0]?.o_available ?? 0);
  // With a key, the first answer is stored under it: the same request returns it. Without one, only the missing items
  // are sent.
  const rest = requests.map((request) =>
    request.key === undefined
      ? { ...request, items: request.items.filter((item) => !placedPrices.has(item.id)) }
      : request,
  );
  const pending = rest.filter((request) => request.items.length > 0);
  let answers: readonly Answer[] = [];
  try {
    if (pending.length > 0) answers = await placeBatch(sql, pending);
  } catch (error) {
    if (hasCode(error, 'WA001')) return placedBeforeFreeze(sql, requests, { placedPrices, saldo });
    throw error;
  }
  const answerTo = new Map(pending.map((request, index) => [request, answers[index]]));
  return requests.map((request, index) => {
    const part = rest[index];
    const answer = part && answerTo.get(part);
    if (answer === undefined) return allAccepted(request, saldo, (id) => placedPrices.get(id));
    if (answer instanceof Error || request.key !== undefined) return answer;
    const found = new Map(part?.items.map((item, at) => [item.id, answer.results[at]]));
    const results = request.items.map(
      ({ id }) => found.get(id) ?? acceptedItem(id, placedPrices.get(id)),
    );
    return { ...answer, results };
  });
}

/**
 * Answers requests whose wallet was frozen after they may have been accepted: accepted items are answered as such, the
 * rest is refused. Accepts nothing more.
 */
async function placedBeforeFreeze(
  sql: Sql,
  requests: readonly SendRequest[],
  { placedPrices, saldo }: { placedPrices: PricesById; saldo: Rupiah },
): Promise<readonly Answer[]> {
  const keyed = requests.filter(({ key }) => key !== undefined);
  const stored = await sql<StoredAnswer[]>`
    select k.message_ids as o_ids, k.outcomes as o_outcomes, k.saldo as o_saldo,
      k.answer_context as o_context
    from unnest(
      ${keyed.map(({ tokenId }) => tokenId)}::uuid[], ${keyed.map(({ key }) => key ?? '')}::text[]
    ) as o(token_id, key)
    join idempotency_keys k on k.account_id = ${walletOf(requests)} and k.token_id = o.token_id
      and k.key = o.key`;
  const own = new Map(stored.map((row) => [row.o_ids?.[0], row]));
  return requests.map((request) => {
    const first = own.get(request.items[0]?.id ?? '');
    if (first) return storedAnswerOf(first, request);
    if (!request.items.some(({ id }) => placedPrices.has(id)))
      return new Refusal('wallet_frozen', {});
    const results = request.items.map(({ id }) =>
      placedPrices.has(id)
        ? acceptedItem(id, placedPrices.get(id))
        : { id, outcome: 'frozen' as const, fact: null, price: null },
    );
    return { ...allAccepted(request, saldo), results };
  });
}

/**
 * The requests as parallel arrays, as both functions take them; the items of a request are `from` … `upto`.
 */
const requestArrays = (
  sql: Sql,
  requests: readonly SendRequest[],
  spans: readonly Span[],
): Fragment => sql`
    ${requests.map((request) => request.key ?? null)}::text[],
    ${requests.map((request) => request.hash)}::bytea[],
    ${requests.map((request) => request.tokenId)}::uuid[],
    ${spans.map((span) => span.from)}::int[],
    ${spans.map((span) => span.upto)}::int[]`;

function itemArrays(sql: Sql, requests: readonly SendRequest[]): Fragment {
  const items = requests.flatMap((request) => request.items);
  return sql`
    ${items.map((item) => item.id)}::uuid[],
    ${items.map((item) => item.tokenId)}::uuid[],
    ${items.map((item) => item.peer)}::text[],
    ${items.map((item) => item.type)}::text[],
    ${items.map((item) => json(item.body))}::jsonb[],
    ${items.map((item) => item.price)}::bigint[],
    ${items.map((item) => item.ref ?? null)}::text[],
    ${items.map((item) => item.hash)}::bytea[],
    ${items.map((item) => item.priority)}::smallint[],
    ${items.map((item) => item.readyAt ?? null)}::timestamptz[],
    ${items.map((item) => item.expiresAt ?? null)}::timestamptz[],
    ${items.map((item) => item.secret ?? null)}::text[],
    ${requests.map(storedContext)}::jsonb[]`;
}

/**
 * The common path over many wallets: requests that fit whole are accepted in one call; the others are left out of the
 * answer, also requests with some free and some charged messages: `accept_many` counts all of them.
 */
async function placeMany(
  sql: Sql,
  given: readonly SendRequest[],
): Promise<Map<SendRequest, Placed>> {
  const requests = given.filter((request) => !isPartlyFree(request));
  if (requests.length === 0) return new Map();
  const spans = spansOf(requests);
  const requestNumbers = requests.flatMap((request, index) => request.items.map(() => index + 1));
  type PlacedRow = { o_request: number; o_saldo: number; o_prices: number[] | null };
  const rows = await sql<PlacedRow[]>`select * from accept_many(
    ${requests.map((request) => request.accountId)}::uuid[], ${requestArrays(sql, requests, spans)},
    ${spans.map((span) => span.price)}::bigint[], ${requestNumbers}::int[],
    ${itemArrays(sql, requests)}
  )`;
  const placed = new Map<SendRequest, Placed>();
  for (const { o_request, o_saldo, o_prices } of rows) {
    const request = requests[o_request - 1];
    if (request) {
      placed.set(
        request,
        allAccepted(request, rupiah(o_saldo), (_, index) => o_prices?.[index]),
      );
    }
  }
  return placed;
}

const isPartlyFree = ({ items }: SendRequest): boolean =>
  items.length > 1 && items.some(({ price }) => (price === 0) !== (items[0]?.price === 0));

type PricesById = ReadonlyMap<string, number | undefined>;

const acceptedItem = (id: string, price: number | undefined): ItemResult => ({
  id,
  outcome: 'accepted',
  fact: null,
  price: price ?? null,
});

const allAccepted = (
  { items, context }: SendRequest,
  saldo: Rupiah,
  priceOf: (id: string, index: number) => number | undefined = () => undefined,
): Placed => ({
  results: items.map(({ id, price }, index) => acceptedItem(id, priceOf(id, index) ?? price)),
  saldo,
  replayed: false,
  context,
});

/** A context is stored only with a key. */
const storedContext = ({ key, context }: SendRequest) =>
  key === undefined || context === undefined ? null : json(context);

const walletOf = ([first]: readonly SendRequest[]): string => first?.accountId ?? '';

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;

async function placeBatch(sql: Sql, requests: readonly SendRequest[]): Promise<Answer[]> {
  const spans = spansOf(requests);
  const rows = await sql<Row[]>`select * from accept_batch(
    ${walletOf(requests)}, ${requestArrays(sql, requests, spans)},
    ${spans.map((span) => span.sum)}::bigint[], ${itemArrays(sql, requests)}
  )`;
  return answersFrom(rows, requests, spans);
}

/** The items of a request, counted from 1; `price` is the request's own, `sum` is cumulative. */
type Span = { from: number; upto: number; price: number; sum: number };

function spansOf(requests: readonly SendRequest[]): Span[] {
  let count = 0;
  let sum = 0;
  return requests.map((request) => {
    const from = count + 1;
    const price = request.items.reduce((total, item) => total + item.price, 0);
    count += request.items.length;
    sum += price;
    return { from, upto: count, price, sum };
  });
}

function answersFrom(
  rows: readonly Row[],
  requests: readonly SendRequest[],
  spans: readonly Span[],
): Answer[] {
  const results: ItemResult[][] = requests.map(() => []);
  const saldos: number[] = requests.map(() => 0);
  const special: (Answer | undefined)[] = requests.map(() => undefined);
  for (const row of rows) {
    const index = row.o_request - 1;
    const request = requests[index];
    if (row.o_outcome === 'conflict') special[index] = new Refusal('idempotency_conflict', {});
    else if (row.o_outcome === 'replayed') special[index] = request && storedAnswerOf(row, request);
    else if (row.o_id !== null) {
      const place = row.o_item - (spans[index]?.from ?? 1);
      const list = results[index];
      const { o_id: id, o_outcome: outcome, o_fact: fact, o_price: price } = row;
      if (list) list[place] = { id, outcome, fact, price };
      saldos[index] = row.o_saldo ?? 0;
    }
  }
  return requests.map(({ context }, index) => {
    const found = results[index] ?? [];
    const saldo = rupiah(saldos[index] ?? 0);
    return special[index] ?? { results: found, saldo, replayed: false, context };
  });
}

/**
 * A request that we sent again after a lost answer finds its own ids under its key: that is no replay.
 */
function storedAnswerOf(stored: StoredAnswer, request: SendRequest): Placed {
  const ids = stored.o_ids ?? [];
  return {
    results: stored.o_outcomes ?? ids.map((id) => acceptedItem(id, undefined)),
    saldo: rupiah(stored.o_saldo ?? 0),
    replayed: ids[0] !== request.items[0]?.id,
    context: stored.o_context ?? undefined,
  };
}

/** Interval of writing the counts; a crash loses at most this much. */
const WRITE_MS = 5_000;

type MinuteCounts = {
  add: (messages: number) => void;
  close: () => Promise<void>;
};

type Deps = { sql: Sql; now: () => Date; report: (trouble: unknown) => void };

/**
 * Counts accepted messages by the minute, in memory, and adds them to `message_minutes` every 5 s.
 */
export function openMinuteCounts({ sql, now, report }: Deps): MinuteCounts {
  let counts = new Map<number, number>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  const write = () => {
    timer = undefined;
    const some = [...counts].sort(([a], [b]) => a - b);
    counts = new Map();
    if (some.length === 0) return;
    writing = writing.then(() => addMinutes(sql, some)).catch(report);
  };
  return {
    add(messages) {
      if (messages === 0) return;
      const minute = Math.floor(now().getTime() / 60_000);
      counts.set(minute, (counts.get(minute) ?? 0) + messages);
      timer ??= setTimeout(write, WRITE_MS).unref();
    },
    async close() {
      clearTimeout(timer);
      write();
      await writing;
    },
  };
}

async function addMinutes(sql: Sql, counts: readonly (readonly [number, number])[]): Promise<void> {
  await sql`
    insert into message_minutes as m (minute, messages)
    select to_timestamp(minute * 60), messages
    from unnest(
      ${counts.map(([minute]) => minute)}::bigint[], ${counts.map(([, n]) => n)}::bigint[]
    ) as c(minute, messages)
    order by minute on conflict (minute) do update set messages = m.messages + excluded.messages`;
}

/** Deletes minute counts after two days, and failure counts after a month. */
export async function pruneCounts(allAccountsSql: Sql, now: Date): Promise<void> {
  const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000);
  await allAccountsSql`delete from message_minutes where minute < ${daysAgo(2)}`;
  await allAccountsSql`delete from failure_counts where hour < ${daysAgo(31)}`;
}

/** One message to accept; its price is frozen here. */
export type Item = {
  id: string;
  tokenId: string;
  peer: string;
  type: string;
  body: object;
  price: Rupiah;
  /** The caller's own reference, unique per account; `hash` is that of its message. */
  ref?: string | undefined;
  hash: Buffer;
  /** 0 otp, 1 normal, 2 bulk */
  priority: number;
  /** Earliest time; default: now. */
  readyAt?: Date | undefined;
  expiresAt?: Date | undefined;
  /** A text that must not be stored in `messages`. */
  secret?: string | undefined;
};

/**
 * Data for writing an answer, besides its results. Stored with the request's key, so that a repeat gets exactly the
 * first answer, regardless of later changes.
 */
export type AnswerContext = {
  /** Time of the request, in ms since 1970: a message due at once then stays so. */
  at: number;
  price: Rupiah;
  cloudPrices?: CloudPrices;
  simulated: boolean;
  language: string;
  /**
   * Fields that the caller added to the answer; a different shape under the same key is another request.
   */
  shape: string;
  /** Messages refused before the others were accepted, by their index in the request. */
  refused?: readonly { index: number; code: RefusalCode; facts: unknown }[];
};

/** One request: all its items are answered together, under one idempotency key. */
export type SendRequest = {
  accountId: string;
  tokenId: string;
  /** The caller's idempotency key, and the hash of the whole request. */
  key?: string | undefined;
  hash: Buffer;
  /** Left out when the first answer is stored elsewhere. */
  context?: AnswerContext | undefined;
  items: readonly Item[];
};

type Outcome =
  | 'accepted'
  | 'duplicate'
  | 'ref_conflict'
  | 'saldo_short'
  | 'limit'
  | 'opted_out'
  | 'not_linked'
  | 'suspended'
  | 'bonus_only'
  | 'frozen';

/** The result of one item; `id` is the first message's for a duplicate. */
export type ItemResult = {
  id: string;
  outcome: Outcome;
  fact: number | null;
  /**
   * Its cost by the account's plan, charged or not; null in old answers, for which the item's price applies.
   */
  price: number | null;
};

export type Placed = {
  results: readonly ItemResult[];
  /** The available saldo after this request. */
  saldo: Rupiah;
  /** True when this key had been answered before: nothing new was accepted. */
  replayed: boolean;
  context: AnswerContext | undefined;
};

/** The answer to a request: its results, the refusal of the whole, or its own error. */
type Answer = Placed | Error;
