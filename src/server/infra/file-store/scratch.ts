import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from '#server/infra/ids.ts';

/** Where a node lays what it is working on: pieces that come, drafts, what is being made. */
export const scratchFolder = (dataFolder: string): string => join(dataFolder, 'uploads');

/** A path of its own in the scratch folder, which is made where it is missing. */
export async function scratchPath(dataFolder: string): Promise<string> {
  const folder = scratchFolder(dataFolder);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return join(folder, `draft-${newId()}`);
}

/** Deletes what lies in a scratch folder and was not written to for so long: its process died. */
export async function sweepScratch(folder: string, ageMs: number): Promise<void> {
  const before = Date.now() - ageMs;
  for (const name of await readdir(folder).catch(() => [])) {
    const facts = await stat(join(folder, name)).catch(() => undefined);
    if (facts && facts.mtimeMs < before) {
      await rm(join(folder, name), { recursive: true, force: true });
    }
  }
}
