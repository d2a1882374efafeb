import { cpuBetween, postgresCpuMs } from '#bench/lib/cpu.ts';
import type { BenchDatabase } from '#bench/lib/bench-database.ts';
import { indexBatch } from '#server/domains/messages/history/words.ts';
import { openDatabase } from '#server/infra/postgres/database.ts';
import type { FilledAccount } from './fill.ts';

/** CPU milliseconds per message, of this process and of PostgreSQL. */
export type IndexCost = { appMs: number; postgresMs: number };

/**
 * Indexes the words of filled accounts, as the worker does. An incomplete last batch is left unindexed.
 *
 * @param url the database, on the server of `bench`.
 */
export async function indexWords(
  bench: Pick<BenchDatabase, 'postmaster'>,
  url: string,
  accounts: readonly FilledAccount[],
): Promise<IndexCost> {
  const allAccountsSql = openDatabase(url, { max: 1, as: 'all accounts', name: 'bench' });
  const now = async () => {
    const { user, system } = process.cpuUsage();
    return { appMs: (user + system) / 1000, postgresMs: await postgresCpuMs(bench.postmaster) };
  };
  const before = await now();
  for (const { accountId } of accounts) while (await indexBatch(allAccountsSql, accountId));
  const used = cpuBetween(before, await now());
  await allAccountsSql.end();
  const owner = openDatabase(url, { max: 1, as: 'owner', name: 'bench' });
  await owner.query('vacuum (freeze, analyze)');
  await owner.end();
  const messages = accounts.reduce((sum, one) => sum + one.messages, 0);
  return { appMs: used.appMs / messages, postgresMs: used.postgresMs / messages };
}
