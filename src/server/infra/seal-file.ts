import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The file of seals beside the database: an attacker who changes the tables cannot change its copies elsewhere. Lines
 * are only appended.
 */
const nameOf = (folder: string): string => join(folder, 'ledger-seals.txt');

export const readSealFile = (folder: string): Promise<string> =>
  readFile(nameOf(folder), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });

/** Appends whole lines; resolves once they are on disk. */
export async function appendToSealFile(folder: string, lines: readonly string[]): Promise<void> {
  if (lines.length === 0) return;
  const text = await readSealFile(folder);
  const file = await open(nameOf(folder), 'a', 0o600);
  try {
    // Ends a line that a crash cut off; readers ignore it.
    const start = text === '' || text.endsWith('\n') ? '' : '\n';
    await file.appendFile(start + lines.map((line) => `${line}\n`).join(''));
    await file.sync();
  } finally {
    await file.close();
  }
}
