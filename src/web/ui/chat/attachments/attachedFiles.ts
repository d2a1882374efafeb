import { fileOf } from '#web/api/uploads/outgoingFiles.ts';
import { readJson } from '#web/browser/json.ts';
import { storageGet, storageSet } from '#web/browser/storage.ts';

/** A file that goes along with what is written, and what is said of it. */
export type AttachedFile = { id: string; file: File; caption: string };

/** A file whose bytes are nowhere any more. */
export type GoneFile = { name: string; caption: string };

type StoredFile = { id: string; name: string; caption: string };

const nameFor = (thread: string): string => `attached ${thread}`;

const isStored = (value: unknown): value is readonly StoredFile[] =>
  Array.isArray(value) &&
  value.every((one: Partial<StoredFile>) =>
    [one.id, one.name, one.caption].every((text) => typeof text === 'string'),
  );

/** What is known of a thread's attached files without their bytes. */
export function storedFiles(thread: string): readonly StoredFile[] {
  const stored = readJson(storageGet('browser', nameFor(thread)));
  return isStored(stored) ? stored : [];
}

/** Stores which files are attached in a thread; their bytes are kept by `outgoingFiles`. */
export function storeFiles(thread: string, files: readonly AttachedFile[]): void {
  const stored = files.map(({ id, file, caption }) => ({ id, name: file.name, caption }));
  storageSet('browser', nameFor(thread), files.length === 0 ? undefined : JSON.stringify(stored));
}

/** The files that were attached in a thread, and those whose bytes are nowhere any more. */
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
