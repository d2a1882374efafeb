import { expect } from 'vitest';
import type { OperatorOverview } from '#contract/operator/overview.ts';
import { applyReceipts } from '#server/domains/messages/dispatch/settle.ts';
import { openMinuteCounts } from '#server/domains/messages/submit/accept.ts';
import { newId } from '#server/infra/ids.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { liveDefinitions } from '#server/infra/settings/live.ts';
import { phones, acceptTexts } from '#tests/support/app/fake-channel.ts';
import { type TestDatabase, test } from '#tests/support/database/database.ts';
import { foldAll, publishAll } from '#tests/support/figures.ts';
import { clockAt, topupApp } from '#tests/support/money/topups.ts';
import { customerWith } from '#tests/support/people/people.ts';
import { type Overview, openOverview } from './console-acts.ts';
import { changeLanes, dropDispatch } from '#tests/support/app/lanes.ts';
import { ago } from '#tests/support/database/changes.ts';
import { consoleDeps } from '#tests/support/money/desk.ts';

const admin = { operatorRoles: ['admin'] } as const;

async function overviewOf(db: TestDatabase, more: object = {}): Promise<Overview> {
  const app = await topupApp(db, { clock: clockAt(new Date()) });
  let ms = 0;
  return openOverview({ ...consoleDeps(app), clockMs: () => (ms += 60_000), ...more });
}

async function failing(sql: Sql) {
  const customer = await customerWith(sql, { saldo: 1000 });
  const { results } = await acceptTexts(sql, customer, { prices: [150, 150], peers: phones(2) });
  const settle = async (status: 'failed' | 'delivered') => {
    const failure = status === 'failed' ? 'not_on_whatsapp' : undefined;
    const { accountId } = customer;
    const receipt = { accountId, messageId: results[0]!.id, status, at: new Date() };
    await applyReceipts(sql, [{ ...receipt, ...(failure && { failure }) }]);
    await publishAll(sql);
    await foldAll(sql);
  };
  return { customer, settle };
}

test('counts reasons of failure by channel, and subtracts a revoked failure', async ({
  db,
  sql,
}) => {
  const look = await overviewOf(db);
  const failures = async () => (await look(admin)).failures;
  const { settle } = await failing(sql);
  expect(await failures()).toEqual([]);
  await settle('failed');
  await foldAll(sql);
  expect(await failures()).toEqual([
    { channel: 'simulator', failure: 'not_on_whatsapp', messages: 1 },
  ]);
  await settle('delivered');
  expect(await failures()).toEqual([]);
});

test('counts accepted messages by the minute, over all processes', async ({ db, sql }) => {
  const clock = clockAt(new Date());
  const look = await overviewOf(db, { now: clock.now });
  for (const messages of [2, 3]) {
    const minutes = openMinuteCounts({
      sql,
      now: clock.now,
      report: (error) => expect(error).toBe(0),
    });
    minutes.add(messages);
    await minutes.close();
  }
  clock.pass(0.5);
  const { minutes, accepted } = await look(admin);
  expect(minutes).toHaveLength(60);
  expect([minutes[29], accepted]).toEqual([5, 5]);
});

test('shows queues, processes and the state of the database', async ({ db, sql }) => {
  const look = await overviewOf(db);
  const { customer } = await failing(sql);
  expect(await look(admin)).toMatchObject({
    queue: { waiting: 2, more: false },
    lanes: { running: 0, unowned: 0 },
    database: { connections_max: expect.any(Number), version: expect.stringMatching(/^\d+/) },
    backup: null,
    support: { waiting: 0, oldest: null },
  } satisfies Partial<Record<keyof OperatorOverview, unknown>>);
  await changeLanes(sql, customer, { readyAt: ago('1 minute') });
  const { queue, lanes } = await look(admin);
  expect(queue.age_seconds).toBeGreaterThan(59);
  expect(lanes).toEqual({ running: 0, unowned: 1 });
  await dropDispatch(db.owner);
  expect((await look(admin)).queue).toEqual({ waiting: 0, more: false, age_seconds: 0 });
});

test('shows support threads to those who answer them, and the last backup', async ({ db, sql }) => {
  const at = new Date('2026-11-21T02:00:00Z');
  const look = await overviewOf(db, {
    supportFigures: async () => ({ waiting: 2, oldest: at }),
  });
  await sql`
    insert into backups (backup_id, started_at, finished_at, is_ok, problem)
    values (${newId()}, ${at}, ${at}, false, 'disk_full')`;
  const backup = { at, is_ok: false, bytes: null, path: null, error: 'disk_full' };
  expect(await look({ operatorRoles: ['money'] })).toMatchObject({ support: null, backup });
  expect((await look({ operatorRoles: ['support'] })).support).toEqual({ waiting: 2, oldest: at });
});

test('names late jobs, and shows admins the safeguard changes that wait for them', async ({
  db,
  sql,
}) => {
  const look = await overviewOf(db);
  await sql`
    insert into job_runs (name, late_seconds, registered_at, succeeded_at) values
      ('billing', 60, clock_timestamp() - interval '1 day', clock_timestamp()),
      ('ledger-check', 60, clock_timestamp() - interval '1 day', null)`;
  const tomorrow = new Date(Date.now() + 86_400_000);
  await sql`
    insert into settings (name, version, value, set_by, set_at, reason, effective_at) values
      ('FOUR_EYES_ABOVE', 1, '1000000', ${newId()}, now(), 'Akhir tahun', null),
      ('FOUR_EYES_ABOVE', 2, '9000000', ${newId()}, now(), 'Akhir tahun', ${tomorrow})`;
  expect(await look(admin)).toMatchObject({
    jobs_late: ['ledger-check'],
    settings_waiting: [
      { label: liveDefinitions.get('FOUR_EYES_ABOVE')?.live.label, effective_at: tomorrow },
    ],
  });
  expect(await look({ operatorRoles: ['money'] })).toMatchObject({ settings_waiting: null });
});

test('concurrent viewers share one reading', async ({ db }) => {
  let read = 0;
  const look = await overviewOf(db, {
    clockMs: () => 0,
    supportFigures: async () => ({ waiting: (read += 1), oldest: null }),
  });
  const seen = await Promise.all([look(admin), look(admin), look(admin)]);
  expect(seen.map(({ support }) => support?.waiting)).toEqual([1, 1, 1]);
});
