import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, vi } from 'vitest';
import type { TestDatabase } from '#tests/database.ts';
import { patient } from '#tests/soon.ts';
import { addressOf, ended, oneSentence, test } from '#tests/started-house.ts';

test('a start says where the house is, and how the operator signs in, once', async ({ start }) => {
  const first = start();
  const address = await addressOf(first);
  expect(first.out()).toMatch(/phone {5}6281100000000\n {2}password {2}\w{5}(-\w{5}){3}\n/);
  expect(first.out()).toContain('/simulator');
  expect((await fetch(`${address}/readyz`)).status).toBe(200);
  first.child.kill('SIGTERM');
  expect(await first.exit).toBe(0);
  const second = start();
  await addressOf(second);
  expect(second.out()).not.toContain('password');
});

test('when told to stop, it finishes what is under way and goes', async ({ start }) => {
  const house = start();
  const address = await addressOf(house);
  const body = new URLSearchParams({ act: 'app_config', token: '', fcm: '' });
  const asked = Array.from({ length: 50 }, () => fetch(`${address}/api`, { method: 'POST', body }));
  await asked[0];
  house.child.kill('SIGINT');
  const answers = await Promise.allSettled(asked);
  for (const answer of answers) {
    if (answer.status === 'fulfilled') expect([200, 503]).toContain(answer.value.status);
  }
  expect(await house.exit).toBe(0);
  expect(house.err()).toBe('');
});

test('a taken port is one sentence', async ({ start }) => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const address = other.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  expect(await ended(start({ PORT: String(port) }))).toEqual({
    code: 1,
    err: `Port ${port} is taken by another program; stop it, or choose another with PORT=3001 npm start.\n`,
  });
  other.close();
});

test('a database that is not there, or a setting that makes no sense, is one sentence', async ({
  start,
}) => {
  const nowhere = 'postgres://kabari@127.0.0.1:1/kabari';
  const [gone, odd, strict] = await Promise.all([
    ended(start({ DATABASE_URL: nowhere })),
    ended(start({ PORT: 'three' })),
    ended(start({ NODE_ENV: 'production' })),
  ]);
  expect(gone).toEqual(oneSentence(/database/i));
  expect(odd).toEqual(oneSentence(/^PORT must be /));
  expect(strict).toEqual(oneSentence(/PUBLIC_URL/));
});

/** How many events and messages wait for a worker. */
async function waitingWork({ house }: TestDatabase): Promise<number> {
  const [row] = await house<{ n: number }[]>`
    select (select count(*) from outbox) + (select count(*) from dispatch) as n`;
  return row?.n ?? -1;
}

test('what one process takes in, another sends: web and worker on one database', async ({
  db,
  start,
}) => {
  const web = start({ ROLE: 'web' });
  const address = await addressOf(web);
  const phone = '628123456789';
  const post = async (fields: Record<string, string>) => {
    const body = new URLSearchParams({ token: '', fcm: '', ...fields });
    const headers = { 'sec-fetch-site': 'same-origin' };
    return (await fetch(`${address}/api`, { method: 'POST', body, headers })).json();
  };
  const [system] = await db.house<{ account_id: string }[]>`
    select account_id from accounts where is_system`;
  await db.house`
    insert into outbox (account_id, outbox_id, kind, data)
    values (${system?.account_id ?? ''}, gen_random_uuid(), 'saldo.changed',
      '{"available": 0, "held": 0}')`;
  expect(await waitingWork(db)).toBe(1);
  const worker = start({ ROLE: 'worker' });
  await vi.waitFor(() => expect(worker.out()).toContain('the house is open'), patient);
  await vi.waitFor(async () => expect(await waitingWork(db)).toBe(0), patient);
  expect(await post({ act: 'simulator_phone', phone })).toMatchObject({ code: 1, data: { phone } });
  for (const { child } of [web, worker]) child.kill('SIGTERM');
  expect(await Promise.all([web.exit, worker.exit])).toEqual([0, 0]);
});
