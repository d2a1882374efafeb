import { useState } from 'react';
import { storedFiles } from '#web/ui/chat/attachments/attachedFiles.ts';
import { storageGet, storageSet } from '#web/browser/storage.ts';

const nameFor = (thread: string): string => `draft ${thread}`;

/** The draft of a thread, stored in this browser until it is sent. */
export function useDraft(thread: string): [string, (text: string) => void] {
  const name = nameFor(thread);
  const [draft, setDraft] = useState({ name, text: storageGet('browser', name) ?? '' });
  if (draft.name !== name) setDraft({ name, text: storageGet('browser', name) ?? '' });
  const write = (text: string) => {
    setDraft({ name, text });
    storageSet('browser', name, text === '' ? undefined : text);
  };
  return [draft.name === name ? draft.text : '', write];
}

/** The draft of a thread for the list: its text, a file's caption, or a file's name; '' if there is none. */
export function draftOf(thread: string): string {
  const files = storedFiles(thread);
  const texts = [
    storageGet('browser', nameFor(thread)) ?? '',
    ...files.map(({ caption }) => caption),
  ];
  return texts.map((text) => text.trim()).find((text) => text !== '') ?? files[0]?.name ?? '';
}
