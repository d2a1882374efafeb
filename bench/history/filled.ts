import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BenchDatabase } from '#bench/lib/bench-database.ts';
import { migrateAs } from './contender.ts';
import { type Subject, fillSubjects } from './subject.ts';
import { type IndexCost, indexWords } from './words.ts';

/** Accounts with their messages (newest at `endMs`), and the cost of indexing their words. */
export type Filled = { subjects: Subject[]; endMs: number; indexed?: IndexCost };

type Options = {
  sizes: readonly number[];
  days: number;
  root: string;
  keptIn: string | undefined;
};

/**
 * A database with accounts of the given sizes, and their words indexed where the schema has an index: filled now, or
 * reused from an earlier run.
 *
 * @throws Error when the stored database has another size.
 */
export async function filledDatabase(
  bench: BenchDatabase,
  { sizes, days, root, keptIn }: Options,
): Promise<Filled> {
  const file = keptIn && join(keptIn, 'filled.json');
  const kept = file && (await readFile(file, 'utf8').catch(() => undefined));
  await migrateAs(root, bench.url);
  if (kept) {
    const filled = JSON.parse(kept) as Filled;
    const found = filled.subjects.map(({ messages }) => messages);
    if (found.join() !== sizes.join())
      throw new Error(`the stored database has ${found.join()} messages`);
    return filled;
  }
  const end = new Date();
  const subjects = await fillSubjects(bench.owner, { sizes, days, end });
  const [shape] = await bench.owner<{ hasIndex: boolean }[]>`
    select to_regclass('message_words') is not null as "hasIndex"`;
  const filled: Filled = {
    subjects,
    endMs: end.getTime(),
    ...(shape?.hasIndex && { indexed: await indexWords(bench, bench.url, subjects) }),
  };
  if (file) await writeFile(file, JSON.stringify(filled));
  return filled;
}
