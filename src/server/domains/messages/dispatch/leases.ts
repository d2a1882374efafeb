import type { Sql } from '#server/infra/postgres/database.ts';
import type { Log } from '#server/infra/observability/log.ts';
import type { Claim } from './attempt.ts';

/** How long a lane belongs to its worker without a word of it. */
export const LEASE = '15 seconds';
const RENEW_MS = 5_000;
/** A lane whose lease could not be renewed for so long is given up, before another worker may take it. */
const RENEWED_MS_MAX = 10_000;

/** A lane that this worker owns. Aborting `lost` ends it. */
export type LeasedLane = {
  claim: Claim;
  lost: AbortController;
  /** When its lease was last known to be new, as `performance.now()` tells it. */
  renewedAt: number;
};

/** A lane whose lease has just been taken. */
export const leasedNow = (claim: Claim): LeasedLane => ({
  claim,
  lost: new AbortController(),
  renewedAt: performance.now(),
});

/**
 * Renews the leases of a worker's lanes every 5 s. Trouble of the database ends no lane before its lease is
 * nearly over.
 *
 * @returns the timer.
 */
export function startRenewing(
  { sql, log }: { sql: Sql; log: Log },
  lanesNow: () => Iterable<LeasedLane>,
): NodeJS.Timeout {
  let renewing = false;
  const renew = async () => {
    if (renewing) return;
    renewing = true;
    await renewLeases({ sql, log }, [...lanesNow()]);
    renewing = false;
  };
  return setInterval(() => void renew(), RENEW_MS);
}

/** Renews the leases of all these lanes in one call; one that is another worker's by now is given up. */
export async function renewLeases(
  { sql, log }: { sql: Sql; log: Log },
  lanes: readonly LeasedLane[],
): Promise<void> {
  if (lanes.length === 0) return;
  const askedAt = performance.now();
  try {
    const renewed = await sql<{ key: string }[]>`
      select unnest(renew_lanes(
        ${lanes.map(({ claim }) => claim.accountId)}::uuid[],
        ${lanes.map(({ claim }) => claim.tokenId)}::uuid[],
        ${lanes.map(({ claim }) => claim.epoch)}::bigint[],
        ${LEASE}::interval
      )) as key`;
    const owned = new Set(renewed.map(({ key }) => key));
    for (const lane of lanes) {
      if (owned.has(`${lane.claim.tokenId}.${lane.claim.epoch}`)) lane.renewedAt = askedAt;
      else lane.lost.abort();
    }
  } catch (error) {
    log.warn({ err: error }, 'leases cannot be renewed');
    for (const { lost, renewedAt } of lanes) {
      if (askedAt - renewedAt > RENEWED_MS_MAX) lost.abort();
    }
  }
}
