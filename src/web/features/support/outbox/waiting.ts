import { storageNames } from '#web/browser/storageNames.ts';
import { createStore } from '#web/browser/store.ts';

/** The prefix of the storage names of queued messages. */
export const LINE_NAMES = 'support-line ';

/** The number of queued messages: counted in the storage until the outbox is loaded. */
export const supportWaiting = createStore(() => storageNames('browser', LINE_NAMES).length);
