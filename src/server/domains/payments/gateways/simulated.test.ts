import { expect } from 'vitest';
import { signedIn, test } from '#tests/support/app/running-app.ts';
import { saldoOf } from '#tests/support/money/topups.ts';
import { waitFor } from '#tests/support/wait-for.ts';

test('a local installation has every method, simulated, and the simulator pays', async ({
  openApp,
  db,
  sql,
}) => {
  const { ask } = await openApp({ works: true });
  const { accountId, token } = await signedIn(db);
  const { methods } = (await ask('topup_methods', { token })).body.data;
  expect(methods).toHaveLength(9);
  expect(methods.every(({ simulated }: { simulated: boolean }) => simulated)).toBe(true);

  for (const [method, status] of [
    ['qris', 'paid'],
    ['snap', 'paid'],
    ['xendit', 'expired'],
  ] as const) {
    const made = (await ask('topup_create', { token, amount: '50000', method })).body;
    expect(made).toMatchObject({ code: 1, data: { status: 'pending', method, simulated: true } });
    const topup_id = made.data.id;
    const outcome = status === 'paid' ? 'pay' : 'expire';
    expect((await ask('simulator_pay', { topup_id, outcome })).body.data).toEqual({ done: true });
    await waitFor(async () => {
      const now = (await ask('topup_get', { token, topup_id })).body.data;
      expect(now.status).toBe(status);
    });
    expect((await ask('simulator_pay', { topup_id, outcome })).body.data).toEqual({ done: false });
  }
  expect(await saldoOf(sql, accountId)).toEqual({ available: 100_000, topups: 2 });
});

test('with a real key there is neither a simulated gateway nor the act that pays at it', async ({
  openApp,
  db,
}) => {
  const { ask } = await openApp({
    env: {
      MIDTRANS_SERVER_KEY: 'SB-Mid-server-x',
      MIDTRANS_URL: 'http://127.0.0.1:4',
      MIDTRANS_SNAP_URL: 'http://127.0.0.1:4/snap/v1',
    },
  });
  const { token } = await signedIn(db);
  const { methods } = (await ask('topup_methods', { token })).body.data;
  const names = methods.map(({ method }: { method: string }) => method);
  expect(names).toContain('qris');
  expect(names).not.toContain('xendit');
  expect(methods.at(1)).toMatchObject({ method: 'qris', simulated: false });
  const fields = { topup_id: 'TU-00000000000000000000000000', outcome: 'pay' };
  expect((await ask('simulator_pay', fields)).body.error.type).toBe('act_unknown');
  const refused = await ask('topup_create', { token, amount: '50000', method: 'qris' });
  expect([refused.status, refused.body.error.type]).toEqual([503, 'gateway_down']);
  const other = await ask('topup_create', { token, amount: '50000', method: 'xendit' });
  expect(other.body.error.type).toBe('gateway_down');
});

test('without the simulator, bank transfer is the only method', async ({ openApp, db }) => {
  const { ask, app } = await openApp({ env: { SIMULATOR: 'off' } });
  const { token } = await signedIn(db);
  const { methods } = (await ask('topup_methods', { token })).body.data;
  expect(methods.map(({ method }: { method: string }) => method)).toEqual(['bank']);
  const answer = await app.inject({ method: 'POST', url: '/callbacks/xendit', payload: {} });
  expect(answer.statusCode).toBe(404);
});

test('a transfer to a real bank account cannot be simulated', async ({ openApp, db }) => {
  const { ask } = await openApp({
    env: { BANK_NAME: 'BCA', BANK_NUMBER: '5270012345', BANK_HOLDER: 'PT Toko Pesan' },
  });
  const { token } = await signedIn(db);
  const topup = (await ask('topup_create', { token, amount: '50000' })).body.data;
  expect(topup.simulated).toBe(false);
  const transfer = { amount: topup.total, sender: 'ANI' };
  expect((await ask('simulator_transfer', transfer)).body.error.type).toBe('act_unknown');
  const seen = (await ask('topup_get', { token, topup_id: topup.id })).body.data;
  expect(seen.status).toBe('pending');
});
