import { readJson } from '#web/browser/json.ts';
import { storageGet } from '#web/browser/storage.ts';
import { createStore } from '#web/browser/store.ts';

/** Where a tab stores what it has not sent yet. */
export const OUTGOING = 'outgoing';

/** A text that waits for a network, by its conversation. */
type Waiting = { tokenId: string; peer: string; why?: string | undefined };

/** The texts that wait, oldest first: from the storage, until what sends them is here itself. */
export const waitingTexts = createStore<readonly Waiting[]>(() => {
  const stored = readJson(storageGet('tab', OUTGOING));
  return Array.isArray(stored) ? waitingOf(stored as readonly Waiting[]) : [];
});

/** Those that have not failed. */
export const waitingOf = <Text extends Waiting>(all: readonly Text[]): readonly Text[] =>
  all.filter(({ why }) => why === undefined);
