import { storageNames } from '#web/browser/storageNames.ts';
import { createStore } from '#web/browser/store.ts';

/** What the names of all lines begin with that wait in this browser. */
export const LINE_NAMES = 'support-line ';

/** How many lines wait: counted from the storage until the outbox itself is here. */
export const supportWaiting = createStore(() => storageNames('browser', LINE_NAMES).length);
