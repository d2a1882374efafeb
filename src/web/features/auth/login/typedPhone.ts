import { createContext } from 'react';
import { createStore } from '#web/browser/store.ts';

/** The number typed on the page before, so that it is typed only once; '' when there is none. */
export const TypedPhone = createContext(createStore(() => ''));
