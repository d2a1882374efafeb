/**
 * `npm run bench:send`: messages accepted, charged and queued per second through HTTP (key, validation, idempotency
 * key, limits; durable before the 202), compared with a raw single-row INSERT with 10 connections in the same rounds;
 * `--against <checkout>` runs another checkout, with its own packages, in turn with this one. Prints ratios and writes
 * them to bench/results.md.
 */
import { parseArgs } from 'node:util';
import { type Contender, openContender } from './lib/contender.ts';
import { residentMb } from './lib/cpu.ts';
import { type SendLoad, richCustomers, sendOn } from './lib/customers.ts';
import { type Load, loadWith } from './lib/load.ts';
import { report, table } from './lib/results.ts';
import { interleaved, median } from './lib/rounds.ts';
import { type Sql, openDatabase } from '#server/infra/postgres/database.ts';
import { json } from '#server/infra/postgres/sql.ts';
import { newId } from '#server/infra/ids.ts';

const WALLETS = 100;
const ROUNDS = Number(process.env['ROUNDS'] ?? 5);
const ROUND_MS = Number(process.env['ROUND_MS'] ?? 3000);

type Measured = Load & Partial<SendLoad>;

type Sender = Contender & {
  idleMb: number;
  sending: (connections: number, wallets: number) => () => Promise<SendLoad>;
};

async function openSender(root?: string): Promise<Sender> {
  const contender = await openContender({ root, env: { ROLE: 'web' } });
  const idleMb = await residentMb(contender.app.pid);
  const customers = await richCustomers(contender.database.allAccountsSql, WALLETS);
  const sending = (connections: number, wallets: number) => () =>
    sendOn(contender, customers.slice(0, wallets), { connections, forMs: ROUND_MS });
  await sending(50, WALLETS)();
  return { ...contender, idleMb, sending };
}

const sizes = {
  '100 wallets, 50 connections': [50, WALLETS],
  '100 wallets, 10 connections': [10, WALLETS],
  '100 wallets, 1 connection': [1, WALLETS],
  'one hot wallet, 50 connections': [50, 1],
  'one hot wallet, 10 connections': [10, 1],
  'one hot wallet, 1 connection': [1, 1],
} as const;
const RAW = 'raw INSERT, 10 connections';
const OTHER = ' (against)';

function casesOf(rawPool: Sql, here: Sender, other?: Sender) {
  const cases: Record<string, () => Promise<Measured>> = {
    [RAW]: () =>
      loadWith(10, ROUND_MS, async () => {
        await rawPool`insert into raw_control (id, body) values (${newId()}, ${json({ text: 'Halo' })})`;
        return true;
      }),
  };
  for (const [name, [connections, wallets]] of Object.entries(sizes)) {
    cases[name] = here.sending(connections, wallets);
    if (other) cases[name + OTHER] = other.sending(connections, wallets);
  }
  return cases;
}

const rates = (loads: readonly Load[] = []) => loads.map((load) => load.perSecond);

function ratio(loads: readonly Load[], control: readonly Load[] | undefined): string {
  if (!control) return '';
  const others = rates(control);
  return median(rates(loads).map((rate, round) => rate / (others[round] ?? rate))).toFixed(2);
}

function rowOf(name: string, measured: Readonly<Record<string, Measured[]>>): string[] {
  const loads = measured[name] ?? [];
  const cpu = (of: 'appCpu' | 'postgresCpu'): string => {
    const each = loads.flatMap((load) => load[of] ?? []);
    return each.length > 0 ? median(each).toFixed(2) : '';
  };
  const p50 = median(loads.map((load) => load.p50Ms));
  return [
    name,
    ratio(loads, measured[RAW]),
    ratio(loads, measured[name + OTHER]),
    String(Math.round(median(rates(loads)))),
    p50.toFixed(1),
    (median(loads.map((load) => load.p99Ms)) / p50).toFixed(1),
    cpu('appCpu'),
    cpu('postgresCpu'),
    String(loads.reduce((sum, load) => sum + load.refused, 0)),
  ];
}

const memoryOf = async ({ app, idleMb }: Sender): Promise<string> =>
  `${idleMb.toFixed(0)} MB idle, ${(await residentMb(app.pid)).toFixed(0)} MB after the load; first answer after ${Math.round(app.startMs)} ms.`;

const { values } = parseArgs({ options: { against: { type: 'string' } } });
const here = await openSender();
const other = values.against === undefined ? undefined : await openSender(values.against);
const { owner, url } = here.database;
await owner`create table raw_control (id uuid primary key, body jsonb, at timestamptz default now())`;
await owner`grant select, insert on raw_control to kabari_app`;
const rawPool = openDatabase(url, { max: 10, as: 'all accounts', name: 'control' });
try {
  const measured = await interleaved<string, Measured>(ROUNDS, casesOf(rawPool, here, other));
  const head = [
    'case',
    '÷ raw',
    '÷ other',
    '/s',
    'p50 ms',
    'p99 ÷ p50',
    'app CPU ms each',
    'PostgreSQL CPU ms each',
    'refused',
  ];
  const body = Object.keys(measured).map((name) => rowOf(name, measured));
  const memory = [`app process: ${await memoryOf(here)}`];
  if (other) memory.push(`against: ${await memoryOf(other)}`);
  await report(
    'send: accepted, charged and queued through HTTP',
    `${table(head, body)}\n\n${memory.join('\n')}`,
  );
} finally {
  await rawPool.end();
  await here.close();
  await other?.close();
}
