/**
 * `npm run bench:send`: messages accepted, charged and queued per second through HTTP (key, validation,
 * idempotency key, limits; durable before the 202), beside a raw single-row INSERT with 10 connections
 * in the same rounds; `--against <checkout>` runs another checkout, with its own packages, in turn with this one.
 * Prints ratios and appends them to bench/results.md.
 */
import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { type BenchDatabase, openBenchDatabase } from './lib/bench-database.ts';
import { type Load, Wire, loadWith } from './lib/load.ts';
import { report, table } from './lib/results.ts';
import { interleaved, median } from './lib/rounds.ts';
import { type AppProcess, cpuMs, residentMb, startApp } from './lib/server.ts';
import { rupiah } from '#contract/base/money.ts';
import { openWallet, postEntry } from '#server/domains/ledger/ledger.ts';
import { makeKey } from '#server/domains/tokens/keys/key.ts';
import { type Sql, openDatabase } from '#server/infra/postgres/database.ts';
import { json } from '#server/infra/postgres/sql.ts';
import { newId } from '#server/infra/ids.ts';

const WALLETS = 100;
const ROUNDS = Number(process.env['ROUNDS'] ?? 5);
const ROUND_MS = Number(process.env['ROUND_MS'] ?? 3000);

/** A customer with a linked token and more saldo than the bench can spend; answers the API key. */
async function richCustomer(allAccountsSql: Sql, place: number): Promise<string> {
  const accountId = newId();
  const tokenId = newId();
  const { key, hash, hint } = makeKey('simulator');
  const phone = `62877${String(place).padStart(8, '0')}`;
  await allAccountsSql.begin(async (tx) => {
    await tx`insert into accounts (account_id, name) values (${accountId}, ${`Toko ${place}`})`;
    await tx`
      insert into tokens (account_id, token_id, name, channel, status, phone, key_hint, daily_limit)
      values (${accountId}, ${tokenId}, 'Kasir', 'simulator', 'linked', ${phone}, ${hint}, 1000000000)`;
    await tx`insert into token_keys (key_hash, account_id, token_id) values (${hash}, ${accountId}, ${tokenId})`;
    await tx`insert into lanes (account_id, token_id) values (${accountId}, ${tokenId})`;
    await openWallet(tx, accountId);
    await postEntry(tx, {
      accountId,
      kind: 'bonus',
      delta: rupiah(1_000_000_000_000),
      contra: 'exp:bonus',
      refType: 'bench',
      refId: accountId,
      idemKey: 'bench',
      actor: 'bench',
    });
  });
  return key;
}

let sent = 0;

/** A request as bytes: another phone and another idempotency key each time. */
function request(port: number, key: string): string {
  sent += 1;
  const to = `62812${String(sent % 10_000_000).padStart(7, '0')}`;
  const body = JSON.stringify({
    to,
    text: { body: `Pesanan ${sent} sudah kami kirim. Terima kasih.` },
  });
  return (
    `POST /v1/messages HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${key}\r\n` +
    `Content-Type: application/json\r\nIdempotency-Key: ${randomUUID()}\r\n` +
    `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
}

type Measured = Load & { cpuPerMessage: number };

/** One checkout's application on a database of its own, with customers that can pay. */
type Contender = {
  app: AppProcess;
  database: BenchDatabase;
  idleMb: number;
  sending: (connections: number, wallets: number) => () => Promise<Measured>;
  close: () => Promise<void>;
};

async function openContender(root?: string): Promise<Contender> {
  const database = await openBenchDatabase(10, { isMigrated: root === undefined });
  const env = { DATABASE_URL: database.url, ROLE: 'web', RATE_API_PER_SECOND: '1000000' };
  const app = await startApp(env, root);
  const idleMb = await residentMb(app.pid);
  const keys = await Promise.all(
    Array.from({ length: WALLETS }, (_, n) => richCustomer(database.allAccountsSql, n)),
  );
  const sending = (connections: number, wallets: number) => async (): Promise<Measured> => {
    const wires = Array.from({ length: connections }, () => new Wire(app.port));
    const before = await cpuMs(app.pid);
    let turn = 0;
    const load = await loadWith(connections, ROUND_MS, async (connection) => {
      const key = keys[turn++ % wallets];
      const wire = wires[connection];
      if (key === undefined || !wire) throw new Error('no wallet');
      return (await wire.ask(request(app.port, key))) === 202;
    });
    for (const wire of wires) wire.close();
    const used = (await cpuMs(app.pid)) - before;
    return { ...load, cpuPerMessage: used / (load.perSecond * (ROUND_MS / 1000)) };
  };
  await sending(50, WALLETS)();
  const close = async () => {
    await app.stop();
    await database.close();
  };
  return { app, database, idleMb, sending, close };
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

/** The control, and each case of each contender: all in the same rounds. */
function casesOf(rawPool: Sql, here: Contender, other?: Contender) {
  const cases: Record<string, () => Promise<Load>> = {
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

/** The median of the rounds' ratios; '' where there is nothing to compare with. */
function ratio(loads: readonly Load[], control: readonly Load[] | undefined): string {
  if (!control) return '';
  const others = rates(control);
  return median(rates(loads).map((rate, round) => rate / (others[round] ?? rate))).toFixed(2);
}

function rowOf(name: string, measured: Readonly<Record<string, Load[]>>): string[] {
  const loads = measured[name] ?? [];
  const cpu = loads.flatMap((load) =>
    'cpuPerMessage' in load ? [Number(load.cpuPerMessage)] : [],
  );
  const p50 = median(loads.map((load) => load.p50Ms));
  return [
    name,
    ratio(loads, measured[RAW]),
    ratio(loads, measured[name + OTHER]),
    String(Math.round(median(rates(loads)))),
    p50.toFixed(1),
    (median(loads.map((load) => load.p99Ms)) / p50).toFixed(1),
    cpu.length > 0 ? median(cpu).toFixed(2) : '',
    String(loads.reduce((sum, load) => sum + load.refused, 0)),
  ];
}

const memoryOf = async ({ app, idleMb }: Contender): Promise<string> =>
  `${idleMb.toFixed(0)} MB idle, ${(await residentMb(app.pid)).toFixed(0)} MB after the load; first answer after ${Math.round(app.startMs)} ms.`;

const { values } = parseArgs({ options: { against: { type: 'string' } } });
const here = await openContender();
const other = values.against === undefined ? undefined : await openContender(values.against);
const { owner, url } = here.database;
await owner`create table raw_control (id uuid primary key, body jsonb, at timestamptz default now())`;
await owner`grant select, insert on raw_control to kabari_app`;
const rawPool = openDatabase(url, { max: 10, as: 'all accounts', name: 'control' });
try {
  const measured = await interleaved<string, Load>(ROUNDS, casesOf(rawPool, here, other));
  const head = [
    'case',
    '÷ raw',
    '÷ other',
    '/s',
    'p50 ms',
    'p99 ÷ p50',
    'app CPU ms each',
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
