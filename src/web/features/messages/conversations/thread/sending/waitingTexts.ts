import { readJson } from '#web/browser/json.ts';
import { storageGet } from '#web/browser/storage.ts';
import { createStore } from '#web/browser/store.ts';

export const OUTGOING = 'outgoing';

type Waiting = { tokenId: string; peer: string; why?: string | undefined };

/** Queued texts, oldest first: from the storage, until the sending code is loaded. */
export const waitingTexts = createStore<readonly Waiting[]>(() => {
  const stored = readJson(storageGet('tab', OUTGOING));
  return Array.isArray(stored) ? waitingOf(stored as readonly Waiting[]) : [];
});

export const waitingOf = <Text extends Waiting>(all: readonly Text[]): readonly Text[] =>
  all.filter(({ why }) => why === undefined);
