import { join } from 'node:path';
import { type BenchDatabase, openBenchDatabase } from '#bench/lib/bench-database.ts';
import { cpuMs, postgresCpuMs } from '#bench/lib/cpu.ts';
import {
  type Customer,
  type SendLoad,
  enrich,
  richCustomers,
  sendOn,
} from '#bench/lib/customers.ts';
import { table } from '#bench/lib/results.ts';
import { interleaved, median } from '#bench/lib/rounds.ts';
import { startApp } from '#bench/lib/server.ts';
import { openDatabase } from '#server/infra/postgres/database.ts';
import type { FilledAccount } from './fill.ts';

const ROUND_MS = 3_000;
const CONNECTIONS = 50;
const RATIO_MIN = 0.9;

type Place = Pick<BenchDatabase, 'url' | 'folder' | 'postmaster'>;

async function openSender({ url, folder, postmaster }: Place, customer: Customer) {
  const app = await startApp({
    DATABASE_URL: url,
    KABARI_DATA: join(folder, 'accepts'),
    RATE_API_PER_SECOND: '1000000',
    ROLE: 'web',
  });
  const cpu = async () => ({
    appMs: await cpuMs(app.pid),
    postgresMs: await postgresCpuMs(postmaster),
  });
  const send = () =>
    sendOn({ apps: [app], cpu }, [customer], { connections: CONNECTIONS, forMs: ROUND_MS });
  await send();
  return { send, stop: app.stop };
}

/**
 * Messages accepted per second for an account with a large history ÷ for one on an empty database, in turn.
 *
 * @param large the large account and its database.
 */
export async function measureAccepts(
  large: Place & { account: FilledAccount },
  rounds: number,
): Promise<string> {
  const empty = await openBenchDatabase(2);
  const allAccountsSql = openDatabase(large.url, { max: 1, as: 'all accounts', name: 'bench' });
  const stops: (() => Promise<void>)[] = [];
  try {
    const [fresh] = await richCustomers(empty.allAccountsSql, 1);
    const { accountId, tokenIds } = large.account;
    const full = await enrich(allAccountsSql, { accountId, tokenId: tokenIds[0] ?? '' });
    if (!fresh) throw new Error('no customer');
    const [withHistory, without] = [await openSender(large, full), await openSender(empty, fresh)];
    stops.push(withHistory.stop, without.stop);
    const loads = await interleaved<string, SendLoad>(rounds, {
      large: withHistory.send,
      empty: without.send,
    });
    return summaryOf(loads['large'] ?? [], loads['empty'] ?? []);
  } finally {
    for (const stop of stops) await stop();
    await allAccountsSql.end();
    await empty.close();
  }
}

function summaryOf(large: readonly SendLoad[], empty: readonly SendLoad[]): string {
  const of = (loads: readonly SendLoad[], value: (load: SendLoad) => number) =>
    median(loads.map(value));
  const row = (name: string, loads: readonly SendLoad[]) => [
    name,
    of(loads, (load) => load.perSecond).toFixed(0),
    of(loads, (load) => load.p50Ms).toFixed(1),
    of(loads, (load) => load.p99Ms).toFixed(1),
    of(loads, (load) => load.appCpu).toFixed(2),
    of(loads, (load) => load.postgresCpu).toFixed(2),
  ];
  const ratios = large.map(({ perSecond }, n) => perSecond / (empty[n]?.perSecond ?? perSecond));
  const ratio = median(ratios);
  const head = ['accepted', '/s', 'p50 ms', 'p99 ms', 'app CPU ms each', 'PostgreSQL CPU ms each'];
  return [
    table(head, [row('large account', large), row('empty database', empty)]),
    '',
    `Large ÷ empty ${ratio.toFixed(2)} (at least ${RATIO_MIN}): ${ratio >= RATIO_MIN ? 'held' : 'NOT held'}.`,
  ].join('\n');
}
