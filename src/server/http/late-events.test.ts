import { expect } from 'vitest';
import type { Sql } from '#server/infra/postgres/database.ts';
import { newId } from '#server/infra/ids.ts';
import { customerWith } from '#tests/support/people/people.ts';
import { type RunningApp, test } from '#tests/support/app/running-app.ts';

/** An unpublished event of an hour ago, with a number of failed tries. */
async function untold(sql: Sql, { tries, retryIn }: { tries: number; retryIn: string | null }) {
  const { accountId } = await customerWith(sql);
  await sql`delete from outbox`;
  await sql`
    insert into outbox (account_id, outbox_id, at, kind, data, tries, retry_at)
    values (${accountId}, ${newId()}, clock_timestamp() - interval '1 hour', 'saldo.changed', '{}',
      ${tries}, clock_timestamp() + ${retryIn}::interval)`;
}

const readiness = async ({ app }: RunningApp) => {
  const answer = await app.inject({ url: '/readyz' });
  return [answer.statusCode, answer.json().checks.relay];
};

async function figures({ app }: RunningApp): Promise<[number, number]> {
  const { payload } = await app.inject({ url: '/metrics' });
  const figure = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(payload)?.[1]);
  return [figure('kabari_outbox_oldest_seconds'), figure('kabari_outbox_set_aside')];
}

test('an event that was never tried in time is shown, but a web-only node stays ready', async ({
  sql,
  openApp,
}) => {
  const running = await openApp();
  await untold(sql, { tries: 0, retryIn: null });
  expect(await readiness(running)).toEqual([200, 'failing']);
  const [oldest, setAside] = await figures(running);
  expect(oldest).toBeGreaterThan(3_500);
  expect(setAside).toBe(0);
});

test('an unpublishable event leaves every node ready, and is counted separately', async ({
  sql,
  openApp,
}) => {
  const running = await openApp();
  await untold(sql, { tries: 9, retryIn: '10 minutes' });
  expect(await readiness(running)).toEqual([200, 'ok']);
  expect(await figures(running)).toEqual([0, 1]);
});

test('an overdue second try is shown again', async ({ sql, openApp }) => {
  const running = await openApp();
  await untold(sql, { tries: 9, retryIn: '-1 minute' });
  expect(await readiness(running)).toEqual([200, 'failing']);
});
