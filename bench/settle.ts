/**
 * `npm run bench:settle`: payments credited and messages captured per second, each durable before the response,
 * compared with a raw single-row INSERT with 10 connections in the same rounds. Prints ratios and writes them to
 * bench/results.md.
 */
import { openBenchDatabase } from './lib/bench-database.ts';
import { type Customer, richCustomers } from './lib/customers.ts';
import { type Load, loadWith } from './lib/load.ts';
import { report, table } from './lib/results.ts';
import { interleaved, median } from './lib/rounds.ts';
import { rupiah } from '#contract/base/money.ts';
import { checkLedger } from '#server/domains/ledger/ledger.ts';
import { openSettle } from '#server/domains/messages/dispatch/settle.ts';
import { openIntake } from '#server/domains/messages/submit/accept.ts';
import { hashOf } from '#server/domains/messages/submit/accept.ts';
import { applyPayments } from '#server/domains/payments/topups/pay.ts';
import { newId } from '#server/infra/ids.ts';
import { type Sql, openDatabase } from '#server/infra/postgres/database.ts';
import { json } from '#server/infra/postgres/sql.ts';

const CONNECTIONS = 10;
const WALLETS = 1000;
const ROUNDS = Number(process.env['ROUNDS'] ?? 5);
const ROUND_MS = Number(process.env['ROUND_MS'] ?? 3000);
const PAYMENTS = 100;
const OUTCOMES = 20;

const RAW = 'raw INSERT, 10 connections';

type Topup = { accountId: string; topupId: string; total: number };

async function waitingTopups(owner: Sql, customers: readonly Customer[], count: number) {
  const topups: Topup[] = Array.from({ length: count }, (_, place) => ({
    accountId: customers[place % customers.length]?.accountId ?? '',
    topupId: newId(),
    total: 100_000 + (place % 999) + 1,
  }));
  await owner`
    insert into topups (
      account_id, topup_id, request_key, base, ppn, unique_code, total, credited, income, bank_name,
      bank_number, bank_holder, created_at, expires_at
    )
    select account, id, gen_random_uuid(), 100000, 0, total - 100000, total, total, 0, 'BCA',
      '8800123456', 'PT Kabari', now(), now() + interval '1 day'
    from unnest(
      ${topups.map(({ accountId }) => accountId)}::uuid[],
      ${topups.map(({ topupId }) => topupId)}::uuid[],
      ${topups.map(({ total }) => total)}::bigint[]
    ) as t(account, id, total)`;
  return topups;
}

/** Takes from a stock that is refilled between the rounds. */
function stock<T>(make: (count: number) => Promise<T[]>) {
  let things: T[] = [];
  return {
    fill: async (count: number) => {
      if (things.length < count) things = [...things, ...(await make(count - things.length))];
    },
    take: (): T => {
      const one = things.pop();
      if (one === undefined) throw new Error('the stock is used up; refill more per round');
      return one;
    },
  };
}

const database = await openBenchDatabase(CONNECTIONS);
const { owner, url, allAccountsSql } = database;
await owner`create table raw_control (id uuid primary key, body jsonb, at timestamptz default now())`;
await owner`grant select, insert on raw_control to kabari_app`;
const rawPool = openDatabase(url, { max: CONNECTIONS, as: 'all accounts', name: 'control' });
const customers = await richCustomers(allAccountsSql, WALLETS);
const intake = openIntake(rawPool, () => undefined);
const settle = openSettle({ sql: allAccountsSql });

const topups = stock((count) => waitingTopups(owner, customers, count));
const lots = stock(async (count) => {
  const placed = Array.from({ length: count }, async (_, place) => {
    const { accountId, tokenId } = customers[place % customers.length] ?? {
      accountId: '',
      tokenId: '',
    };
    const items = Array.from({ length: OUTCOMES }, (__, item) => ({
      id: newId(),
      tokenId,
      peer: `6281${String(place * OUTCOMES + item).padStart(8, '0')}`,
      type: 'text',
      body: { text: 'Pesanan Anda sudah kami kirim.' },
      price: rupiah(150),
      hash: Buffer.alloc(0),
      priority: 1,
    }));
    await intake.accept({ accountId, tokenId, hash: hashOf(items), items });
    return { accountId, ids: items.map(({ id }) => id) };
  });
  return Promise.all(placed);
});

/** Pays open top-ups in one transaction, as notices and bank entries that arrive together are. */
async function credit(count: number): Promise<boolean> {
  const at = new Date();
  const payments = Array.from({ length: count }, () => {
    const { accountId, topupId, total } = topups.take();
    return {
      accountId,
      topupId,
      txnId: `bench:${topupId}`,
      amount: rupiah(total),
      at,
      actor: 'bench',
    };
  });
  const outcomes = await allAccountsSql.begin((tx) => applyPayments(tx, payments));
  return outcomes.every((outcome) => outcome === 'applied');
}

const cases: Record<string, () => Promise<Load>> = {
  [RAW]: () =>
    loadWith(CONNECTIONS, ROUND_MS, async () => {
      await rawPool`insert into raw_control (id, body) values (${newId()}, ${json({ text: 'Halo' })})`;
      return true;
    }),
  'payments credited one by one, 10 at once': async () => {
    await topups.fill(ROUND_MS);
    return loadWith(CONNECTIONS, ROUND_MS, () => credit(1));
  },
  [`payments credited, lots of ${PAYMENTS}, 10 at once`]: async () => {
    await topups.fill(12 * ROUND_MS);
    const load = await loadWith(CONNECTIONS, ROUND_MS, () => credit(PAYMENTS));
    return { ...load, perSecond: load.perSecond * PAYMENTS };
  },
  [`messages captured, results of ${OUTCOMES}, 10 lanes`]: async () => {
    await lots.fill(2 * ROUND_MS);
    const load = await loadWith(CONNECTIONS, ROUND_MS, async () => {
      const { accountId, ids } = lots.take();
      const at = new Date();
      const told = {
        accountId,
        lane: undefined,
        outcome: 'sent',
        failure: null,
        at,
        duplicate: false,
      };
      await settle(ids.map((id) => ({ ...told, id })));
      return true;
    });
    return { ...load, perSecond: load.perSecond * OUTCOMES };
  },
};

try {
  const measured = await interleaved(ROUNDS, cases);
  const control = measured[RAW] ?? [];
  const body = Object.entries(measured).map(([name, loads]) => [
    name,
    median(loads.map((load, round) => load.perSecond / (control[round]?.perSecond ?? 1))).toFixed(
      2,
    ),
    String(Math.round(median(loads.map(({ perSecond }) => perSecond)))),
    median(loads.map(({ p50Ms }) => p50Ms)).toFixed(1),
    String(loads.reduce((sum, { refused }) => sum + refused, 0)),
  ]);
  const broken = (await checkLedger(owner)).filter(({ ok }) => !ok);
  if (broken.length > 0) throw new Error(`broken: ${JSON.stringify(broken)}`);
  await report(
    'settle: payments credited and messages captured',
    table(['case', '÷ raw', '/s', 'p50 ms', 'refused'], body),
  );
} finally {
  await intake.close();
  await rawPool.end();
  await database.close();
}
