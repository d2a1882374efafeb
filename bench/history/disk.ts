/**
 * Disk use of a million messages in the database, with their indexes, entries, events and counts: accepted one by one
 * through HTTP, sent, delivered and read, measured when all work is done.
 *
 * `npm run bench:disk`; `DISK_MESSAGES` for another number. The result is scaled to a million. The size of an empty
 * database is subtracted, and the log of PostgreSQL (WAL) is not counted.
 */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Sql } from '#server/infra/postgres/database.ts';
import { openBenchDatabase } from '#bench/lib/bench-database.ts';
import { richCustomers } from '#bench/lib/customers.ts';
import { report, table } from '#bench/lib/results.ts';
import { startApp } from '#bench/lib/server.ts';

const MESSAGES = Number(process.env['DISK_MESSAGES'] ?? 50_000);
const ACCOUNTS = 50;
const CONNECTIONS = 16;
const LOOK_MS = 2_000;
/** A message of usual length. Longer ones add their bytes, up to 2 kB, where compression begins. */
const BODY =
  'Halo Kak Ani, pesanan nomor 2026-1177 sudah kami kemas dan berangkat sore ini. Terima kasih sudah belanja!';

/** Bytes of each table with its indexes; monthly partitions of messages are added up. */
async function sizes(owner: Sql): Promise<Map<string, number>> {
  await owner.query('vacuum analyze');
  const rows = await owner<{ name: string; bytes: number }[]>`
    select regexp_replace(c.relname, '^messages_\\d+.*$', 'messages') as name,
      sum(pg_total_relation_size(c.oid))::float8 as bytes
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'r' and n.nspname in ('public', 'pgboss') group by 1`;
  return new Map(rows.map(({ name, bytes }) => [name, bytes]));
}

async function isStill(sql: Sql): Promise<boolean> {
  const [left] = await sql<{ left: number }[]>`
    select (select count(*) from dispatch) + (select count(*) from outbox)
      + (select count(*) from messages where status not in ('read', 'failed')) as left`;
  return Number(left?.left) === 0;
}

const bench = await openBenchDatabase(4);
try {
  const customers = await richCustomers(bench.allAccountsSql, ACCOUNTS);
  const before = await sizes(bench.owner);
  const app = await startApp({
    DATABASE_URL: bench.url,
    KABARI_DATA: join(bench.folder, 'app'),
    SIMULATOR_SPEED: '0',
    BUSY_DELAY_MS: '0',
  });
  let next = 0;
  const send = async () => {
    for (let n = next++; n < MESSAGES; n = next++) {
      const customer = customers[n % ACCOUNTS];
      const to = `6281${String(200_000_000 + (n % 20_000))}`;
      const answer = await fetch(`http://127.0.0.1:${app.port}/v1/messages`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${customer?.key ?? ''}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({ to, text: { body: BODY } }),
      });
      if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
      await answer.arrayBuffer();
    }
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: CONNECTIONS }, send));
  const seconds = (performance.now() - began) / 1_000;
  while (!(await isStill(bench.allAccountsSql))) await pause(LOOK_MS);
  // Time for background folding and indexing.
  await pause(15_000);
  await app.stop();
  const [count] = await bench.allAccountsSql<
    { n: number }[]
  >`select count(*)::int as n from messages`;
  const made = count?.n ?? 0;
  const after = await sizes(bench.owner);
  const grown = [...after]
    .map(([name, bytes]) => ({ name, bytes: bytes - (before.get(name) ?? 0) }))
    .filter(({ bytes }) => bytes > 0)
    .toSorted((one, two) => two.bytes - one.bytes);
  const total = grown.reduce((sum, { bytes }) => sum + bytes, 0);
  const row = (name: string, bytes: number) => [
    name,
    String(Math.round(bytes / made)),
    String(Math.round(bytes / made) / 1_000),
  ];
  const large = grown.filter(({ bytes }) => bytes > total / 100);
  const rest = total - large.reduce((sum, { bytes }) => sum + bytes, 0);
  await report(
    'Disk: a million messages',
    `${made} messages of ${BODY.length} characters, ${ACCOUNTS} accounts, accepted one by one in ${Math.round(seconds)} s, all read; tables with their indexes, after vacuum.\n\n${table(
      ['table', 'bytes a message', 'GB a million'],
      [...large.map(({ name, bytes }) => row(name, bytes)), row('others', rest), row('all', total)],
    )}`,
  );
} finally {
  await bench.close();
}
