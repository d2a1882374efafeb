import { type Sql, retrying } from '#server/infra/postgres/database.ts';
import { eachByItself } from '#server/infra/postgres/batches.ts';
import type { Claim, LaneContext, Postponed, Result, Settled } from './attempt.ts';

/** A result that cannot be settled is tried again after this long: it is our bug, and reported. */
const BROKEN_RETRY_MS = 60_000;
/** An unreachable database is retried for some 5 s, less than a lease: then the lane stops. */
const SETTLE_TRIES = 8;

/**
 * Settles the results of tries, in batches: captured on sent, released on failed. A result that cannot be
 * settled affects no other: it is reported, and stored with its message to be settled again. What is
 * known to have left is never sent again.
 *
 * @throws PostgresError `LN001` when another worker has taken the lane: nothing more is written.
 */
export async function settleResults(
  { sql, log }: Pick<LaneContext, 'sql' | 'log'>,
  claim: Claim,
  results: readonly Result[],
): Promise<void> {
  const { tokenId: token } = claim;
  const settled = results.filter((result) => result.kind === 'settled');
  const postponed = results.filter((result) => result.kind === 'postponed');
  const unsettled = await eachByItself(settled, (some) => settle(sql, claim, some), isLaneLost);
  for (const { item, error } of unsettled) {
    log.error({ err: error, token, message: item.id }, 'a result cannot be settled');
  }
  const known = unsettled.map(({ item }) => item);
  const unstored = await eachByItself(known, (some) => storeOutcomes(sql, claim, some), isLaneLost);
  const unpostponed = await eachByItself(
    postponed,
    (some) => postpone(sql, claim, some),
    isLaneLost,
  );
  for (const { item, error } of [...unstored, ...unpostponed]) {
    log.error({ err: error, token, message: item.id }, 'a message cannot be put back');
  }
}

const isLaneLost = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'LN001';

async function settle(sql: Sql, claim: Claim, settled: readonly Settled[]): Promise<void> {
  const { accountId, tokenId, epoch } = claim;
  await retrying(
    () => sql`select count(*) from settle_batch(
      ${accountId}, ${tokenId}, ${epoch},
      ${settled.map(({ id }) => id)}::uuid[],
      ${settled.map(({ outcome }) => outcome)}::text[],
      ${settled.map(({ failure }) => failure)}::text[],
      ${settled.map(({ at }) => at)}::timestamptz[],
      ${settled.map(({ duplicate }) => duplicate)}::boolean[]
    )`,
    { tries: SETTLE_TRIES },
  );
}

/** Stores the outcomes of messages that could not be settled. */
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
