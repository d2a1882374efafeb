import { createContext } from 'react';
import { createStore } from '#web/browser/store.ts';

/** The number that was typed on the page before, so that nobody types it twice; '' when none was. */
export const TypedPhone = createContext(createStore(() => ''));
