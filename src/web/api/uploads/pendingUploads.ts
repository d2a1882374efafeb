import { UPLOAD_HOURS } from '#contract/uploads.ts';
import { readJson } from '#web/browser/json.ts';
import { storageSet, storageGet } from '#web/browser/storage.ts';

const NAME = 'uploads';
/** Bytes at the start of a file that distinguish it from others of the same name, size and date. */
const MARK_BYTES = 65_536;
const HOUR_MS = 3_600_000;

/** An unfinished upload in pieces. */
export type PendingUpload = {
  transferId: string;
  name: string;
  /** Total bytes, and bytes received at the last report. */
  size: number;
  offset: number;
};

type Entry = PendingUpload & { identity: string; at: number };

/**
 * Identifies a file by its name, size, date, first bytes and purpose. Only Chromium has lasting file handles (File
 * System Access), so after a reload the person selects the file again and this finds its upload.
 */
export async function identify(file: File, purpose: string): Promise<string> {
  const start = new Uint8Array(await file.slice(0, MARK_BYTES).arrayBuffer());
  return [purpose, file.size, file.lastModified, markOf(start), file.name].join(':');
}

/** FNV-1a, 32 bits, twice: not a secret; `crypto.subtle` is missing on plain http. */
function markOf(bytes: Uint8Array): string {
  let one = 0x811c9dc5;
  let two = 0x1b873593;
  for (const byte of bytes) {
    one = Math.imul(one ^ byte, 0x01000193);
    two = Math.imul(two ^ byte, 0x85ebca6b) + 0x27d4eb2f;
  }
  return `${(one >>> 0).toString(36)}${(two >>> 0).toString(36)}`;
}

const active = new Set<string>();

/**
 * Claims the upload of this file.
 * @returns the release function; `undefined` if another item holds it.
 */
export function claimPendingUpload(identity: string): (() => void) | undefined {
  if (active.has(identity)) return undefined;
  active.add(identity);
  return () => void active.delete(identity);
}

/** The upload of this file started within the last day, in this browser, by the signed-in user. */
export const pendingUpload = (identity: string): PendingUpload | undefined =>
  entries().find((entry) => entry.identity === identity);

/** All uploads of a purpose that are not being sent, newest first. */
export const pendingUploadsFor = (purpose: string): readonly PendingUpload[] =>
  entries().filter(({ identity }) => identity.startsWith(`${purpose}:`) && !active.has(identity));

/** Stores the progress of an upload; `undefined` deletes it. Erased at sign-out. */
export function savePendingUpload(identity: string, about: PendingUpload | undefined): void {
  const others = entries().filter((entry) => entry.identity !== identity);
  const all = about ? [{ ...about, identity, at: Date.now() }, ...others] : others;
  storageSet('browser', NAME, all.length === 0 ? undefined : JSON.stringify(all));
}

export function forgetPendingUpload(transferId: string): void {
  const one = entries().find((entry) => entry.transferId === transferId);
  if (one) savePendingUpload(one.identity, undefined);
}

function entries(): readonly Entry[] {
  const all = readJson(storageGet('browser', NAME));
  const notBefore = Date.now() - UPLOAD_HOURS * HOUR_MS;
  return Array.isArray(all) ? all.filter(isEntry).filter(({ at }) => at > notBefore) : [];
}

function isEntry(one: unknown): one is Entry {
  if (typeof one !== 'object' || one === null) return false;
  const { identity, transferId, name, size, offset, at } = one as Partial<Entry>;
  const texts = [identity, transferId, name].every((text) => typeof text === 'string');
  return texts && [size, offset, at].every((number) => Number.isSafeInteger(number));
}
