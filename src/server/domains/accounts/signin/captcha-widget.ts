import * as z from 'zod/mini';
import type { Guarded } from '#contract/accounts.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { captchaPlaceOf } from '#server/infra/security/captcha-providers.ts';
import type { Config } from '#server/infra/config.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { type Secrets, sha256 } from '#server/infra/security/secrets.ts';
import { type Captcha, openAltcha, markUsed } from './captcha.ts';

type Deps = {
  allAccountsSql: Sql;
  secrets: Secrets;
  config: Pick<
    Config,
    | 'CAPTCHA_PROVIDER'
    | 'CAPTCHA_SCRIPT_URL'
    | 'CAPTCHA_SECRET_KEY'
    | 'CAPTCHA_SITE_KEY'
    | 'CAPTCHA_VERIFY_URL'
    | 'PORTAL_ORIGINS'
    | 'PUBLIC_URL'
  >;
  /** Receives errors of keys that the provider does not know, and of a provider that does not answer. */
  report: (fault: unknown) => void;
  /** How long the provider may take; 5,000 ms. */
  timeoutMs?: number;
};

const TIMEOUT_MS = 5_000;
/** Longer than any provider accepts an answer. */
const USED_SECONDS = 3_600;

/** The response of all three providers: one protocol, with small differences. */
const Verdict = z.object({
  success: z.boolean(),
  hostname: z.optional(z.string()),
  action: z.optional(z.string()),
  'error-codes': z.optional(z.array(z.string())),
});
type Verdict = z.output<typeof Verdict>;

/** Error codes that mean a fault of our keys or of the provider, not of the person. */
const ourFaultCodes = /secret|sitekey|internal-error/;

/** The captcha that the settings name. */
export function openCaptcha(deps: Deps): Captcha {
  const { config, allAccountsSql } = deps;
  const { CAPTCHA_PROVIDER: provider, CAPTCHA_SITE_KEY: siteKey = '' } = config;
  const place = captchaPlaceOf(config);
  if (!place) return openAltcha(allAccountsSql, deps.secrets);
  return {
    provider,
    siteKey,
    scriptUrl: place.scriptUrl,
    stepsMax: 0,
    // The provider decides the difficulty.
    challenge: async () => ({}),
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

/** @throws Refusal `captcha_unreachable` without a readable answer: unverified callers are refused. */
async function askProvider(
  { config, report, timeoutMs = TIMEOUT_MS }: Deps,
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

/** Solved, and, where the provider says so, on one of our own pages and for this act. */
function isAccepted(
  { PUBLIC_URL, PORTAL_ORIGINS }: Deps['config'],
  { success, hostname, action }: Verdict,
  act: Guarded,
): boolean {
  if (!success || (action !== undefined && action !== '' && action !== act)) return false;
  // A local installation has no public URL to compare with.
  if (hostname === undefined || PUBLIC_URL === undefined) return true;
  return [PUBLIC_URL, ...PORTAL_ORIGINS].some((one) => new URL(one).hostname === hostname);
}
