import { describe, expect } from 'vitest';
import { Refusal } from '#contract/base/refusals.ts';
import {
  addTotp,
  requestSecondFactor,
  beginPasskey,
  beginTotp,
  confirmSecondFactor,
  getSecondFactors,
  verifySecondFactor,
  removeSecondFactor,
  renewRecoveryCodes,
} from '#contract/second-factor.ts';
import { loginUser } from '#contract/accounts.ts';
import { uuidOf } from '#contract/base/ids.ts';
import {
  notifySecondFactorsReset,
  resetSecondFactor,
  secondFactorsOf,
} from '#server/domains/accounts/accounts.ts';
import { readConfig } from '#server/infra/config.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { type AccountsApp, accountsApp, rejectionOf } from '#tests/support/people/accounts-app.ts';
import { signedInOperator, withPasskey, withTotp } from '#tests/support/people/operators.ts';
import { test } from '#tests/support/database/database.ts';
import { changeSessions } from '#tests/support/people/people.ts';
import { agedBy } from '#tests/support/database/changes.ts';

const OFFICE = { device: 'at the office' };
const again = new Refusal('second_factor_again', {});

const factorLater = (sql: Sql) => changeSessions(sql, {}, { secondFactorAt: agedBy('5 minutes') });

async function budi(app: AccountsApp) {
  const operator = await signedInOperator(app, OFFICE);
  const totp = await withTotp(app, operator.caller, OFFICE);
  return { ...operator, ...totp, asker: { caller: operator.caller, ...OFFICE } };
}

describe('the first second factor', () => {
  test('ends the other sessions, creates ten codes, and notifies the phone', async ({ db }) => {
    const app = await accountsApp(db);
    const operator = await signedInOperator(app, OFFICE);
    const elsewhere = await app.signIn(operator.phone, operator.password, { device: 'at home' });
    const { added, codes } = await withTotp(app, operator.caller, OFFICE);
    expect(added).toMatchObject({ ended: 1, factor: { kind: 'totp', name: '', used_at: null } });
    expect(codes).toHaveLength(10);
    expect(await app.deps.sessions.find(elsewhere.token)).toBeUndefined();
    expect(await app.callerOf(operator.token)).toMatchObject({ secondFactor: true });
    expect(app.sent.at(-1)?.text).toMatch(/^Aplikasi autentikator baru saja dipasang/);
    const asker = { caller: operator.caller, ...OFFICE };
    expect(await app.perform(getSecondFactors, {}, asker)).toMatchObject({
      required: false,
      factors: [{ kind: 'totp' }],
      recovery: { left: 10 },
    });
    const second = await withPasskey(app, operator.caller, OFFICE);
    expect(second.added).toMatchObject({ recovery_codes: null, ended: 0 });
  });

  test('takes effect with its first code: five tries, in this browser, one app', async ({ db }) => {
    const app = await accountsApp(db);
    const { caller } = await signedInOperator(app, OFFICE);
    const asker = { caller, ...OFFICE };
    const { challenge } = await app.perform(beginTotp, {}, asker);
    const expired = new Refusal('second_factor_expired', {});
    const elsewhere = { caller, device: 'at home' };
    expect(
      await rejectionOf(app.perform(addTotp, { challenge, code: '000000' }, elsewhere)),
    ).toEqual(expired);
    for (const left of [4, 3, 2, 1, 0]) {
      expect(await rejectionOf(app.perform(addTotp, { challenge, code: '000000' }, asker))).toEqual(
        new Refusal('second_factor_wrong', { left }),
      );
    }
    expect(await rejectionOf(app.perform(addTotp, { challenge, code: '000000' }, asker))).toEqual(
      expired,
    );
    expect((await app.perform(getSecondFactors, {}, asker)).factors).toEqual([]);
    await withTotp(app, caller, OFFICE);
    expect(await rejectionOf(app.perform(beginTotp, {}, asker))).toEqual(
      new Refusal('second_factor_exists', {}),
    );
  });
});

describe('changing second factors', () => {
  test('requires a second factor from the last five minutes', async ({ db }) => {
    const app = await accountsApp(db);
    const { asker, added, codeAt } = await budi(app);
    await factorLater(db.allAccountsSql);
    const changes = [
      () => app.perform(removeSecondFactor, { factor_id: added.factor.id }, asker),
      () => app.perform(renewRecoveryCodes, {}, asker),
      () => app.perform(beginPasskey, {}, asker),
    ];
    for (const change of changes) expect(await rejectionOf(change())).toEqual(again);
    const { challenge } = await app.perform(requestSecondFactor, {}, asker);
    const input = { challenge, code: codeAt(0) };
    // A challenge of this session works in no other browser and does not sign in.
    expect(await rejectionOf(app.perform(verifySecondFactor, input, asker))).toEqual(
      new Refusal('second_factor_expired', {}),
    );
    expect(await app.perform(confirmSecondFactor, input, asker)).toEqual({
      seconds: 300,
      token: expect.stringMatching(/^kbs_/),
    });
    expect(await app.perform(beginPasskey, {}, asker)).toHaveProperty('challenge');
  });

  test('creates ten new recovery codes and ends the old ones', async ({ db }) => {
    const app = await accountsApp(db);
    const { asker, codes, phone, password } = await budi(app);
    const { recovery_codes: fresh } = await app.perform(renewRecoveryCodes, {}, asker);
    expect(fresh.filter((code) => codes.includes(code))).toEqual([]);
    const captcha = await app.solved('user_login', OFFICE);
    const answer = await app.perform(loginUser, { phone, password, captcha }, OFFICE);
    if (!('second_factor' in answer)) throw new Error('no second factor is asked for');
    const { challenge } = answer.second_factor;
    const give = (recovery_code?: string) =>
      app.perform(verifySecondFactor, { challenge, recovery_code }, OFFICE);
    expect(await rejectionOf(give(codes[0]))).toEqual(
      new Refusal('second_factor_wrong', { left: 4 }),
    );
    expect(await give(fresh[0])).toHaveProperty('token');
  });

  test('removes the last one and its codes if none is required', async ({ db }) => {
    const app = await accountsApp(db);
    const { asker, added, token } = await budi(app);
    const factor_id = added.factor.id;
    expect(await app.perform(removeSecondFactor, { factor_id }, asker)).toEqual({
      required: false,
      factors: [],
      recovery: null,
    });
    expect(await app.callerOf(token)).not.toHaveProperty('secondFactor');
    expect(app.sent.at(-1)?.text).toMatch(/^Aplikasi autentikator baru saja dihapus/);
    expect(await rejectionOf(app.perform(renewRecoveryCodes, {}, asker))).toMatchObject({
      code: 'not_found',
    });
    expect(await rejectionOf(app.perform(requestSecondFactor, {}, asker))).toMatchObject({
      code: 'not_found',
    });
  });

  test('refuses to remove the last one if one is required', async ({ db }) => {
    const config = readConfig({ OPERATOR_SECOND_FACTOR: 'required' });
    const app = await accountsApp(db, { config });
    const { asker, added, caller } = await budi(app);
    const remove = (factor_id: string) => app.perform(removeSecondFactor, { factor_id }, asker);
    expect(await rejectionOf(remove(added.factor.id))).toEqual(
      new Refusal('second_factor_last', {}),
    );
    expect((await app.perform(getSecondFactors, {}, asker)).recovery).toMatchObject({ left: 10 });
    const passkey = await withPasskey(app, caller, OFFICE);
    expect((await remove(added.factor.id)).factors).toEqual([passkey.added.factor]);
    expect(await rejectionOf(remove(added.factor.id))).toMatchObject({ code: 'not_found' });
  });
});

test('resets a user who lost everything: no factor, no code, no session; others keep theirs', async ({
  db,
}) => {
  const app = await accountsApp(db);
  const who = await budi(app);
  const other = await signedInOperator(app, { device: 'hers' }, '6281222222222');
  await withPasskey(app, other.caller, { device: 'hers' });
  const ids = [who.caller.userId, other.caller.userId];
  const kinds = () => secondFactorsOf(db.allAccountsSql, ids);
  expect([...(await kinds()).values()]).toEqual(expect.arrayContaining([['totp'], ['passkey']]));
  const reset = await resetSecondFactor(db.allAccountsSql, who.caller.userId);
  expect(reset).toEqual({ phone: who.phone, kinds: ['totp'], sessionIds: [who.caller.sessionId] });
  await notifySecondFactorsReset(app.deps, reset?.phone ?? '');
  expect(app.sent.at(-1)).toMatchObject({
    phone: who.phone,
    text: expect.stringContaining('dihapus oleh operator'),
  });
  await app.deps.sessions.evict(reset?.sessionIds ?? []);
  expect(await app.deps.sessions.find(who.token)).toBeUndefined();
  expect([...(await kinds()).keys()]).toEqual([other.caller.userId]);
  expect(
    await db.allAccountsSql`select from recovery_codes where user_id = ${who.caller.userId}`,
  ).toEqual([]);
  const { user } = await app.signIn(who.phone, who.password, { device: 'a new one' });
  expect(uuidOf('user', user.id)).toBe(who.caller.userId);
  expect(await resetSecondFactor(db.allAccountsSql, crypto.randomUUID())).toBeUndefined();
});
