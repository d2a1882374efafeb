import type { Sql } from '#server/infra/postgres/database.ts';
import {
  block,
  blockedSeconds,
  forgetHits,
  hit,
  hitsWithin,
  networkOf,
} from '#server/infra/acts.ts';

const WINDOW_SECONDS = 900;
/** Counted by the minute, so that the quarter of an hour slides. */
const STEP_SECONDS = 60;
/** Free tries in a quarter of an hour; then 15 s, doubling up to five minutes. */
const FREE_TRIES = 5;
const FIRST_WAIT_SECONDS = 15;
const LONGEST_WAIT_SECONDS = 300;
/** Wrong passwords from one address, and from its network, in a quarter of an hour. */
const ADDRESS_MAX = 30;
const NETWORK_MAX = 150;
/** From here on captchas are harder: for an address, and for everyone. */
const ADDRESS_SUSPECT = 5;
const TOTAL_SUSPECT = 300;

/** Seconds to wait after so many tries in a quarter of an hour. */
export const waitAfterTries = (tries: number): number =>
  tries < FREE_TRIES
    ? 0
    : Math.min(FIRST_WAIT_SECONDS * 2 ** (tries - FREE_TRIES), LONGEST_WAIT_SECONDS);

/**
 * Counts one try at a person's password; tries are counted before the password is checked, so that
 * parallel guesses gain nothing. Refused tries do not count: the wait always ends.
 *
 * @param subject the hashed number; the same for known and unknown numbers.
 * @returns 0, or the seconds to wait.
 */
export async function countTry(allAccountsSql: Sql, subject: string): Promise<number> {
  return allAccountsSql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(hashtextextended('login ' || ${subject}, 0))`;
    const seconds = await blockedSeconds(tx, { scope: 'login_wait', subject });
    if (seconds > 0) return seconds;
    await hit(tx, [{ scope: 'login_try', subject, max: 1_000_000, windowSeconds: STEP_SECONDS }]);
    const tries = await hitsWithin(tx, { scope: 'login_try', subject, seconds: WINDOW_SECONDS });
    const wait = waitAfterTries(tries);
    if (wait > 0) await block(tx, { scope: 'login_wait', subject, seconds: wait });
    return 0;
  });
}

/** Resets the tries after the right password. */
export async function resetTries(allAccountsSql: Sql, subject: string): Promise<void> {
  await forgetHits(allAccountsSql, [subject], ['login_try', 'login_wait']);
}

/** Counts a wrong password against the address, its network, and the whole installation. */
export async function countFailure(allAccountsSql: Sql, ip: string): Promise<void> {
  const step = { scope: 'login_wrong', max: 1_000_000, windowSeconds: STEP_SECONDS };
  await allAccountsSql.begin((tx) =>
    hit(tx, [
      { ...step, subject: ip },
      { ...step, subject: networkOf(ip) },
      { ...step, subject: 'all' },
    ]),
  );
}

const failuresOf = (allAccountsSql: Sql, subject: string): Promise<number> =>
  hitsWithin(allAccountsSql, { scope: 'login_wrong', subject, seconds: WINDOW_SECONDS });

/** Seconds an address must wait because of wrong passwords from it or its network; mostly 0. */
export async function addressWaitSeconds(allAccountsSql: Sql, ip: string): Promise<number> {
  const [own, network] = await Promise.all([
    failuresOf(allAccountsSql, ip),
    failuresOf(allAccountsSql, networkOf(ip)),
  ]);
  return own >= ADDRESS_MAX || network >= NETWORK_MAX ? STEP_SECONDS : 0;
}

/**
 * True when captchas should be harder: too many wrong passwords from this address, or in total.
 */
export async function isSuspect(allAccountsSql: Sql, ip: string): Promise<boolean> {
  const [own, all] = await Promise.all([
    failuresOf(allAccountsSql, ip),
    failuresOf(allAccountsSql, 'all'),
  ]);
  return own >= ADDRESS_SUSPECT || all >= TOTAL_SUSPECT;
}
