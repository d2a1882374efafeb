import { storageMemory, storageOf, STORAGE_PREFIX, type Where } from '#web/browser/storage.ts';

/** The names of what is kept that begin so, in no order. */
export function storageNames(where: Where, start: string): readonly string[] {
  const names = [...storageMemory.keys()];
  try {
    for (const name of Object.keys(storageOf(where))) {
      if (name.startsWith(STORAGE_PREFIX)) names.push(name.slice(STORAGE_PREFIX.length));
    }
  } catch {
    // Nothing was kept there.
  }
  return names.filter((name) => name.startsWith(start));
}

/** Calls back when another tab has kept or forgotten something whose name begins so. @returns how to stop */
export function onStorageChange(start: string, changed: () => void): () => void {
  const look = ({ key }: StorageEvent) => {
    if (key === null || key.startsWith(STORAGE_PREFIX + start)) changed();
  };
  window.addEventListener('storage', look);
  return () => window.removeEventListener('storage', look);
}
