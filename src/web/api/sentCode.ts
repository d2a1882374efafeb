import type { Challenge } from '#contract/accounts.ts';

/** A code sent to a phone. Times are by this browser's clock, in ms since 1970. */
export type SentCode = {
  challenge: string;
  /** The masked number, for display. */
  sentTo: string;
  phone: string;
  resendAt: number;
  expiresAt: number;
};

/** Converts a challenge for the tab's storage: waits become absolute times, so that a reload does not restart them. */
export const codeFrom = (made: Challenge, phone: string, now = Date.now()): SentCode => ({
  challenge: made.challenge,
  sentTo: made.sent_to,
  phone,
  resendAt: now + made.resend_in_seconds * 1000,
  expiresAt: now + made.expires_in_seconds * 1000,
});

/** True for a stored value with the shape of a code. */
export function isCode(found: unknown): found is SentCode {
  if (typeof found !== 'object' || found === null) return false;
  const { challenge, sentTo, phone, resendAt, expiresAt } = found as Record<string, unknown>;
  const texts = [challenge, sentTo, phone].every((one) => typeof one === 'string' && one !== '');
  return texts && Number.isFinite(resendAt) && Number.isFinite(expiresAt);
}
