import type { Challenge } from '#contract/accounts.ts';
import { readJson } from '#web/browser/json.ts';
import { storageSet, storageGet } from '#web/browser/storage.ts';
import { codeFrom, isCode, type SentCode } from '#web/api/sentCode.ts';

const ENTRY = 'otp-pending';
const USED = 'otp-used';

/** What a code is waited for. */
export type CodeFor = 'register' | 'login' | 'forgot';
const purposes: readonly unknown[] = ['register', 'login', 'forgot'] satisfies CodeFor[];

/** A code that this tab waits for. */
export type PendingOtp = SentCode & { purpose: CodeFor };

/** A challenge as it is stored, with what it is for. */
export const pendingFrom = (
  made: Challenge,
  { purpose, phone }: Pick<PendingOtp, 'purpose' | 'phone'>,
  now?: number,
): PendingOtp => ({ purpose, ...codeFrom(made, phone, now) });

/** Stored for this tab alone, and forgotten with `undefined`. */
export const savePending = (pending: PendingOtp | undefined): void =>
  storageSet('tab', ENTRY, pending && JSON.stringify(pending));

/** The code that is waited for; `undefined` when there is none, or what is stored is not ours. */
export const readPending = (): PendingOtp | undefined => pendingIn(storageGet('tab', ENTRY));

/** Reads what was stored; anybody may have written it. */
function pendingIn(text: string | undefined): PendingOtp | undefined {
  const found = readJson(text);
  return isPending(found) ? found : undefined;
}

const isPending = (found: unknown): found is PendingOtp =>
  isCode(found) && 'purpose' in found && purposes.includes(found.purpose);

/** Notifies the other tabs that a code was entered here; theirs, if it is the same, is worth nothing. */
export function announceUsed(challenge: string): void {
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
