import type { Challenge } from '#contract/accounts.ts';
import { keep, kept } from '#web/client/kept.ts';

/** A code on its way to a phone. Times are by this browser's clock, in ms since 1970. */
export type SentCode = {
  challenge: string;
  /** The number with its middle hidden, to be shown. */
  sentTo: string;
  /** The number itself, in digits: where a simulated phone is looked for. */
  phone: string;
  resendAt: number;
  expiresAt: number;
};

/** A challenge as this tab keeps it: its waits as moments, so that nothing starts them anew. */
export const codeFrom = (made: Challenge, phone: string, now = Date.now()): SentCode => ({
  challenge: made.challenge,
  sentTo: made.sent_to,
  phone,
  resendAt: now + made.resend_in_seconds * 1000,
  expiresAt: now + made.expires_in_seconds * 1000,
});

/** Keeps codes that are waited for over the closing of their dialog, and over a reload. */
export const keepCodes = (name: string, codes: readonly SentCode[] | undefined): void =>
  keep('tab', name, codes && JSON.stringify(codes));

/** So many codes that are waited for and still hold; `undefined` for anything else. */
export function keptCodes(name: string, count: number): readonly SentCode[] | undefined {
  const codes = codesIn(kept('tab', name));
  const hold = codes.length === count && codes.every(({ expiresAt }) => expiresAt > Date.now());
  return hold ? codes : undefined;
}

/** Reads what was kept; anybody may have written it. */
export function codesIn(text: string | undefined): readonly SentCode[] {
  if (text === undefined) return [];
  try {
    const found: unknown = JSON.parse(text);
    return Array.isArray(found) && found.every(isCode) ? found : [];
  } catch {
    return [];
  }
}

function isCode(found: unknown): found is SentCode {
  if (typeof found !== 'object' || found === null) return false;
  const { challenge, sentTo, phone, resendAt, expiresAt } = found as Record<string, unknown>;
  const texts = [challenge, sentTo, phone].every((one) => typeof one === 'string' && one !== '');
  return texts && Number.isFinite(resendAt) && Number.isFinite(expiresAt);
}
