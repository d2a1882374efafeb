import fc from 'fast-check';
import { expect } from 'vitest';
import { getSaldoAlert, saveSaldoAlert } from '#contract/saldo.ts';
import { type TestDatabase, test } from '#tests/support/database/database.ts';
import { customerWith } from '#tests/support/people/people.ts';
import { MORNING, clockAt, perform } from '#tests/support/money/topups.ts';
import { alertActs, type AlertDeps, checkAlerts, startAlertWatch } from './alerts.ts';
import { giveSaldo } from '#tests/support/money/wallets.ts';

type Notice = Parameters<AlertDeps['queueNotice']>[1];
type Sent = { phone: string; text: string; key: string };

function alertApp(db: TestDatabase) {
  const clock = clockAt();
  const notices: Notice[] = [];
  const sent: Sent[] = [];
  const announced: object[] = [];
  const deps: AlertDeps = {
    allAccountsSql: db.allAccountsSql,
    queueNotice: async (_tx, notice) => void notices.push(notice),
    announceLow: async (_tx, low) => void announced.push(low),
    sendSystemText: async (phone, text, key) => {
      if (!sent.some((one) => one.key === key)) sent.push({ phone, text, key });
    },
    report: (error) => {
      throw error;
    },
    now: clock.now,
  };
  return { deps, clock, notices, sent, announced };
}

async function setSaldo(db: TestDatabase, accountId: string, available: number): Promise<void> {
  const [wallet] = await db.allAccountsSql<{ available: number }[]>`
    select available from wallets where account_id = ${accountId}`;
  const delta = available - (wallet?.available ?? 0);
  if (delta === 0) return;
  await db.allAccountsSql.begin((tx) =>
    giveSaldo(tx, accountId, delta, { kind: 'adjust', memo: 'test' }),
  );
}

const save = (db: TestDatabase, accountId: string, threshold?: number) =>
  perform(
    alertActs({ sql: db.tenantSql }),
    saveSaldoAlert.name,
    { accountId },
    {
      ...(threshold !== undefined && { threshold: String(threshold) }),
    },
  );

const table: readonly [
  what: string,
  steps: readonly [saldo: number, hours: number][],
  fires: number,
][] = [
  [
    'above all the time',
    [
      [200_000, 1],
      [100_000, 1],
      [150_000, 1],
    ],
    0,
  ],
  ['at the threshold is not below it', [[100_000, 1]], 0],
  ['one rupiah below', [[99_999, 1]], 1],
  [
    'below for long alerts once',
    [
      [99_999, 1],
      [50_000, 10],
      [0, 10],
    ],
    1,
  ],
  [
    'back to 1.2 times is not above it',
    [
      [50_000, 1],
      [120_000, 7],
      [50_000, 7],
    ],
    1,
  ],
  [
    'back above 1.2 times, and down again',
    [
      [50_000, 1],
      [120_001, 7],
      [50_000, 7],
    ],
    2,
  ],
  [
    'down again too soon, and then up: never told',
    [
      [50_000, 1],
      [130_000, 1],
      [50_000, 1],
      [130_000, 9],
    ],
    1,
  ],
  [
    'down again too soon, and it lasts: told when six hours are over',
    [
      [50_000, 1],
      [130_000, 1],
      [50_000, 1],
      [40_000, 5],
    ],
    2,
  ],
  [
    'five hours are too soon',
    [
      [50_000, 1],
      [130_000, 1],
      [50_000, 4],
    ],
    1,
  ],
  [
    'six hours to the minute',
    [
      [50_000, 1],
      [130_000, 1],
      [50_000, 5],
    ],
    2,
  ],
];

for (const [what, steps, fires] of table) {
  test(`a low saldo: ${what}`, async ({ db, sql }) => {
    const { deps, clock, notices } = alertApp(db);
    const { accountId } = await customerWith(sql, { saldo: 200_000 });
    await save(db, accountId, 100_000);
    for (const [saldo, hours] of steps) {
      clock.pass(hours);
      await setSaldo(db, accountId, saldo);
      await checkAlerts(deps, [accountId]);
      await checkAlerts(deps);
    }
    expect(notices).toHaveLength(fires);
  });
}

test('no account is alerted twice in six hours, or without a fall below the threshold', async ({
  db,
  sql,
}) => {
  const step = fc.record({
    saldo: fc.constantFrom(0, 99_999, 100_000, 110_000, 120_000, 120_001, 300_000),
    hours: fc.constantFrom(0, 1, 3, 6, 12),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 14 }), async (steps) => {
      const { deps, clock } = alertApp(db);
      const { accountId } = await customerWith(sql, { saldo: 300_000 });
      await save(db, accountId, 100_000);
      const firedAt: number[] = [];
      // A fall requires a saldo at or above the threshold before, and after an alert above 1.2 times.
      let canFall = true;
      for (const { saldo, hours } of steps) {
        clock.pass(hours);
        await setSaldo(db, accountId, saldo);
        const fired = await checkAlerts(deps, [accountId]);
        expect(fired).toBeLessThanOrEqual(1);
        if (fired === 1) {
          expect(canFall).toBe(true);
          expect(saldo).toBeLessThan(100_000);
          const last = firedAt.at(-1);
          const at = clock.now().getTime();
          if (last !== undefined) expect(at - last).toBeGreaterThanOrEqual(6 * 3_600_000);
          firedAt.push(at);
          canFall = false;
        } else {
          if (saldo > 120_000) canFall = true;
          const isEarly = firedAt.some((at) => clock.now().getTime() - at < 6 * 3_600_000);
          if (canFall && !isEarly) expect(saldo).toBeGreaterThanOrEqual(100_000);
        }
      }
    }),
    { numRuns: 60 },
  );
});

test('many concurrent checks alert an account once, by notice and by message', async ({
  db,
  sql,
}) => {
  const { deps, notices, sent, announced } = alertApp(db);
  const ani = await customerWith(sql, { saldo: 200_000 });
  const budi = await customerWith(sql, { saldo: 10 });
  await save(db, ani.accountId, 100_000);
  await setSaldo(db, ani.accountId, 42_000);
  const watches = Array.from({ length: 4 }, () => startAlertWatch(deps));
  await Promise.all(watches.map((watch) => watch.check()));
  await Promise.all(watches.map((watch) => watch.close()));
  expect(announced).toEqual([{ accountId: ani.accountId, threshold: 100_000, available: 42_000 }]);
  expect(notices).toEqual([
    {
      accountId: ani.accountId,
      title: 'Saldo hampir habis',
      body: 'Tersisa Rp\u00A042.000, di bawah batas Rp\u00A0100.000 yang Anda atur.',
      url: '/saldo',
      tag: 'saldo-rendah',
    },
  ]);
  expect(sent).toMatchObject([
    { phone: ani.phone, text: expect.stringContaining('tersisa Rp\u00A042.000') },
  ]);
  expect(sent.some(({ phone }) => phone === budi.phone)).toBe(false);
  const left = await sql`select 1 from saldo_alert_messages`;
  expect(left).toHaveLength(0);
});

test('a message whose sender crashed is sent once more under its key', async ({ db, sql }) => {
  const { deps, clock, sent } = alertApp(db);
  const ani = await customerWith(sql, { saldo: 200_000 });
  await save(db, ani.accountId, 100_000);
  await setSaldo(db, ani.accountId, 1_000);
  await checkAlerts(deps);
  const broken: unknown[] = [];
  const keys: string[] = [];
  const dying = startAlertWatch({
    ...deps,
    sendSystemText: async (_phone, _text, key) => {
      keys.push(key);
      throw new Error('killed');
    },
    report: (error) => void broken.push(error),
  });
  await dying.check();
  await dying.close();
  expect(broken).toHaveLength(1);
  const next = startAlertWatch(deps);
  await next.check();
  expect(sent).toHaveLength(0);
  clock.pass(1);
  await next.check();
  await next.check();
  await next.close();
  expect(sent.map(({ key }) => key)).toEqual(keys);
});

test('an alert fires with everything that belongs to it, or not at all', async ({ db, sql }) => {
  const { deps, notices } = alertApp(db);
  const { accountId } = await customerWith(sql, { saldo: 200_000 });
  await save(db, accountId, 100_000);
  await setSaldo(db, accountId, 5);
  const failing = { ...deps, queueNotice: async () => Promise.reject(new Error('no')) };
  await expect(checkAlerts(failing)).rejects.toThrow('no');
  expect(await sql`select 1 from saldo_alert_messages`).toHaveLength(0);
  expect(await checkAlerts(deps)).toBe(1);
  expect(notices).toHaveLength(1);
});

test('an alert is off by default; another threshold does not repeat the alert of a saldo already low', async ({
  db,
  sql,
}) => {
  const { deps, clock } = alertApp(db);
  const { accountId } = await customerWith(sql, { saldo: 50_000 });
  const acts = alertActs({ sql: db.tenantSql });
  const read = () => perform(acts, getSaldoAlert.name, { accountId });
  expect(await read()).toEqual({ threshold: null, fired_at: null });
  expect(await checkAlerts(deps)).toBe(0);

  expect(await save(db, accountId, 100_000)).toEqual({ threshold: 100_000, fired_at: null });
  expect(await checkAlerts(deps)).toBe(0);
  await save(db, accountId, 40_000);
  await setSaldo(db, accountId, 30_000);
  // Saving the same threshold again does not rearm the alert.
  await save(db, accountId, 40_000);
  expect(await checkAlerts(deps)).toBe(1);
  expect(await read()).toEqual({ threshold: 40_000, fired_at: MORNING });

  await save(db, accountId);
  clock.pass(24);
  await setSaldo(db, accountId, 90_000);
  await setSaldo(db, accountId, 1);
  expect(await checkAlerts(deps)).toBe(0);
  await save(db, accountId, 1_000);
  await expect(save(db, accountId, 999)).rejects.toThrow(/Batas minimal/);
});

test('checks the alerts of many accounts through index lookups', async ({ db, sql }) => {
  const { accountId } = await customerWith(sql, { saldo: 200_000 });
  await save(db, accountId, 100_000);
  await db.owner`analyze saldo_alerts`;
  const plan = await db.owner.begin(async (tx) => {
    await tx`set local enable_seqscan = off`;
    return tx<{ 'QUERY PLAN': string }[]>`
      explain select a.account_id from saldo_alerts a join wallets w on w.account_id = a.account_id
      where a.account_id = any(${[accountId]}::uuid[]) and a.armed and w.available < a.threshold`;
  });
  const text = plan.map((line) => line['QUERY PLAN']).join('\n');
  expect(text).toContain('saldo_alerts_pkey');
  expect(text).toContain('wallets_pkey');
});
