import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The file of seals beside the database: what is written here, and copied elsewhere, cannot be changed
 * together with the tables. Lines are only ever added.
 */
const nameOf = (folder: string): string => join(folder, 'ledger-seals.txt');

/** The whole text; empty when there is none yet. */
export const readSealFile = (folder: string): Promise<string> =>
  readFile(nameOf(folder), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });

/** Adds whole lines, and returns once they are on the disk. */
export async function appendToSealFile(folder: string, lines: readonly string[]): Promise<void> {
  if (lines.length === 0) return;
  const text = await readSealFile(folder);
  const file = await open(nameOf(folder), 'a', 0o600);
  try {
    // What a crash cut off ends here, as a line that nobody reads.
    const start = text === '' || text.endsWith('\n') ? '' : '\n';
    await file.appendFile(start + lines.map((line) => `${line}\n`).join(''));
    await file.sync();
  } finally {
    await file.close();
  }
}
