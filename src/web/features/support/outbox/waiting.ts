import { storageNames } from '#web/browser/storageNames.ts';
import { createStore } from '#web/browser/store.ts';

export const LINE_NAMES = 'support-line ';

/** The number of queued messages: counted in the storage until the outbox is loaded. */
export const supportWaiting = createStore(() => storageNames('browser', LINE_NAMES).length);
