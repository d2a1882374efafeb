import { useState } from 'react';
import { storageSet, storageGet } from '#web/browser/storage.ts';
import type { Which } from '#web/features/messages/conversations/queries.ts';

const nameOf = ({ tokenId, peer }: Which): string => `draft ${tokenId} ${peer}`;

/** What is being written in a conversation, stored in this browser until it is sent. */
export function useDraft(which: Which): [string, (text: string) => void] {
  const name = nameOf(which);
  const [draft, setDraft] = useState({ name, text: storageGet('browser', name) ?? '' });
  // Another conversation, another draft.
  if (draft.name !== name) setDraft({ name, text: storageGet('browser', name) ?? '' });
  const write = (text: string) => {
    setDraft({ name, text });
    storageSet('browser', name, text === '' ? undefined : text);
  };
  return [draft.name === name ? draft.text : '', write];
}

/** The draft of a conversation, for the list; '' when there is none. */
export const draftOf = (which: Which): string =>
  (storageGet('browser', nameOf(which)) ?? '').trim();
