import { type Sql, retrying } from '#server/infra/postgres/database.ts';
import { eachByItself } from '#server/infra/postgres/batches.ts';
import type { Claim, LaneTools, Postponed, Result, Settled } from './attempt.ts';

/** What cannot be settled is tried again after this long: it is a bug of ours, and reported. */
const BROKEN_REST_MS = 60_000;
/** A database that is away is waited for some 5 s, less than a lease: then the lane is given up. */
const SETTLE_TRIES = 8;

/**
 * Writes down what became of tries, in batches: captured on sent, given back on failed. A result that
 * cannot be written costs the others nothing: it is reported, and kept with its message to be settled
 * again. What is known to have left is never sent again.
 *
 * @throws PostgresError `LN001` when another worker has taken the lane: nothing more is written.
 */
export async function settleResults(
  { sql, log }: Pick<LaneTools, 'sql' | 'log'>,
  claim: Claim,
  results: readonly Result[],
): Promise<void> {
  const { tokenId: token } = claim;
  const done = results.filter((result) => result.kind === 'settled');
  const back = results.filter((result) => result.kind === 'postponed');
  const unsettled = await eachByItself(done, (some) => settle(sql, claim, some), isLost);
  for (const { item, error } of unsettled) {
    log.error({ err: error, token, message: item.id }, 'a result cannot be settled');
  }
  const known = unsettled.map(({ item }) => item);
  const unkept = await eachByItself(known, (some) => keep(sql, claim, some), isLost);
  const stuck = await eachByItself(back, (some) => postpone(sql, claim, some), isLost);
  for (const { item, error } of [...unkept, ...stuck]) {
    log.error({ err: error, token, message: item.id }, 'a message cannot be put back');
  }
}

const isLost = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'LN001';

async function settle(sql: Sql, claim: Claim, done: readonly Settled[]): Promise<void> {
  const { accountId, tokenId, epoch } = claim;
  await retrying(
    () => sql`select count(*) from settle_batch(
      ${accountId}, ${tokenId}, ${epoch},
      ${done.map(({ id }) => id)}::uuid[],
      ${done.map(({ outcome }) => outcome)}::text[],
      ${done.map(({ failure }) => failure)}::text[],
      ${done.map(({ at }) => at.toISOString())}::text[]::timestamptz[],
      ${done.map(({ duplicate }) => (duplicate ? 't' : 'f'))}::text[]::boolean[]
    )`,
    { tries: SETTLE_TRIES },
  );
}

/** Keeps what is known of messages that could not be settled. */
async function keep(sql: Sql, claim: Claim, known: readonly Settled[]): Promise<void> {
  const { accountId, tokenId, epoch } = claim;
  await retrying(
    () => sql`select store_outcomes(
      ${accountId}, ${tokenId}, ${epoch},
      ${known.map(({ id }) => id)}::uuid[],
      ${known.map(({ outcome }) => outcome)}::text[],
      ${known.map(({ failure }) => failure)}::text[],
      ${known.map(({ at }) => at.toISOString())}::text[]::timestamptz[],
      ${BROKEN_REST_MS}
    )`,
    { tries: SETTLE_TRIES },
  );
}

async function postpone(sql: Sql, claim: Claim, back: readonly Postponed[]): Promise<void> {
  const { accountId, tokenId, epoch } = claim;
  await retrying(
    () => sql`select postpone_dispatch(
      ${accountId}, ${tokenId}, ${epoch},
      ${back.map(({ id }) => id)}::uuid[],
      ${back.map(({ state }) => state)}::text[],
      ${back.map(({ afterMs }) => Math.round(afterMs))}::int[],
      ${back.map(({ detail }) => detail)}::text[]
    )`,
  );
}
