import { fileOf } from '#web/api/uploads/outgoingFiles.ts';
import { readJson } from '#web/browser/json.ts';
import { storageGet, storageSet } from '#web/browser/storage.ts';

export type AttachedFile = { id: string; file: File; caption: string };

export type GoneFile = { name: string; caption: string };

type StoredFile = { id: string; name: string; caption: string };

const nameFor = (thread: string): string => `attached ${thread}`;

const isStored = (value: unknown): value is readonly StoredFile[] =>
  Array.isArray(value) &&
  value.every((one: Partial<StoredFile>) =>
    [one.id, one.name, one.caption].every((text) => typeof text === 'string'),
  );

export function storedFiles(thread: string): readonly StoredFile[] {
  const stored = readJson(storageGet('browser', nameFor(thread)));
  return isStored(stored) ? stored : [];
}

/** Stores the attached files of a thread; `outgoingFiles` stores their bytes. */
export function storeFiles(thread: string, files: readonly AttachedFile[]): void {
  const stored = files.map(({ id, file, caption }) => ({ id, name: file.name, caption }));
  storageSet('browser', nameFor(thread), files.length === 0 ? undefined : JSON.stringify(stored));
}

/** The attached files of a thread, and those whose bytes are lost. */
export async function readFiles(
  thread: string,
): Promise<{ files: AttachedFile[]; gone: readonly GoneFile[] }> {
  const stored = storedFiles(thread);
  const found = await Promise.all(stored.map(({ id }) => fileOf(id)));
  const files = stored.flatMap(({ id, caption }, index) => {
    const file = found[index];
    return file ? { id, file, caption } : [];
  });
  return { files, gone: stored.filter((_, index) => !found[index]) };
}
