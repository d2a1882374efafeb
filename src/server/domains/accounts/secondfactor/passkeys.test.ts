import { describe, expect } from 'vitest';
import { loginUser } from '#contract/accounts.ts';
import { Refusal } from '#contract/base/refusals.ts';
import {
  addPasskey,
  beginPasskey,
  getSecondFactors,
  verifySecondFactor,
} from '#contract/second-factor.ts';
import { readConfig } from '#server/infra/config.ts';
import { type AccountsApp, accountsApp, rejectionOf } from '#tests/support/people/accounts-app.ts';
import { openAuthenticator } from '#tests/support/people/authenticator.ts';
import { signedInOperator, withPasskey } from '#tests/support/people/operators.ts';
import { test } from '#tests/support/database/database.ts';

const OFFICE = { device: 'at the office' };
const HOME = { device: 'at home', ip: '198.51.100.9' };
const wrong = (left: number) => new Refusal('second_factor_wrong', { left });
const refused = expect.objectContaining({ code: 'input_invalid' });

type Who = { phone: string; password: string };

async function challenged(app: AccountsApp, { phone, password }: Who) {
  const captcha = await app.solved('user_login', HOME);
  const answer = await app.perform(loginUser, { phone, password, captcha }, HOME);
  if (!('second_factor' in answer)) throw new Error('no second factor is asked for');
  const { challenge, passkey } = answer.second_factor;
  return { challenge, options: passkey ?? {}, methods: answer.second_factor.methods };
}

async function budi(app: AccountsApp) {
  const operator = await signedInOperator(app, OFFICE);
  return { ...operator, ...(await withPasskey(app, operator.caller, OFFICE)) };
}

describe('a passkey', () => {
  test('signs in after the password and increases its counter', async ({ db }) => {
    const app = await accountsApp(db);
    const who = await budi(app);
    for (const uses of [2, 3]) {
      const { challenge, options, methods } = await challenged(app, who);
      expect(methods).toEqual(['passkey', 'recovery_code']);
      expect(options).toMatchObject({ rpId: 'localhost', userVerification: 'preferred' });
      const passkey = who.authenticator.get(options);
      const { token } = await app.perform(verifySecondFactor, { challenge, passkey }, HOME);
      expect(await app.callerOf(token)).toMatchObject({ secondFactor: true });
      expect(await db.allAccountsSql`select counter from second_factors`).toEqual([
        { counter: uses },
      ]);
    }
  });

  test('is rejected as a copy if its counter goes back', async ({ db }) => {
    const app = await accountsApp(db);
    const who = await budi(app);
    const first = await challenged(app, who);
    const passkey = who.authenticator.get(first.options);
    await app.perform(verifySecondFactor, { challenge: first.challenge, passkey }, HOME);
    who.authenticator.turnBack(0);
    const { challenge, options } = await challenged(app, who);
    const copied = who.authenticator.get(options);
    expect(
      await rejectionOf(app.perform(verifySecondFactor, { challenge, passkey: copied }, HOME)),
    ).toEqual(wrong(4));
  });

  test('must answer this challenge, on our own page, for our own host, with the registered key', async ({
    db,
  }) => {
    const app = await accountsApp(db);
    const who = await budi(app);
    const before = await challenged(app, who);
    const { challenge, options } = await challenged(app, who);
    const { authenticator } = who;
    const stranger = openAuthenticator(5);
    const answers = [
      authenticator.get(before.options),
      authenticator.get(options, { origin: 'https://phishing.example' }),
      authenticator.get(options, { origin: 'https://localhost.phishing.example' }),
      stranger.get(options),
    ];
    for (const [n, passkey] of answers.entries()) {
      expect(
        await rejectionOf(app.perform(verifySecondFactor, { challenge, passkey }, HOME)),
      ).toEqual(wrong(4 - n));
    }
    // An answer to another challenge, and an invalid answer, are refused.
    const other = await challenged(app, who);
    for (const passkey of ['{}', 'null', '[]', 'no JSON', '{"id":"AAAA"}']) {
      await db.allAccountsSql`delete from limit_counters`;
      const answer = rejectionOf(
        app.perform(verifySecondFactor, { challenge: other.challenge, passkey }, HOME),
      );
      expect(await answer).toMatchObject({ code: 'second_factor_wrong' });
    }
  });

  test('for another host is refused, also under the public address', async ({ db }) => {
    const config = readConfig({ PUBLIC_URL: 'https://kabari.example' });
    const app = await accountsApp(db, { config });
    const { caller } = await signedInOperator(app, OFFICE);
    const asker = { caller, ...OFFICE };
    const { challenge, options } = await app.perform(beginPasskey, {}, asker);
    expect(options).toMatchObject({ rp: { id: 'kabari.example' } });
    const add = (passkey: string) =>
      app.perform(addPasskey, { challenge, name: 'Laptop', passkey }, asker);
    const authenticator = openAuthenticator(1);
    const [origin, rpId] = ['https://kabari.example', 'kabari.example'];
    const pages = [
      {},
      { origin },
      { rpId },
      { origin: 'https://x.kabari.example', rpId },
      { origin: 'http://kabari.example', rpId },
    ];
    for (const page of pages)
      expect(await rejectionOf(add(authenticator.create(options, page)))).toEqual(refused);
    expect(await add(authenticator.create(options, { origin, rpId }))).toMatchObject({
      factor: { kind: 'passkey', name: 'Laptop' },
    });
  });
});

describe('adding a passkey', () => {
  test('ends with its challenge: not twice, not in another browser or session', async ({ db }) => {
    const app = await accountsApp(db);
    const { caller } = await signedInOperator(app, OFFICE);
    const asker = { caller, ...OFFICE };
    const { challenge, options } = await app.perform(beginPasskey, {}, asker);
    const passkey = openAuthenticator(1).create(options);
    const input = { challenge, name: 'Laptop', passkey };
    const expired = new Refusal('second_factor_expired', {});
    expect(await rejectionOf(app.perform(addPasskey, input, { caller, ...HOME }))).toEqual(expired);
    await app.perform(addPasskey, input, asker);
    expect(await rejectionOf(app.perform(addPasskey, input, asker))).toEqual(expired);
    expect((await app.perform(getSecondFactors, {}, asker)).factors).toHaveLength(1);
  });

  test('accepts a key once, and ten at most', async ({ db }) => {
    const app = await accountsApp(db);
    const { caller, authenticator } = await budi(app);
    const asker = { caller, ...OFFICE };
    const begun = await app.perform(beginPasskey, {}, asker);
    expect(begun.options['excludeCredentials']).toHaveLength(1);
    const again = {
      challenge: begun.challenge,
      name: 'Lagi',
      passkey: authenticator.create(begun.options),
    };
    expect(await rejectionOf(app.perform(addPasskey, again, asker))).toEqual(
      new Refusal('second_factor_exists', {}),
    );
    for (let n = 1; n < 10; n++) await withPasskey(app, caller, OFFICE);
    expect(await rejectionOf(app.perform(beginPasskey, {}, asker))).toEqual(refused);
  });
});
