import { describe, expect } from 'vitest';
import { readConfig } from '#server/infra/config.ts';
import { StartError } from '#server/infra/start-error.ts';
import { accountsApp, ageLimits } from '#tests/support/people/accounts-app.ts';
import { test } from '#tests/support/database/database.ts';
import { addOperator } from '#server/domains/accounts/operators.ts';
import { ensureOperator, hasFirstOperatorSignedIn } from './first-operator.ts';
import { systemAccount } from '#server/domains/accounts/people.ts';
import { sweepAccounts } from '#server/domains/accounts/accounts.ts';
import { ago } from '#tests/support/database/changes.ts';
import { open } from '#tests/support/database/notes.ts';
import { changeSessions } from '#tests/support/people/people.ts';

const config = readConfig({});

describe('the first operator', () => {
  test('is created once, and can sign in with the password that was shown', async ({ db }) => {
    const made = await ensureOperator(db.allAccountsSql, config);
    expect(made?.phone).toBe('6281100000000');
    expect(made?.password).toMatch(/^([a-z2-9]{5}-){3}[a-z2-9]{5}$/);
    expect(await ensureOperator(db.allAccountsSql, config)).toBeUndefined();

    const app = await accountsApp(db);
    const { user } = await app.signIn(made?.phone ?? '', made?.password ?? '');
    expect(user.role).toBe('operator');
    expect(app.sent).toEqual([]);

    await app.signIn(made?.phone ?? '', made?.password ?? '', { device: 'another browser' });
    expect(app.sent[0]?.text).toMatch(/^Kode verifikasi Kabari: \d{6} untuk masuk/);
  });

  test('is created by one of several nodes that start at once', async ({ db }) => {
    const nodes = [1, 2, 3, 4].map(() => open(db.url, 2));
    const made = await Promise.all(nodes.map((node) => ensureOperator(node, config)));
    await Promise.all(nodes.map((node) => node.end()));
    expect(made.filter(Boolean)).toHaveLength(1);
    expect(await db.allAccountsSql`select count(*) as n from accounts where is_system`).toEqual([
      { n: 1 },
    ]);
  });

  test('is created with the defaults of every account, or not at all', async ({ db }) => {
    const fails = ensureOperator(db.allAccountsSql, config, async () => {
      throw new Error('no wallet');
    });
    await expect(fails).rejects.toThrow('no wallet');
    expect(await systemAccount(db.allAccountsSql)).toBeUndefined();

    const opened: string[] = [];
    await ensureOperator(db.allAccountsSql, config, async (_tx, id) => void opened.push(id));
    expect(await systemAccount(db.allAccountsSql)).toBe(opened[0]);
  });

  test('has signed in only after this very operator signed in', async ({ db }) => {
    const made = await ensureOperator(db.allAccountsSql, config);
    const rina = { name: 'Rina', phone: '6281355500001', roles: ['admin'] as const };
    const other = await addOperator(db.allAccountsSql, rina);
    const app = await accountsApp(db);
    await app.signIn(other.phone, other.password);
    expect(await hasFirstOperatorSignedIn(db.allAccountsSql)).toBe(false);
    await app.signIn(made?.phone ?? '', made?.password ?? '');
    expect(await hasFirstOperatorSignedIn(db.allAccountsSql)).toBe(true);
  });

  test('does not take the number of a customer', async ({ db }) => {
    const app = await accountsApp(db);
    await app.customer('6281100000000');
    await expect(ensureOperator(db.allAccountsSql, config)).rejects.toThrow(StartError);
  });
});

describe('a further operator', () => {
  const rina = { name: 'Rina', phone: '6281355500001', roles: ['money'] as const };

  test('belongs to the same account, and signs in once without a code', async ({ db }) => {
    const first = await ensureOperator(db.allAccountsSql, config);
    const { phone, password } = await addOperator(db.allAccountsSql, rina);
    const app = await accountsApp(db);
    const { user } = await app.signIn(phone, password);
    expect(user).toMatchObject({ name: 'Rina', role: 'operator', operator_roles: ['money'] });
    expect(app.sent).toEqual([]);
    const { user: other } = await app.signIn(first?.phone ?? '', first?.password ?? '');
    expect(other.account_id).toBe(user.account_id);
  });

  test('requires the first one, and an unused number', async ({ db }) => {
    await expect(addOperator(db.allAccountsSql, rina)).rejects.toThrow(/first start/);
    await ensureOperator(db.allAccountsSql, config);
    await addOperator(db.allAccountsSql, rina);
    await expect(addOperator(db.allAccountsSql, rina)).rejects.toThrow(/belongs to somebody/);
    const people = await db.allAccountsSql`select from users`;
    expect(people).toHaveLength(2);
  });
});

test('sweeping deletes expired rows and keeps active ones', async ({ db }) => {
  const app = await accountsApp(db);
  const { token } = await app.customer('6281234567890');
  await app.register('6281398765432');
  await sweepAccounts(db.allAccountsSql);
  expect(await app.deps.sessions.find(token)).toBeDefined();
  expect(await db.allAccountsSql`select phone from otp_challenges`).toEqual([
    { phone: '6281398765432' },
  ]);

  await db.allAccountsSql`update otp_challenges set created_at = statement_timestamp() - interval '25 hours'`;
  await db.owner`update captchas_used set expires_at = statement_timestamp() - interval '2 hours'`;
  await ageLimits(db.allAccountsSql, 3 * 86_400);
  await changeSessions(db.allAccountsSql, {}, { createdAt: ago('32 days') });
  await sweepAccounts(db.allAccountsSql);
  const left = await db.allAccountsSql`
    select (select count(*) from otp_challenges) + (select count(*) from captchas_used)
      + (select count(*) from limit_counters) + (select count(*) from sessions) as n`;
  expect(left).toEqual([{ n: 0 }]);
});
