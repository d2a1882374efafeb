/**
 * Stores receipts as the worker of a checkout does, in a process with that checkout's own code: takes the pending
 * receipts of the simulated phones, in order, and hands them on in batches as the simulator does.
 *
 * Called by `receipts.ts` with the checkout's folder, the database's address, a folder for files, and the postmaster's
 * process id; prints its findings as JSON.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { cpuBetween, cpuMs, postgresCpuMs } from '#bench/lib/cpu.ts';
import type * as ContainerModule from '#server/app/container.ts';
import type { Receipt } from '#server/domains/channels/channels.ts';
import type * as ConfigModule from '#server/infra/config.ts';
import type * as LogModule from '#server/infra/observability/log.ts';

const BATCH = 500;

const [root = '', url = '', folder = '', postmaster = ''] = process.argv.slice(2);
const load = (file: string): Promise<unknown> =>
  import(pathToFileURL(join(root, 'src/server', file)).href);

const { openContainer } = (await load('app/container.ts')) as typeof ContainerModule;
const { readConfig } = (await load('infra/config.ts')) as typeof ConfigModule;
const { openLog } = (await load('infra/observability/log.ts')) as typeof LogModule;

const container = await openContainer({
  config: readConfig({ DATABASE_URL: url, KABARI_DATA: folder }),
  log: openLog({ level: 'warn' }),
  url,
  dataFolder: folder,
  build: 'bench',
});
const sql = container.pools.allAccountsSql;
const due = await sql<(Receipt & { dueAt: Date })[]>`
  delete from sim_events where kind in ('delivered', 'read')
  returning account_id as "accountId", message_id as "messageId", kind as status, due_at as "dueAt"`;
const all: Receipt[] = due
  .toSorted((a, b) => a.dueAt.getTime() - b.dueAt.getTime())
  .map(({ accountId, messageId, status }) => ({ accountId, messageId, status, at: new Date() }));
/** A quarter of the messages goes first, to warm up connections, plans and code. */
const isFirst = ({ messageId }: Receipt) => /[0-3]$/.test(messageId);
await store(all.filter(isFirst));
const receipts = all.filter((receipt) => !isFirst(receipt));

const reading = async () => ({
  appMs: await cpuMs(process.pid),
  postgresMs: await postgresCpuMs(Number(postmaster)),
});
const before = await reading();
const began = performance.now();
await store(receipts);
const ms = performance.now() - began;
const found = { receipts: receipts.length, ms, ...cpuBetween(before, await reading()) };
await container.close();
process.stdout.write(`\n${JSON.stringify(found)}\n`);

async function store(some: readonly Receipt[]): Promise<void> {
  for (let from = 0; from < some.length; from += BATCH) {
    const unstored = await container.messages.sinks.receipts(some.slice(from, from + BATCH));
    if (unstored[0]) throw unstored[0].error;
  }
}
