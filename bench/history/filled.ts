import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BenchDatabase } from '#bench/lib/bench-database.ts';
import { migrateAs } from './contender.ts';
import { type Subject, fillSubjects } from './subject.ts';
import { type IndexCost, indexWords } from './words.ts';

/** Accounts with their messages, the newest of which is of `endMs`; and what their words cost to index. */
export type Filled = { subjects: Subject[]; endMs: number; indexed?: IndexCost };

type Options = {
  /** Messages of each account. */
  sizes: readonly number[];
  days: number;
  /** The checkout whose migrations make the database. */
  root: string;
  /** Where `bench` is, when what was filled there before is asked again. */
  keptIn: string | undefined;
};

/**
 * A database with accounts of so many messages, and their words indexed where its shape has an index: filled now, or
 * found as an earlier run has kept it.
 *
 * @throws Error when another size was kept.
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
    if (found.join() !== sizes.join()) throw new Error(`kept: ${found.join()} messages`);
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
