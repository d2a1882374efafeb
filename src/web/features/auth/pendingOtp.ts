import type { Challenge } from '#contract/accounts.ts';

const ENTRY = 'otp-pending';
const USED = 'otp-used';

/** What a code is waited for. */
export type CodeFor = 'register' | 'login' | 'forgot';
const purposes: readonly unknown[] = ['register', 'login', 'forgot'] satisfies CodeFor[];

/** A code that this tab waits for. Times are by this browser's clock, in ms since 1970. */
export type PendingOtp = {
  purpose: CodeFor;
  challenge: string;
  /** The number with its middle hidden, to be shown. */
  sentTo: string;
  /** The number itself, in digits. */
  phone: string;
  resendAt: number;
  expiresAt: number;
};

/** A challenge as it is kept: its waits as moments, so that a reload does not start them anew. */
export const pendingFrom = (
  made: Challenge,
  { purpose, phone }: Pick<PendingOtp, 'purpose' | 'phone'>,
  now = Date.now(),
): PendingOtp => ({
  purpose,
  challenge: made.challenge,
  sentTo: made.sent_to,
  phone,
  resendAt: now + made.resend_in_seconds * 1000,
  expiresAt: now + made.expires_in_seconds * 1000,
});

/** Private windows may have no storage: then it lives as long as the page. */
let memory: string | undefined;

export function savePending(pending: PendingOtp | undefined): void {
  const text = pending && JSON.stringify(pending);
  memory = text;
  try {
    if (text === undefined) sessionStorage.removeItem(ENTRY);
    else sessionStorage.setItem(ENTRY, text);
  } catch {
    // The copy in memory does.
  }
}

/** The code that is waited for; `undefined` when there is none, or what is kept is not ours. */
export function readPending(): PendingOtp | undefined {
  try {
    return pendingIn(sessionStorage.getItem(ENTRY) ?? memory);
  } catch {
    return pendingIn(memory);
  }
}

/** Reads what was kept; anybody may have written it. */
export function pendingIn(text: string | undefined): PendingOtp | undefined {
  if (text === undefined) return undefined;
  try {
    const kept: unknown = JSON.parse(text);
    return isPending(kept) ? kept : undefined;
  } catch {
    return undefined;
  }
}

function isPending(kept: unknown): kept is PendingOtp {
  if (typeof kept !== 'object' || kept === null) return false;
  const { purpose, challenge, sentTo, phone, resendAt, expiresAt } = kept as Record<
    string,
    unknown
  >;
  const texts = [challenge, sentTo, phone].every((one) => typeof one === 'string' && one !== '');
  const times = Number.isFinite(resendAt) && Number.isFinite(expiresAt);
  return texts && times && purposes.includes(purpose);
}

/** Tells the other tabs that a code was entered here; theirs, if it is the same, is worth nothing. */
export function tellUsed(challenge: string): void {
  const channel = new BroadcastChannel(USED);
  channel.postMessage(challenge);
  channel.close();
}

/**
 * Calls back when a code for this challenge was entered in another tab.
 *
 * @returns how to stop listening.
 */
export function onUsed(challenge: string, used: () => void): () => void {
  const channel = new BroadcastChannel(USED);
  channel.addEventListener('message', ({ data }) => data === challenge && used());
  return () => channel.close();
}
