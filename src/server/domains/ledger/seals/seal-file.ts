import type { Sql } from '#server/infra/postgres/database.ts';
import { appendToSealFile, readSealFile } from '#server/infra/seal-file.ts';

/** The seals as the file beside the database has them, by number. */
export type FiledSeal = { day: string; hash: string };

/**
 * The seals of a data folder's file; empty when it has none yet. What was cut off by a crash while it
 * was written counts as not there.
 */
export async function readSeals(folder: string): Promise<Map<number, FiledSeal>> {
  const seals = new Map<number, FiledSeal>();
  for (const line of (await readSealFile(folder)).split('\n')) {
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
  const known = Math.max(0, ...(await readSeals(folder)).keys());
  const missing = await allAccountsSql<
    { seal_no: number; day: string; hash: string; created_at: Date }[]
  >`
    select seal_no, day, hash, created_at from ledger_seals where seal_no > ${known}
    order by seal_no`;
  await appendToSealFile(
    folder,
    missing.map(
      ({ seal_no, day, hash, created_at }) =>
        `${seal_no} ${day} ${hash} ${created_at.toISOString()}`,
    ),
  );
}
