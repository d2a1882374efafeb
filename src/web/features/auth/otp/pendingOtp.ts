import type { Challenge } from '#contract/accounts.ts';
import { readJson } from '#web/browser/json.ts';
import { storageSet, storageGet } from '#web/browser/storage.ts';
import { codeFrom, isCode, type SentCode } from '#web/api/sentCode.ts';

const ENTRY = 'otp-pending';
const USED = 'otp-used';

export type CodeFor = 'register' | 'login' | 'forgot';
const purposes: readonly unknown[] = ['register', 'login', 'forgot'] satisfies CodeFor[];

export type PendingOtp = SentCode & { purpose: CodeFor };

export const pendingFrom = (
  made: Challenge,
  { purpose, phone }: Pick<PendingOtp, 'purpose' | 'phone'>,
  now?: number,
): PendingOtp => ({ purpose, ...codeFrom(made, phone, now) });

/** Stores the code for this tab only; `undefined` removes it. */
export const savePending = (pending: PendingOtp | undefined): void =>
  storageSet('tab', ENTRY, pending && JSON.stringify(pending));

/** The pending code; `undefined` when there is none or the stored text is malformed. */
export const readPending = (): PendingOtp | undefined => pendingIn(storageGet('tab', ENTRY));

/** Parses stored text, which other code may have written. */
function pendingIn(text: string | undefined): PendingOtp | undefined {
  const found = readJson(text);
  return isPending(found) ? found : undefined;
}

const isPending = (found: unknown): found is PendingOtp =>
  isCode(found) && 'purpose' in found && purposes.includes(found.purpose);

/** Tells the other tabs that a code was entered here; the same code is now invalid there. */
export function announceUsed(challenge: string): void {
  const channel = new BroadcastChannel(USED);
  channel.postMessage(challenge);
  channel.close();
}

/**
 * Calls back when a code for this challenge was entered in another tab.
 *
 * @returns a function that stops listening.
 */
export function onUsed(challenge: string, used: () => void): () => void {
  const channel = new BroadcastChannel(USED);
  channel.addEventListener('message', ({ data }) => data === challenge && used());
  return () => channel.close();
}
