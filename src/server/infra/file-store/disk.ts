import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { syncFolder } from '#server/infra/sync-folder.ts';
import type { FileStore, Listed } from './file-store.ts';

/**
 * The store of files in a data folder: a key is a path in it.
 *
 * @param root on the disk of what is put there.
 */
export function openDiskStore(root: string): FileStore {
  const placeOf = (key: string) => join(root, key);
  return {
    name: root,
    isShared: false,
    async put(key, path) {
      const place = placeOf(key);
      await mkdir(dirname(place), { recursive: true, mode: 0o700 });
      await rename(path, place);
      await syncFolder(dirname(place));
    },
    size: async (key) => (await stat(placeOf(key)).catch(() => undefined))?.size,
    stream: async (key, span) => (await open(placeOf(key), 'r')).createReadStream({ ...span }),
    withFile: (key, work) => work(placeOf(key)),
    delete: (key) => rm(placeOf(key), { force: true }),
    list: (prefix) => listFolder(root, prefix),
    claim: async () => undefined,
    check: async () => undefined,
    close: () => undefined,
  };
}

async function* listFolder(root: string, prefix: string): AsyncGenerator<Listed> {
  const cut = prefix.lastIndexOf('/') + 1;
  const [folder, begins] = [prefix.slice(0, cut), prefix.slice(cut)];
  const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    if (!entry.name.startsWith(begins)) continue;
    const key = `${folder}${entry.name}`;
    if (entry.isDirectory()) yield* listFolder(root, `${key}/`);
    else {
      const facts = await stat(join(root, key)).catch(() => undefined);
      if (facts) yield { key, sizeBytes: facts.size, modifiedMs: facts.mtimeMs };
    }
  }
}
