import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sql } from '#server/infra/postgres/database.ts';

/** The seals as the file beside the database has them, by number. */
export type FiledSeal = { day: string; hash: string };

const nameOf = (folder: string): string => join(folder, 'ledger-seals.txt');

const readText = (folder: string): Promise<string> =>
  readFile(nameOf(folder), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });

/**
 * The seals of a data folder's file; empty when it has none yet. What was cut off by a crash while it
 * was written counts as not there.
 */
export async function readSeals(folder: string): Promise<Map<number, FiledSeal>> {
  return sealsIn(await readText(folder));
}

function sealsIn(text: string): Map<number, FiledSeal> {
  const seals = new Map<number, FiledSeal>();
  for (const line of text.split('\n')) {
    const found = /^(\d+) (\d{4}-\d{2}-\d{2}) ([0-9a-f]{64}) /.exec(line);
    if (!found) continue;
    const [, number, day = '', hash = ''] = found;
    // The first of a number counts: lines are only ever added.
    if (!seals.has(Number(number))) seals.set(Number(number), { day, hash });
  }
  return seals;
}

/** Adds the seals that the file has not: only those after its newest, so that nothing old is written anew. */
export async function appendSeals(folder: string, allAccountsSql: Sql): Promise<void> {
  const text = await readText(folder);
  const known = Math.max(0, ...sealsIn(text).keys());
  const missing = await allAccountsSql<
    { seal_no: number; day: string; hash: string; created_at: Date }[]
  >`
    select seal_no, day, hash, created_at from ledger_seals where seal_no > ${known}
    order by seal_no`;
  if (missing.length === 0) return;
  const lines = missing.map(
    ({ seal_no, day, hash, created_at }) =>
      `${seal_no} ${day} ${hash} ${created_at.toISOString()}\n`,
  );
  const file = await open(nameOf(folder), 'a', 0o600);
  try {
    // What a crash cut off ends here, as a line that nobody reads.
    const start = text === '' || text.endsWith('\n') ? '' : '\n';
    await file.appendFile(start + lines.join(''));
    await file.sync();
  } finally {
    await file.close();
  }
}
