import { storageMemory, storageOf, STORAGE_PREFIX, type Where } from '#web/browser/storage.ts';

/** The stored names with this prefix, in no order. */
export function storageNames(where: Where, start: string): readonly string[] {
  const names = [...storageMemory.keys()];
  try {
    for (const name of Object.keys(storageOf(where))) {
      if (name.startsWith(STORAGE_PREFIX)) names.push(name.slice(STORAGE_PREFIX.length));
    }
  } catch {
    // No storage, no names.
  }
  return names.filter((name) => name.startsWith(start));
}

/** Listens for changes by other tabs to entries with this prefix. @returns the stop function */
export function onStorageChange(start: string, changed: () => void): () => void {
  const look = ({ key }: StorageEvent) => {
    if (key === null || key.startsWith(STORAGE_PREFIX + start)) changed();
  };
  window.addEventListener('storage', look);
  return () => window.removeEventListener('storage', look);
}
