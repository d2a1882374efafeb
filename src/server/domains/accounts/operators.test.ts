import { describe, expect } from 'vitest';
import type { OperatorRole } from '#contract/base/act.ts';
import { publicId, uuidOf } from '#contract/base/ids.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { forgotPassword, verifyForgot } from '#contract/people.ts';
import {
  type Operator,
  endOperatorSessions,
  inviteOperator,
  listOperators,
  removeOperator,
  resetOperatorFactor,
  setOperatorRoles,
} from '#contract/operator/operators.ts';
import { operatorNames, resetOperatorPassword } from '#server/domains/accounts/accounts.ts';
import { addUser, openAccount, systemAccount } from '#server/domains/accounts/people.ts';
import { startSession } from '#server/domains/accounts/sessions/sessions.ts';
import type { Person } from '#server/infra/acts.ts';
import { type AccountsApp, accountsApp, rejectionOf } from '#tests/support/people/accounts-app.ts';
import { test as base } from '#tests/support/database/database.ts';
import { changeUsers } from '#tests/support/people/people.ts';
import { agedBy } from '#tests/support/database/changes.ts';

type Desk = {
  app: AccountsApp;
  oka: Person;
  join: (name: string, roles: OperatorRole[]) => Promise<Person & { phone: string }>;
  list: () => Promise<Operator[]>;
};

let numbers = 0;

/** Operators without a usable password, because hashing would dominate the run time. */
const test = base.extend<{ desk: Desk }>({
  desk: async ({ db, sql }, use) => {
    const app = await accountsApp(db);
    const join = async (name: string, roles: OperatorRole[]) => {
      const phone = `62813555${String((numbers += 1)).padStart(5, '0')}`;
      const token = await sql.begin(async (tx) => {
        const operator = { name, phone, passwordHash: '-', role: 'operator' as const };
        const system = await systemAccount(tx);
        const added = await (system === undefined
          ? openAccount(tx, { ...operator, operatorRoles: roles, isSystem: true })
          : addUser(tx, system, { ...operator, operatorRoles: roles }));
        if (!added) throw new Error('the number is taken');
        return startSession(tx, { ...added, ip: '203.0.113.7', agent: 'Firefox', device: phone });
      });
      return { ...(await app.callerOf(token)), phone };
    };
    const oka = await join('Oka', ['admin']);
    await use({ app, oka, join, list: () => app.list(listOperators, {}, { caller: oka }) });
  },
});

const idOf = async ({ list }: Desk, name: string): Promise<string> => {
  const found = (await list()).find((one) => one.name === name);
  if (!found) throw new Error(`no operator ${name}`);
  return found.user_id;
};

describe('an invitation', () => {
  const ria = {
    name: 'Ria',
    phone: '6281355511111',
    roles: ['money', 'support', 'money'] as const,
  };
  const invited = ({ app, oka }: Desk) =>
    app.perform(inviteOperator, { ...ria, roles: [...ria.roles] }, { caller: oka });

  test('shows a password that signs in with a code to the phone, also the first time', async ({
    desk,
    sql,
  }) => {
    const { password, valid_until, phone } = await invited(desk);
    expect(phone).toBe(ria.phone);
    expect(Math.round((valid_until.getTime() - Date.now()) / 3_600_000)).toBe(72);
    expect((await desk.list())[1]).toMatchObject({
      name: 'Ria',
      roles: ['support', 'money'],
      signed_in_at: null,
      invited_until: valid_until,
      sessions: 0,
      you: false,
    });
    const { user } = await desk.app.signIn(ria.phone, password, { device: 'hers' });
    expect(user).toMatchObject({ role: 'operator', operator_roles: ['support', 'money'] });
    expect(desk.app.sent[0]).toMatchObject({ phone: ria.phone });
    expect(desk.app.sent[0]?.text).toMatch(/\d{6}/);
    expect((await desk.list())[1]).toMatchObject({ invited_until: null, sessions: 1 });
    const made = await sql`select operator_id, by_operator, kind from operator_ties`;
    expect(made).toEqual([
      { operator_id: expect.any(String), by_operator: desk.oka.userId, kind: 'invited' },
    ]);
  });

  test('expires after 72 hours without use, also for a password reset', async ({ desk, db }) => {
    const { password } = await invited(desk);
    const { app } = desk;
    await changeUsers(db.owner, {}, { invitedUntil: agedBy('72 hours') });
    expect(await rejectionOf(app.signIn(ria.phone, password))).toEqual(
      new Refusal('credentials_wrong', {}),
    );
    const captcha = await app.solved('user_forgot_password');
    await app.perform(forgotPassword, { phone: ria.phone, captcha });
    expect(app.sent).toEqual([]);
  });

  test('does not expire after its use in time', async ({ desk, db }) => {
    const { password } = await invited(desk);
    await desk.app.signIn(ria.phone, password, { device: 'hers' });
    await changeUsers(db.owner, {}, { invitedUntil: agedBy('72 hours') });
    const { user } = await desk.app.signIn(ria.phone, password, { device: 'hers' });
    expect(user.name).toBe('Ria');
  });

  test('does not expire after its use in time, also if the terminal sets a new password', async ({
    desk,
    db,
  }) => {
    const { password } = await invited(desk);
    await desk.app.signIn(ria.phone, password, { device: 'hers' });
    await changeUsers(db.owner, {}, { invitedUntil: agedBy('72 hours') });
    const made = await resetOperatorPassword(db.allAccountsSql, ria.phone);
    const { user } = await desk.app.signIn(ria.phone, made.password, { device: 'hers' });
    expect(user.name).toBe('Ria');
  });

  test('rejects a number in use', async ({ desk }) => {
    await desk.app.customer(ria.phone);
    expect(await rejectionOf(invited(desk))).toEqual(new Refusal('phone_in_use', {}));
    expect(await desk.list()).toHaveLength(1);
  });
});

test('applies roles within a second', async ({ desk, sql }) => {
  const ria = await desk.join('Ria', ['money']);
  const { app, oka } = desk;
  const id = await idOf(desk, 'Ria');
  const changed = await app.perform(
    setOperatorRoles,
    { user_id: id, roles: ['support'] },
    { caller: oka },
  );
  expect(changed).toMatchObject({ name: 'Ria', roles: ['support'], sessions: 1 });
  const [row] = await sql`select operator_roles from users where user_id = ${ria.userId}`;
  expect(row).toEqual({ operator_roles: ['support'] });
});

test('signs a removed operator out at once, frees the number, and keeps the name in their acts', async ({
  desk,
  sql,
}) => {
  const ria = await desk.join('Ria', ['money']);
  const { app, oka } = desk;
  const user_id = await idOf(desk, 'Ria');
  const login = { name: 'Ria', phone: ria.phone, roles: ['money' as const] };
  await app.perform(removeOperator, { user_id }, { caller: oka });
  const sessions = await sql`
    select from sessions where user_id = ${ria.userId} and revoked_at is null`;
  expect(sessions).toHaveLength(0);
  expect((await desk.list()).map(({ name }) => name)).toEqual(['Oka']);
  expect((await operatorNames(sql, [ria.userId])).get(ria.userId)).toBe('Ria');
  for (const again of [
    rejectionOf(app.perform(setOperatorRoles, { user_id, roles: ['money'] }, { caller: oka })),
    rejectionOf(app.perform(removeOperator, { user_id }, { caller: oka })),
    rejectionOf(app.perform(endOperatorSessions, { user_id }, { caller: oka })),
    rejectionOf(app.perform(resetOperatorFactor, { user_id }, { caller: oka })),
  ]) {
    expect(await again).toEqual(new Refusal('not_found', { what: 'Operator' }));
  }
  const again = await app.perform(inviteOperator, login, { caller: oka });
  expect(uuidOf('user', again.user_id)).not.toBe(ria.userId);
});

test('rejects a session that begins while its operator is removed', async ({ desk, db }) => {
  const ria = await desk.join('Ria', ['money']);
  await desk.app.perform(
    removeOperator,
    { user_id: await idOf(desk, 'Ria') },
    { caller: desk.oka },
  );
  // Simulates a sign-in that read the user before the removal and stored the session after it.
  const token = await db.allAccountsSql.begin((tx) =>
    startSession(tx, { ...ria, ip: '203.0.113.7', agent: 'Firefox', device: 'hers' }),
  );
  expect(await desk.app.deps.sessions.find(token)).toBeUndefined();
});

test('ends all sessions but the own one', async ({ desk }) => {
  const { app, oka } = desk;
  await desk.join('Ria', ['money']);
  const end = async (name: string) =>
    app.perform(endOperatorSessions, { user_id: await idOf(desk, name) }, { caller: oka });
  expect(await end('Ria')).toEqual({ ended: 1 });
  expect(await end('Oka')).toEqual({ ended: 0 });
  expect((await desk.list()).map(({ sessions }) => sessions)).toEqual([1, 0]);
});

describe('the last admin', () => {
  const last = new Refusal('last_admin', {});
  const remove = ({ app }: Desk, caller: Person, user_id: string) =>
    rejectionOf(app.perform(removeOperator, { user_id }, { caller }));
  const demote = ({ app }: Desk, caller: Person, user_id: string) =>
    rejectionOf(app.perform(setOperatorRoles, { user_id, roles: ['money'] }, { caller }));

  test('can neither be removed nor lose the role, also by themselves', async ({ desk }) => {
    const own = await idOf(desk, 'Oka');
    await desk.join('Ria', ['money', 'support']);
    expect(await remove(desk, desk.oka, own)).toEqual(last);
    expect(await demote(desk, desk.oka, own)).toEqual(last);
    expect((await desk.list()).map(({ last_admin }) => last_admin)).toEqual([true, false]);
  });

  test('counts an invited admin from the first sign-in on', async ({ desk }) => {
    const { app, oka } = desk;
    const own = await idOf(desk, 'Oka');
    const asked = { name: 'Sari', phone: '6281355533333', roles: ['admin' as const] };
    const { password } = await app.perform(inviteOperator, asked, { caller: oka });
    expect(await remove(desk, oka, own)).toEqual(last);
    await app.signIn(asked.phone, password);
    expect(await demote(desk, oka, own)).toBe('nothing was refused');
    expect((await desk.list()).map(({ last_admin }) => last_admin)).toEqual([false, true]);
  });

  test('remains when two admins remove each other at the same moment', async ({ desk, sql }) => {
    const ria = await desk.join('Ria', ['admin']);
    const ids = [await idOf(desk, 'Oka'), await idOf(desk, 'Ria')] as const;
    for (let turn = 0; turn < 3; turn++) {
      const outcomes = await Promise.all([
        demote(desk, desk.oka, ids[1]),
        demote(desk, ria, ids[0]),
      ]);
      expect(outcomes.filter((one) => one === 'nothing was refused')).toHaveLength(1);
      const refused = outcomes.find((one) => one instanceof Refusal);
      expect(['not_allowed', 'last_admin']).toContain((refused as Refusal).code);
      const admins = sql`select user_id from users where 'admin' = any (operator_roles)`;
      expect(await admins).toHaveLength(1);
      await changeUsers(sql, { role: 'operator' }, { operatorRoles: ['admin'] });
    }
    await Promise.all([remove(desk, desk.oka, ids[1]), remove(desk, ria, ids[0])]);
    const left = await sql`
      select from users where role = 'operator' and removed_at is null and phone <> ''`;
    expect(left).toHaveLength(1);
  });

  test('does not include an operator who lost the role a moment ago', async ({ desk, sql }) => {
    const ria = await desk.join('Ria', ['admin']);
    await desk.join('Sari', ['admin']);
    await changeUsers(sql, ria, { operatorRoles: ['money'] });
    expect(await remove(desk, ria, await idOf(desk, 'Sari'))).toEqual(
      new Refusal('not_allowed', {}),
    );
  });
});

test("refuses to remove one's own second factor by the password alone", async ({ desk, sql }) => {
  const { app, oka } = desk;
  await sql`
    insert into second_factors (account_id, user_id, factor_id, kind, name, secret, last_step)
    values (${oka.accountId}, ${oka.userId}, gen_random_uuid(), 'totp', '', '\\x01', 1)`;
  const user_id = publicId('user', oka.userId);
  const reset = app.perform(resetOperatorFactor, { user_id }, { caller: oka });
  expect(await rejectionOf(reset)).toEqual(new Refusal('not_allowed', {}));
  expect(await sql`select from second_factors`).toHaveLength(1);
});

test('rejects a pending code of a removed operator', async ({ desk }) => {
  const { app, oka } = desk;
  const { phone } = await desk.join('Ria', ['money']);
  const captcha = await app.solved('user_forgot_password');
  const { challenge } = await app.perform(forgotPassword, { phone, captcha });
  await app.perform(removeOperator, { user_id: await idOf(desk, 'Ria') }, { caller: oka });
  const answer = app.perform(verifyForgot, { challenge, code: app.codeFor(phone) });
  expect(await rejectionOf(answer)).toEqual(new Refusal('otp_expired', {}));
});
