import { eachByItself, type FailedItem } from '#server/infra/postgres/batches.ts';
import { type Fragment, type Sql, isLocked, retrying } from '#server/infra/postgres/database.ts';
import { inAccount } from '#server/infra/postgres/distribution/scope.ts';
import { gather } from '#server/infra/postgres/gather.ts';
import type { Log } from '#server/infra/observability/log.ts';
import type { Tracing } from '#server/infra/observability/tracing/tracing.ts';
import { AWAIT_MS, type MessageMedia } from '#server/domains/messages/media.ts';
import {
  type Claim,
  LaneLost,
  type Postponed,
  type Result,
  type Settled,
  unread,
} from './attempt.ts';
import type { Receipt } from '#server/domains/channels/channels.ts';

/** Outcome of a message; `lane` fences the worker that tried it. */
export type Outcome = {
  accountId: string;
  lane: Pick<Claim, 'tokenId' | 'epoch'> | undefined;
  id: string;
  outcome: string;
  failure: string | null;
  at: Date;
};

type Unsettled = { isLost: boolean; unknownIds: ReadonlySet<string> };

/**
 * Settles outcomes that belong together: all of an account, or none when it rejects. Those of all lanes and receipts of
 * a process are gathered for some milliseconds.
 */
export type Settle = (outcomes: readonly Outcome[]) => Promise<Unsettled>;

/** No caller needs results and receipts at once, so they are gathered. */
const GATHER = { waitMs: 100, pauseMs: 8, enough: 50 };
const OUTCOMES_MAX = 200;
/** An unreachable database is retried for some 5 s, less than a lease: then the lane stops. */
const SETTLE_TRIES = 8;

export type SettleDeps = {
  sql: Sql;
  /** False: one call per account, as a distributed database needs. */
  isAcrossAccounts?: boolean;
  /**
   * Called after each COMMIT, with tokens whose lanes may send more because a receipt ended a queued message.
   */
  onSettled?: (tokenIds: readonly string[]) => void;
  tracing?: Tracing | undefined;
};

export function openSettle({
  sql,
  isAcrossAccounts = true,
  onSettled = () => undefined,
  tracing,
}: SettleDeps): Settle {
  const settleBy = async (by: Fragment, outcomes: readonly Outcome[]) => {
    const began = performance.now();
    const rows = await settleRows(sql, by, outcomes);
    if (tracing) traceSettled(tracing, began, outcomes, rows);
    return rows;
  };
  const notifyWoken = (rows: readonly AnswerRow[]) => {
    onSettled(rows.filter((row) => row.o_answer === 'woken').map((row) => row.o_id));
    return rows;
  };
  const settleAccount = (accountId: string, outcomes: readonly Outcome[]) =>
    inAccount(accountId, async () => {
      const alone = sql`settle_messages`;
      return notifyWoken(await retrying(() => settleBy(alone, outcomes), { tries: SETTLE_TRIES }));
    });
  const settleTogether = (outcomes: readonly Outcome[]) =>
    retrying(
      () =>
        settleBy(sql`settle_together`, outcomes).catch((error: unknown) => {
          if (!isLocked(error)) throw error;
        }),
      { tries: SETTLE_TRIES },
    );
  return gather<readonly Outcome[], Unsettled>(
    async (settlements) => {
      const outcomes = settlements.flat();
      const byAccount = Map.groupBy(outcomes, ({ accountId }) => accountId);
      if (isAcrossAccounts && byAccount.size > 1) {
        const rows = await settleTogether(outcomes);
        if (rows) {
          notifyWoken(rows);
          return settlements.map(unsettledBy(rows));
        }
      }
      // Each account on its own: a locked or failing one does not delay or harm the others.
      const settling = new Map(
        [...byAccount].map(([accountId, some]) => [accountId, settleAccount(accountId, some)]),
      );
      return settlements.map(async (some) => {
        const accountIds = new Set(some.map(({ accountId }) => accountId));
        const own = [...settling].filter(([accountId]) => accountIds.has(accountId));
        const settled = await Promise.all(own.map(([, rows]) => rows));
        return unsettledBy(settled.flat())(some);
      });
    },
    { ...GATHER, sizeOf: (outcomes) => outcomes.length, sizeMax: OUTCOMES_MAX },
  );
}

function unsettledBy(rows: readonly AnswerRow[]): (outcomes: readonly Outcome[]) => Unsettled {
  const idsOf = (answer: string) =>
    new Set(rows.filter((row) => row.o_answer === answer).map((row) => row.o_id));
  const [lost, unknownIds] = [idsOf('lost'), idsOf('unknown')];
  return (outcomes) => ({
    isLost: lost.size > 0 && outcomes.some(({ id, lane }) => lane !== undefined && lost.has(id)),
    unknownIds,
  });
}

type AnswerRow = { o_id: string; o_answer: 'lost' | 'unknown' | 'woken' };

function traceSettled(
  tracing: Tracing,
  began: number,
  outcomes: readonly Outcome[],
  rows: readonly AnswerRow[],
): void {
  const unsettled = new Set(rows.flatMap((row) => (row.o_answer === 'woken' ? [] : row.o_id)));
  const settled = outcomes.filter(({ id }) => !unsettled.has(id));
  const steps = settled.map(({ id: messageId, outcome: of, failure }) => ({
    messageId,
    of,
    outcome: of,
    failure,
  }));
  tracing.did({ operation: 'settle', began, steps });
}

const settleRows = (sql: Sql, by: Fragment, outcomes: readonly Outcome[]) => sql<AnswerRow[]>`
  select o_id, o_answer from ${by}(
    ${outcomes.map(({ accountId }) => accountId)}::uuid[],
    ${outcomes.map(({ lane }) => lane?.tokenId ?? null)}::uuid[],
    ${outcomes.map(({ lane }) => lane?.epoch ?? null)}::bigint[],
    ${outcomes.map(({ id }) => id)}::uuid[],
    ${outcomes.map(({ outcome }) => outcome)}::text[],
    ${outcomes.map(({ failure }) => failure)}::text[],
    ${outcomes.map(({ at }) => at)}::timestamptz[]
  ) where o_answer in ('lost', 'unknown', 'woken')`;

/** Retry delay of a result that cannot be settled: it is our bug, and reported. */
const BROKEN_RETRY_MS = 60_000;

type ResultsDeps = { sql: Sql; log: Log; settle: Settle; media: Pick<MessageMedia, 'endedOf'> };

function partition<T>(items: readonly T[], isFirst: (item: T) => boolean): [T[], T[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}

/**
 * Settles the results of tries, in batches: captured on sent, released on failed. A result that cannot be settled does
 * not affect the others: it is reported, and stored with its message to be settled later. A message that is known to
 * have left is never sent again.
 *
 * @throws LaneLost when another worker has taken the lane: nothing more is written.
 */
export async function settleResults(
  { sql, log, settle, media }: ResultsDeps,
  claim: Claim,
  results: readonly Result[],
): Promise<void> {
  const { tokenId: token } = claim;
  const settled = results.filter((result) => result.kind === 'settled');
  const [awaiting, postponed] = partition(
    results.filter((result) => result.kind === 'postponed'),
    ({ awaits }) => awaits !== undefined,
  );
  const settleSome = async (some: readonly Settled[]) => {
    const { isLost } = await settle(some.map((one) => outcomeOf(claim, one)));
    if (isLost) throw new LaneLost();
  };
  const unsettled = await eachByItself(settled, settleSome, isLaneLost);
  for (const { item, error } of unsettled) {
    log.error({ err: error, token, message: item.id }, 'a result cannot be settled');
  }
  // Results of unsent messages can be dropped: the next try finds them again.
  const [cancelled, known] = partition(
    unsettled.map(({ item }) => item),
    ({ outcome }) => outcome === 'cancelled',
  );
  const unstored = await eachByItself(known, (some) => storeOutcomes(sql, claim, some), isLaneLost);
  const unpostponed = await eachByItself(
    [...postponed, ...cancelled.map(({ id }) => unread(id))],
    (some) => postpone(sql, claim, some),
    isLaneLost,
  );
  const unparked = await eachByItself(
    awaiting,
    (some) => park({ sql, media }, claim, some),
    isLaneLost,
  );
  for (const { item, error } of [...unstored, ...unpostponed, ...unparked]) {
    log.error({ err: error, token, message: item.id }, 'a message cannot be put back');
  }
}

const outcomeOf = (
  { accountId, tokenId, epoch }: Claim,
  { id, outcome, failure, at }: Settled,
): Outcome => ({ accountId, lane: { tokenId, epoch }, id, outcome, failure, at });

const isLaneLost = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === LaneLost.code;

async function storeOutcomes(sql: Sql, claim: Claim, known: readonly Settled[]): Promise<void> {
  const { accountId, tokenId, epoch } = claim;
  await retrying(
    () => sql`select store_outcomes(
      ${accountId}, ${tokenId}, ${epoch},
      ${known.map(({ id }) => id)}::uuid[],
      ${known.map(({ outcome }) => outcome)}::text[],
      ${known.map(({ failure }) => failure)}::text[],
      ${known.map(({ at }) => at)}::timestamptz[],
      ${BROKEN_RETRY_MS}
    )`,
    { tries: SETTLE_TRIES },
  );
}

async function postpone(sql: Sql, claim: Claim, postponed: readonly Postponed[]): Promise<void> {
  const { accountId, tokenId, epoch } = claim;
  await retrying(
    () => sql`select postpone_dispatch(
      ${accountId}, ${tokenId}, ${epoch},
      ${postponed.map(({ id }) => id)}::uuid[],
      ${postponed.map(({ state }) => state)}::text[],
      ${postponed.map(({ afterMs }) => Math.round(afterMs))}::int[],
      ${postponed.map(({ detail }) => detail)}::text[]
    )`,
  );
}

/**
 * Defers messages of a paused number that may have left behind those not tried yet; `forMs` null: the number sends
 * again, and each is due once the wait for its receipt ends.
 */
export async function deferUnsure(
  sql: Sql,
  { accountId, tokenId, epoch }: Claim,
  forMs: number | null,
): Promise<void> {
  await retrying(
    () =>
      sql`select defer_unsure(${accountId}, ${tokenId}, ${epoch}, ${forMs && Math.round(forMs)})`,
  );
}

/**
 * Puts messages back until their links are fetched, or their files can be read. A fetch that ended meanwhile did not
 * see them waiting.
 */
async function park(
  { sql, media }: Pick<ResultsDeps, 'sql' | 'media'>,
  { accountId, tokenId, epoch }: Claim,
  awaiting: readonly Postponed[],
): Promise<void> {
  const fetchIds = awaiting.map(({ awaits }) => awaits ?? null);
  await retrying(
    () => sql`select wait_for_media(
      ${accountId}, ${tokenId}, ${epoch}, ${awaiting.map(({ id }) => id)}::uuid[],
      ${fetchIds}::uuid[], ${AWAIT_MS}
    )`,
  );
  const fetches = new Set(fetchIds.filter((one) => one !== null));
  for (const fetchId of await media.endedOf(accountId, [...fetches])) {
    await wakeAwaiting(sql, { accountId, fetchId });
  }
}

/** Makes the messages that wait for a fetch due. @returns their tokens. */
export async function wakeAwaiting(
  sql: Sql,
  { accountId, fetchId }: { accountId: string; fetchId: string },
): Promise<string[]> {
  const woken = await retrying(
    () => sql<{ token: string }[]>`
      select token from wake_media_waits(${accountId}, ${fetchId}) as token`,
  );
  return woken.map(({ token }) => token);
}

const PARK_FOR = '24 hours';

/**
 * Applies receipts: in any order, any number of times. A receipt for a message that does not exist (yet) is parked. One
 * that names its token, as a customer's own signature does, is dropped without a row unless it is that token's message.
 * Resolves when all valid receipts are stored: a failing one does not delay the others.
 *
 * @param settle gathers them with other settling of the process; by default they are settled alone.
 * @returns the receipts that were not stored, each with its error.
 * @throws the database's own errors: some receipts may be stored then, and all must be delivered again.
 */
export async function applyReceipts(
  sql: Sql,
  receipts: readonly Receipt[],
  settle: Settle = openSettle({ sql }),
): Promise<FailedItem<Receipt>[]> {
  const foreign = await foreignMessages(sql, receipts);
  const own = receipts.filter(({ messageId }) => !foreign.has(messageId));
  return eachByItself(own, async (some) => {
    const { unknownIds } = await settle(
      some.map(({ accountId, messageId, status, failure, at }) => ({
        accountId,
        lane: undefined,
        id: messageId,
        outcome: status,
        failure: failure ?? null,
        at,
      })),
    );
    const unknown = some.filter(
      ({ messageId, tokenId }) => tokenId === undefined && unknownIds.has(messageId),
    );
    if (unknown.length > 0) await parkReceipts(sql, unknown);
  });
}

/**
 * Messages in these receipts that belong to another token than the one whose network reports them.
 */
async function foreignMessages(
  sql: Sql,
  receipts: readonly Receipt[],
): Promise<ReadonlySet<string>> {
  const named = receipts.flatMap(({ accountId, tokenId, messageId }) =>
    tokenId === undefined ? [] : [{ accountId, tokenId, messageId }],
  );
  if (named.length === 0) return new Set();
  // Mostly none: at a thousand receipts a second, reading the token of each would be expensive.
  const rows = await sql<{ message_id: string }[]>`
    select told.message_id from unnest(
      ${named.map(({ accountId }) => accountId)}::uuid[],
      ${named.map(({ tokenId }) => tokenId)}::uuid[],
      ${named.map(({ messageId }) => messageId)}::uuid[]
    ) as told(account_id, token_id, message_id)
    cross join lateral (
      select m.token_id from messages m
      where m.account_id = told.account_id and m.message_id = told.message_id limit 1
    ) m
    where m.token_id <> told.token_id`;
  return new Set(rows.map(({ message_id }) => message_id));
}

export async function tokensOfMessages(
  sql: Sql,
  named: readonly { accountId: string; messageId: string }[],
): Promise<ReadonlyMap<string, string>> {
  if (named.length === 0) return new Map();
  const rows = await sql<{ message_id: string; token_id: string }[]>`
    select told.message_id, m.token_id from unnest(
      ${named.map(({ accountId }) => accountId)}::uuid[],
      ${named.map(({ messageId }) => messageId)}::uuid[]
    ) as told(account_id, message_id)
    cross join lateral (
      select m.token_id from messages m
      where m.account_id = told.account_id and m.message_id = told.message_id limit 1
    ) m`;
  return new Map(rows.map(({ message_id, token_id }) => [message_id, token_id]));
}

async function parkReceipts(sql: Sql, receipts: readonly Receipt[]): Promise<void> {
  await sql`
    insert into parked_receipts (account_id, message_id, status, failure, at)
    select * from unnest(
      ${receipts.map(({ accountId }) => accountId)}::uuid[],
      ${receipts.map(({ messageId }) => messageId)}::uuid[],
      ${receipts.map(({ status }) => status)}::text[],
      ${receipts.map(({ failure }) => failure ?? null)}::text[],
      ${receipts.map(({ at }) => at)}::timestamptz[]
    )
    on conflict do nothing`;
}

/**
 * Retries parked receipts and deletes those older than a day. Called by a job, every minute. A parked receipt is
 * deleted once it is applied, so that a crash loses none.
 *
 * @throws the first error, once all receipts that can be applied are.
 */
export async function retryParked(sql: Sql, settle?: Settle): Promise<void> {
  await sql`delete from parked_receipts where parked_at < clock_timestamp() - ${PARK_FOR}::interval`;
  const found = await sql<ParkedRow[]>`
    select p.account_id, p.message_id, p.status, p.failure, p.at
    from parked_receipts p join messages m
      on m.account_id = p.account_id and m.message_id = p.message_id`;
  const receipts = found.map(receiptOf);
  const failed = await applyReceipts(sql, receipts, settle);
  const unapplied = new Set(failed.map(({ item }) => item));
  const applied = receipts.filter((receipt) => !unapplied.has(receipt));
  await sql`
    delete from parked_receipts p using unnest(
      ${applied.map((receipt) => receipt.accountId)}::uuid[],
      ${applied.map((receipt) => receipt.messageId)}::uuid[],
      ${applied.map((receipt) => receipt.status)}::text[]
    ) as done(account_id, message_id, status)
    where p.account_id = done.account_id and p.message_id = done.message_id
      and p.status = done.status`;
  if (failed[0]) throw failed[0].error;
}

const receiptOf = ({ account_id, message_id, status, failure, at }: ParkedRow): Receipt => ({
  accountId: account_id,
  messageId: message_id,
  status,
  ...(failure !== null && { failure }),
  at,
});

type ParkedRow = {
  account_id: string;
  message_id: string;
  status: Receipt['status'];
  failure: NonNullable<Receipt['failure']> | null;
  at: Date;
};
