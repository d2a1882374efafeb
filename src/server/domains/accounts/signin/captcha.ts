import { backoff } from '#server/infra/backoff.ts';
import { type Challenge as AltchaChallenge, createChallenge, verifySolution } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import { randomInt } from 'node:crypto';
import * as z from 'zod/mini';
import {
  CAPTCHA_ROUNDS,
  type CaptchaProvider,
  type CaptchaAct,
  captchaChallenge,
} from '#contract/accounts.ts';
import { Refusal } from '#contract/base/refusals.ts';
import {
  type ActHandler,
  handle,
  block,
  blockedSeconds,
  forgetHits,
  hit,
  hitsWithin,
  networkOf,
} from '#server/infra/acts.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { type Secrets, sha256 } from '#server/infra/security/secrets.ts';
import { captchaPlaceOf } from '#server/infra/security/captcha-providers.ts';
import type { Config } from '#server/infra/config.ts';

export type Captcha = {
  provider: CaptchaProvider;
  /** For the widget of the provider; empty without a widget. */
  siteKey: string;
  scriptUrl: string;
  /**
   * A challenge for the browser, valid for one call of `act`, and its largest number of steps; 0 for providers with a
   * widget.
   *
   * @param harder for suspicious callers: the full work and more, without regard to `pace`.
   * @param pace the steps that the device says it makes in a second; left out: the full work.
   */
  challenge(
    act: CaptchaAct,
    harder: boolean,
    pace?: number,
  ): Promise<{ challenge: Record<string, unknown>; stepsMax: number }>;
  /**
   * @param ip of the caller, passed to providers that require it.
   * @throws Refusal `captcha_failed` unless this solves a challenge for `act`, in time, the first time;
   * `captcha_unreachable` if it cannot be verified now.
   */
  verify(act: CaptchaAct, answer: string, ip?: string): Promise<void>;
};

/**
 * The size of a challenge: PBKDF2 rounds per step, and steps between `from` and `to`. The default takes some 0.3 to 0.6
 * s of one core here (0.7 ms a step).
 */
export type Difficulty = { rounds: number; from: number; to: number };
const usual = (steps: number): Difficulty => ({
  rounds: CAPTCHA_ROUNDS,
  from: Math.floor(steps / 2),
  to: steps,
});
const HARDER_FACTOR = 4;
/** The least work, as a share of the usual one: a program may call itself slow, but gains no more than this. */
const LEAST_SHARE = 0.25;

/** The difficulty for a device: about a second of its work, between the least and the usual. */
function fitted(usually: Difficulty, harder: boolean, pace?: number): Difficulty {
  if (harder) return { ...usually, rounds: usually.rounds * HARDER_FACTOR };
  const share = pace === undefined ? 1 : Math.min(1, Math.max(LEAST_SHARE, pace / usually.to));
  const to = Math.max(2, Math.ceil(usually.to * share));
  return { ...usually, from: Math.min(to - 1, Math.ceil(usually.from * share)), to };
}

/** A slow phone over plain http needs minutes for a harder challenge. */
const LIFE_MS = 1_800_000;

const hex = z.string().check(z.regex(/^[0-9a-f]{1,200}$/));

const Answer = z.object({
  challenge: z.object({
    parameters: z.strictObject({
      algorithm: z.literal('PBKDF2/SHA-256'),
      cost: z.int(),
      data: z.object({ for: z.string() }),
      expiresAt: z.number(),
      keyLength: z.int(),
      keyPrefix: hex,
      keySignature: hex,
      nonce: hex,
      salt: hex,
    }),
    signature: hex,
  }),
  solution: z.object({ counter: z.int(), derivedKey: hex }),
});

/**
 * ALTCHA, self-hosted proof of work: signed, bound to its act, valid once and for half an hour.
 *
 * Verification is cheap, because the signature lets the server check a solution without repeating the work.
 */
export function openAltcha(allAccountsSql: Sql, secrets: Secrets, difficulty: Difficulty): Captcha {
  const keys = {
    hmacSignatureSecret: secrets.key('captcha').toString('hex'),
    hmacKeySignatureSecret: secrets.key('captcha-answer').toString('hex'),
  };
  return {
    provider: 'altcha',
    siteKey: '',
    scriptUrl: '',
    async challenge(act, harder, pace) {
      const { rounds, from, to } = fitted(difficulty, harder, pace);
      const challenge: AltchaChallenge = await createChallenge({
        ...keys,
        algorithm: 'PBKDF2/SHA-256',
        cost: rounds,
        counter: randomInt(from, to),
        data: { for: act },
        expiresAt: new Date(Date.now() + LIFE_MS),
        deriveKey,
      });
      return { challenge: { ...challenge }, stepsMax: to };
    },
    async verify(act, answer) {
      const parsed = parseAnswer(answer);
      if (parsed?.challenge.parameters.data.for !== act) throw new Refusal('captcha_failed', {});
      const { verified } = await verifySolution({ ...keys, ...parsed, deriveKey });
      const { nonce, expiresAt } = parsed.challenge.parameters;
      if (!verified || !(await markUsed(allAccountsSql, nonce, expiresAt))) {
        throw new Refusal('captcha_failed', {});
      }
    },
  };
}

function parseAnswer(text: string): z.output<typeof Answer> | undefined {
  try {
    const parsed = Answer.safeParse(JSON.parse(Buffer.from(text, 'base64').toString('utf8')));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Records the use of a captcha, for every node.
 *
 * @param expiresAt in seconds since 1970; swept an hour later.
 * @returns false if it was used before.
 */
export async function markUsed(
  allAccountsSql: Sql,
  name: string,
  expiresAt: number,
): Promise<boolean> {
  const [first] = await allAccountsSql`
    insert into captchas_used (challenge, expires_at) values (${name}, to_timestamp(${expiresAt}))
    on conflict (challenge) do nothing returning challenge`;
  return first !== undefined;
}

export const captchaChallengeHandler = ({
  allAccountsSql,
  captcha,
}: {
  allAccountsSql: Sql;
  captcha: Captcha;
}): ActHandler =>
  handle(captchaChallenge, async ({ ip }, input) => {
    const harder = await isSuspect(allAccountsSql, ip);
    const { provider, siteKey, scriptUrl } = captcha;
    const { challenge, stepsMax } = await captcha.challenge(input.for, harder, input.pace);
    return { provider, challenge, site_key: siteKey, script_url: scriptUrl, steps_max: stepsMax };
  });

type CaptchaWidgetDeps = {
  allAccountsSql: Sql;
  secrets: Secrets;
  config: Pick<
    Config,
    | 'CAPTCHA_PROVIDER'
    | 'CAPTCHA_SCRIPT_URL'
    | 'CAPTCHA_SECRET_KEY'
    | 'CAPTCHA_SITE_KEY'
    | 'CAPTCHA_STEPS'
    | 'CAPTCHA_VERIFY_URL'
    | 'PORTAL_ORIGINS'
    | 'PUBLIC_URL'
  >;
  report: (fault: unknown) => void;
  timeoutMs?: number;
};

const TIMEOUT_MS = 5_000;
/** Longer than any provider accepts an answer. */
const USED_SECONDS = 3_600;

const Verdict = z.object({
  success: z.boolean(),
  hostname: z.optional(z.string()),
  action: z.optional(z.string()),
  'error-codes': z.optional(z.array(z.string())),
});
type Verdict = z.output<typeof Verdict>;

/** Error codes of wrong keys or provider faults, not of a wrong answer. */
const ourFaultCodes = /secret|sitekey|internal-error/;

export function openCaptcha(deps: CaptchaWidgetDeps): Captcha {
  const { config, allAccountsSql } = deps;
  const { CAPTCHA_PROVIDER: provider, CAPTCHA_SITE_KEY: siteKey = '' } = config;
  const place = captchaPlaceOf(config);
  if (!place) return openAltcha(allAccountsSql, deps.secrets, usual(config.CAPTCHA_STEPS));
  return {
    provider,
    siteKey,
    scriptUrl: place.scriptUrl,
    // The provider decides the difficulty.
    challenge: async () => ({ challenge: {}, stepsMax: 0 }),
    async verify(act, answer, ip) {
      const verdict = await askProvider(deps, place.verifyUrl, { answer, ip });
      if (!isAccepted(config, verdict, act)) throw new Refusal('captcha_failed', {});
      const usedKey = `${provider}:${sha256(answer).toString('base64url')}`;
      if (!(await markUsed(allAccountsSql, usedKey, Date.now() / 1000 + USED_SECONDS))) {
        throw new Refusal('captcha_failed', {});
      }
    },
  };
}

/** @throws Refusal `captcha_unreachable` without a readable response: unverified callers are refused. */
async function askProvider(
  { config, report, timeoutMs = TIMEOUT_MS }: CaptchaWidgetDeps,
  url: string,
  { answer, ip }: { answer: string; ip: string | undefined },
): Promise<Verdict> {
  const body = new URLSearchParams({
    secret: config.CAPTCHA_SECRET_KEY ?? '',
    response: answer,
    ...(ip !== undefined && ip !== '' && { remoteip: ip }),
    ...(config.CAPTCHA_PROVIDER === 'hcaptcha' && { sitekey: config.CAPTCHA_SITE_KEY ?? '' }),
  });
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(url, { method: 'POST', body, signal, redirect: 'error' });
    const verdict = Verdict.parse(await response.json());
    const fault = verdict['error-codes']?.find((code) => ourFaultCodes.test(code));
    if (fault !== undefined) throw new Error(`the provider says ${fault}`);
    return verdict;
  } catch (error) {
    report(new Error('the captcha could not be verified', { cause: error }));
    throw new Refusal('captcha_unreachable', {});
  }
}

/** Solved, and, if the provider reports them, on one of our own pages and for this act. */
function isAccepted(
  { PUBLIC_URL, PORTAL_ORIGINS }: CaptchaWidgetDeps['config'],
  { success, hostname, action }: Verdict,
  act: CaptchaAct,
): boolean {
  if (!success || (action !== undefined && action !== '' && action !== act)) return false;
  // A local installation has no public URL to compare with.
  if (hostname === undefined || PUBLIC_URL === undefined) return true;
  return [PUBLIC_URL, ...PORTAL_ORIGINS].some((one) => new URL(one).hostname === hostname);
}

const WINDOW_SECONDS = 900;
/** Counted per minute, so that the quarter of an hour slides. */
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

export const waitAfterTries = (tries: number): number =>
  tries < FREE_TRIES
    ? 0
    : backoff(tries - FREE_TRIES + 1, { first: FIRST_WAIT_SECONDS, max: LONGEST_WAIT_SECONDS });

/**
 * Counts one try at a user's password, before the password is checked, so that parallel guesses gain nothing. Refused
 * tries do not count: the wait always ends.
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

export async function resetTries(allAccountsSql: Sql, subject: string): Promise<void> {
  await forgetHits(allAccountsSql, [subject], ['login_try', 'login_wait']);
}

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

export async function addressWaitSeconds(allAccountsSql: Sql, ip: string): Promise<number> {
  const [own, network] = await Promise.all([
    failuresOf(allAccountsSql, ip),
    failuresOf(allAccountsSql, networkOf(ip)),
  ]);
  return own >= ADDRESS_MAX || network >= NETWORK_MAX ? STEP_SECONDS : 0;
}

async function isSuspect(allAccountsSql: Sql, ip: string): Promise<boolean> {
  const [own, all] = await Promise.all([
    failuresOf(allAccountsSql, ip),
    failuresOf(allAccountsSql, 'all'),
  ]);
  return own >= ADDRESS_SUSPECT || all >= TOTAL_SUSPECT;
}
