import { expect } from 'vitest';
import { publicId } from '#contract/base/ids.ts';
import { GOOD_PASSWORD } from './support/people/accounts-app.ts';
import { waitFor } from './support/wait-for.ts';
import { signedIn, solved, test } from './support/app/running-app.ts';
import { makeAccount } from '#tests/support/people/people.ts';

const names = {
  REGISTRATION: 'off',
  REGISTRATION_CLOSED: 'Buka lagi Senin.',
  TOPUP_MINIMUM: '50000',
  TOKEN_DAILY_LIMIT_MAX: '2000',
  SELLER_PHONE: '021-555-0101',
  SELLER_NPWP: '0123456789012345',
  SELLER_ADDRESS: 'Jl. Braga 10, Bandung',
  WELCOME_BONUS: '2500',
  SALDO_ALERT: '20000',
  LANE_PACE_PER_SECOND: '4',
  MAINTENANCE: 'on',
  MAINTENANCE_TEXT: 'Sampai pukul 22.00.',
};

test('applies an admin’s setting for every reader without a restart', async ({ db, openApp }) => {
  const running = await openApp();
  const { ask, container } = running;
  const { allAccountsSql: sql } = db;
  const ani = await signedIn(db);
  const token_id = publicId('token', ani.tokenId);
  const as = (fields: object = {}) => ({ token: ani.token, key: crypto.randomUUID(), ...fields });
  const before = await ask('topup_create', as({ amount: '20000' }));
  expect(before.body.code).toBe(1);

  for (const [name, value] of Object.entries(names)) {
    await sql`
      insert into settings (name, version, value, set_by, set_at, reason)
      values (${name}, 1, ${value}, ${ani.userId}, now(), 'Uji')`;
  }
  await container.infra.settings.refresh();

  expect((await ask('app_config')).body.data.registration_closed).toBe('Buka lagi Senin.');
  const captcha = await solved(running, 'user_register');
  const person = { name: 'Budi', phone: '0812-1111-2222', password: GOOD_PASSWORD, agree: '1' };
  const registered = await ask('user_register', { ...person, captcha, key: crypto.randomUUID() });
  expect([registered.status, registered.body.msg]).toEqual([423, 'Buka lagi Senin.']);

  const { methods } = (await ask('topup_methods', as())).body.data;
  expect(methods[0]).toMatchObject({ method: 'bank', minimum: 50_000 });
  const small = await ask('topup_create', as({ amount: '20000' }));
  expect(small.body.error).toMatchObject({
    type: 'topup_amount_unfit',
    facts: { minimum: 50_000 },
  });

  const limited = await ask('token_update', as({ token_id, daily_limit: '3000' }));
  expect(limited.body.error.facts.fields.daily_limit).toBe('Paling banyak 2.000 pesan.');
  expect((await ask('token_update', as({ token_id, daily_limit: '2000' }))).body.code).toBe(1);

  const { broadcasts } = (await ask('user_check_token', { token: ani.token })).body.data;
  expect(broadcasts).toBe('Sampai pukul 22.00.');
  expect(container.infra.config.LANE_PACE_PER_SECOND).toBe(4);

  const accountId = await makeAccount(sql);
  await sql.begin((tx) => container.subscribers.accountOpened(tx, accountId, true));
  const held = await sql`
    select w.available, a.threshold from wallets w join saldo_alerts a using (account_id)
    where account_id = ${accountId}`;
  expect(held).toEqual([{ available: 2_500, threshold: 20_000 }]);
  await waitFor(async () => {
    const [seller] = await sql`select phone from sellers order by valid_from desc limit 1`;
    expect(seller).toEqual({ phone: '021-555-0101' });
  });
});
