import { useState } from 'react';
import { storageGet, storageSet } from '#web/browser/storage.ts';

const nameFor = (thread: string): string => `draft ${thread}`;

/** What is being written in a thread, stored in this browser until it is sent. */
export function useDraft(thread: string): [string, (text: string) => void] {
  const name = nameFor(thread);
  const [draft, setDraft] = useState({ name, text: storageGet('browser', name) ?? '' });
  // Another thread, another draft.
  if (draft.name !== name) setDraft({ name, text: storageGet('browser', name) ?? '' });
  const write = (text: string) => {
    setDraft({ name, text });
    storageSet('browser', name, text === '' ? undefined : text);
  };
  return [draft.name === name ? draft.text : '', write];
}

/** The draft of a thread, for a list of them; '' when there is none. */
export const draftOf = (thread: string): string =>
  (storageGet('browser', nameFor(thread)) ?? '').trim();
