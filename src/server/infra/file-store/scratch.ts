import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from '#server/infra/ids.ts';

/** The node's folder for work in progress: upload parts, drafts, unfinished exports. */
export const scratchFolder = (dataFolder: string): string => join(dataFolder, 'uploads');

/** A unique path in the scratch folder, which is created if it is missing. */
export async function scratchPath(dataFolder: string): Promise<string> {
  const folder = scratchFolder(dataFolder);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return join(folder, `draft-${newId()}`);
}

/** Deletes files of a scratch folder that were not written to for `ageMs`: their process died. */
export async function sweepScratch(folder: string, ageMs: number): Promise<void> {
  const before = Date.now() - ageMs;
  for (const name of await readdir(folder).catch(() => [])) {
    const facts = await stat(join(folder, name)).catch(() => undefined);
    if (facts && facts.mtimeMs < before) {
      await rm(join(folder, name), { recursive: true, force: true });
    }
  }
}
