import type { SupportCard } from '#contract/support.ts';
import { readJson } from '#web/browser/json.ts';
import { storageGet, storageSet } from '#web/browser/storage.ts';
import { storageNames } from '#web/browser/storageNames.ts';
import { LINE_NAMES } from '#web/features/support/outbox/waiting.ts';
import type { SupportDraft } from '#web/features/support/port.ts';

export type OutgoingLine = Omit<SupportDraft, 'message_id' | 'about'> & {
  /** The `message_id` of every attempt. */
  id: string;
  thread: string;
  /** When it was written, in milliseconds; increasing within a thread. */
  at: number;
  file?: { name: string; type: string; size: number } | undefined;
  card?: SupportCard | undefined;
  why?: string | undefined;
  /** It is not retried automatically. */
  failed?: boolean | undefined;
};

/**
 * All queued messages of this browser, oldest first; each has its own storage entry, so that no tab overwrites
 * another's.
 */
export const storedLines = (): readonly OutgoingLine[] =>
  storageNames('browser', LINE_NAMES)
    .map((name) => readJson(storageGet('browser', name)))
    .filter(isLine)
    .toSorted((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));

export const storedLine = (id: string): OutgoingLine | undefined => {
  const line = readJson(storageGet('browser', LINE_NAMES + id));
  return isLine(line) ? line : undefined;
};

export const waitingBytes = (): number =>
  storedLines().reduce((sum, { file }) => sum + (file?.size ?? 0), 0);

/** Stores a message until it is sent, discarded, or the person signs out. */
export const storeLine = (line: OutgoingLine): void =>
  storageSet('browser', LINE_NAMES + line.id, JSON.stringify(line));

export const forgetLine = (id: string): void => storageSet('browser', LINE_NAMES + id, undefined);

const isLine = (one: unknown): one is OutgoingLine =>
  typeof one === 'object' &&
  one !== null &&
  'id' in one &&
  'thread' in one &&
  'at' in one &&
  typeof one.at === 'number';
