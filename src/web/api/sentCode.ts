import type { Challenge } from '#contract/accounts.ts';

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

/** A challenge as a tab keeps it: its waits as moments, so that a reload does not start them anew. */
export const codeFrom = (made: Challenge, phone: string, now = Date.now()): SentCode => ({
  challenge: made.challenge,
  sentTo: made.sent_to,
  phone,
  resendAt: now + made.resend_in_seconds * 1000,
  expiresAt: now + made.expires_in_seconds * 1000,
});

/** Whether that, whoever wrote it, is a code. */
export function isCode(found: unknown): found is SentCode {
  if (typeof found !== 'object' || found === null) return false;
  const { challenge, sentTo, phone, resendAt, expiresAt } = found as Record<string, unknown>;
  const texts = [challenge, sentTo, phone].every((one) => typeof one === 'string' && one !== '');
  return texts && Number.isFinite(resendAt) && Number.isFinite(expiresAt);
}
