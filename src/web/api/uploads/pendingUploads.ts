import { UPLOAD_HOURS } from '#contract/uploads.ts';
import { readJson } from '#web/browser/json.ts';
import { storageSet, storageGet } from '#web/browser/storage.ts';

const NAME = 'uploads';
/** Bytes at a file's start that tell it from others of the same name, size and date. */
const MARK_BYTES = 65_536;
const HOUR_MS = 3_600_000;

/** An upload in pieces that did not come to its end. */
export type PendingUpload = {
  transferId: string;
  name: string;
  /** Bytes in all, and of them received when it was last heard of. */
  size: number;
  offset: number;
};

type Entry = PendingUpload & { identity: string; at: number };

/**
 * Tells a file from others: its name, size, date and first bytes, and what it is sent for. Browsers give
 * no lasting hold of a file (File System Access is Chromium's alone), so after a reload a person chooses
 * it again, and this finds the upload that it belongs to.
 */
export async function identify(file: File, purpose: string): Promise<string> {
  const start = new Uint8Array(await file.slice(0, MARK_BYTES).arrayBuffer());
  return [purpose, file.size, file.lastModified, markOf(start), file.name].join(':');
}

/** FNV-1a of 32 bits, twice: a mark, no secret; `crypto.subtle` is missing on plain http. */
function markOf(bytes: Uint8Array): string {
  let one = 0x811c9dc5;
  let two = 0x1b873593;
  for (const byte of bytes) {
    one = Math.imul(one ^ byte, 0x01000193);
    two = Math.imul(two ^ byte, 0x85ebca6b) + 0x27d4eb2f;
  }
  return `${(one >>> 0).toString(36)}${(two >>> 0).toString(36)}`;
}

/** Identities that an item of this page sends right now. */
const active = new Set<string>();

/**
 * Takes the upload of this file for oneself.
 * @returns what gives it free again; `undefined` when another item has it.
 */
export function claimPendingUpload(identity: string): (() => void) | undefined {
  if (active.has(identity)) return undefined;
  active.add(identity);
  return () => void active.delete(identity);
}

/** The upload of this file that was begun in the last day, in this browser, by who is signed in. */
export const pendingUpload = (identity: string): PendingUpload | undefined =>
  entries().find((entry) => entry.identity === identity);

/** All that were begun for a purpose and are not being sent now, the newest first. */
export const pendingUploadsFor = (purpose: string): readonly PendingUpload[] =>
  entries().filter(({ identity }) => identity.startsWith(`${purpose}:`) && !active.has(identity));

/** Notes how far the upload of a file is; `undefined`: there is none any more. Erased at sign-out. */
export function savePendingUpload(identity: string, about: PendingUpload | undefined): void {
  const others = entries().filter((entry) => entry.identity !== identity);
  const all = about ? [{ ...about, identity, at: Date.now() }, ...others] : others;
  storageSet('browser', NAME, all.length === 0 ? undefined : JSON.stringify(all));
}

/** Forgets an upload that was taken back. */
export function forgetPendingUpload(transferId: string): void {
  const one = entries().find((entry) => entry.transferId === transferId);
  if (one) savePendingUpload(one.identity, undefined);
}

function entries(): readonly Entry[] {
  const all = readJson(storageGet('browser', NAME));
  const fresh = Date.now() - UPLOAD_HOURS * HOUR_MS;
  return Array.isArray(all) ? all.filter(isEntry).filter(({ at }) => at > fresh) : [];
}

function isEntry(one: unknown): one is Entry {
  if (typeof one !== 'object' || one === null) return false;
  const { identity, transferId, name, size, offset, at } = one as Partial<Entry>;
  const texts = [identity, transferId, name].every((text) => typeof text === 'string');
  return texts && [size, offset, at].every((number) => Number.isSafeInteger(number));
}
