import { describe, expect } from 'vitest';
import { type SecondFactorRequired, loginUser, logoutUser, verifyOtp } from '#contract/accounts.ts';
import { changeForgotten, forgotPassword, reauthUser, verifyForgot } from '#contract/people.ts';
import type { InputFor } from '#contract/base/act.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { verifySecondFactor } from '#contract/second-factor.ts';
import {
  type AccountsApp,
  OTHER_PASSWORD,
  accountsApp,
  ageLimits,
  rejectionOf,
  refusedToWait,
} from '#tests/support/people/accounts-app.ts';
import { BUDI, signedInOperator, withTotp } from '#tests/support/people/operators.ts';
import { test } from '#tests/support/database/database.ts';

const OFFICE = { device: 'at the office', ip: '203.0.113.7' };
const HOME = { device: 'at home', ip: '198.51.100.9' };
const wrong = (left: number) => new Refusal('second_factor_wrong', { left });
const expired = new Refusal('second_factor_expired', {});

/** An operator with an authenticator app, set up at the office. */
async function budi(app: AccountsApp, browser = OFFICE, phone = BUDI) {
  const operator = await signedInOperator(app, browser, phone);
  return { ...operator, ...(await withTotp(app, operator.caller, browser)) };
}

async function challenged(
  app: AccountsApp,
  { phone, password }: { phone: string; password: string },
  browser: typeof HOME = HOME,
): Promise<SecondFactorRequired['second_factor']> {
  const captcha = await app.solved('user_login', browser);
  const answer = await app.perform(loginUser, { phone, password, captcha }, browser);
  if (!('second_factor' in answer)) throw new Error('no second factor is asked for');
  return answer.second_factor;
}

const give = (app: AccountsApp, input: InputFor<typeof verifySecondFactor>, browser = HOME) =>
  app.perform(verifySecondFactor, input, browser);

describe('a user with a second factor', () => {
  test('gives it after the password, in a new browser and in a known one', async ({ db }) => {
    const app = await accountsApp(db);
    const who = await budi(app);
    for (const [browser, seconds] of [
      [HOME, 0],
      [OFFICE, 30],
    ] as const) {
      const asked = await challenged(app, who, browser);
      expect(asked).toMatchObject({ methods: ['totp', 'recovery_code'], passkey: null });
      const code = who.codeAt(seconds);
      const { token } = await give(app, { challenge: asked.challenge, code }, browser);
      expect(await app.callerOf(token)).toMatchObject({ secondFactor: true });
    }
    // No code is sent; the phone is notified of the new browser.
    expect(app.sent.filter(({ text }) => text.startsWith('Kode verifikasi'))).toEqual([]);
    expect(app.sent.filter(({ text }) => text.includes('browser baru'))).toHaveLength(1);
  });

  test('is not signed in by a code that was sent to the phone before it was set up', async ({
    db,
  }) => {
    const app = await accountsApp(db);
    const who = await signedInOperator(app, OFFICE);
    const captcha = await app.solved('user_login', HOME);
    const answer = await app.perform(
      loginUser,
      { phone: BUDI, password: who.password, captcha },
      HOME,
    );
    if (!('challenge' in answer)) throw new Error('no code is asked for');
    const code = app.codeFor(BUDI);
    await withTotp(app, who.caller, OFFICE);
    const { challenge } = answer.challenge;
    const entered = await app.perform(verifyOtp, { challenge, code }, HOME);
    expect(entered).toHaveProperty('second_factor');
    expect(entered).not.toHaveProperty('token');
  });

  test('must give it after the password was reset by a code, and keeps it', async ({ db }) => {
    const app = await accountsApp(db);
    const who = await budi(app);
    const captcha = await app.solved('user_forgot_password', HOME);
    const { challenge } = await app.perform(forgotPassword, { phone: BUDI, captcha }, HOME);
    const { grant } = await app.perform(verifyForgot, { challenge, code: app.codeFor(BUDI) }, HOME);
    const answer = await app.perform(changeForgotten, { grant, password: OTHER_PASSWORD }, HOME);
    if (!('second_factor' in answer)) throw new Error('signed in without the second factor');
    expect(await app.deps.sessions.find(who.token)).toBeUndefined();
    const { challenge: asked } = answer.second_factor;
    const { token } = await give(app, { challenge: asked, code: who.codeAt(0) });
    expect(await app.callerOf(token)).toMatchObject({ secondFactor: true });
  });

  test('cannot use a copied session elsewhere with the password', async ({ db }) => {
    const app = await accountsApp(db);
    const { caller, password } = await budi(app);
    const thief = { caller, ...HOME };
    expect(await rejectionOf(app.perform(reauthUser, { password }, thief))).toEqual(
      new Refusal('sign_in_needed', {}),
    );
  });

  test('ends the previous session of this browser', async ({ db }) => {
    const app = await accountsApp(db);
    const who = await budi(app);
    const asked = await challenged(app, who, OFFICE);
    const input = { challenge: asked.challenge, code: who.codeAt(0) };
    await app.perform(verifySecondFactor, input, { ...OFFICE, caller: who.caller });
    expect(await app.deps.sessions.find(who.token)).toBeUndefined();
  });
});

describe('a code', () => {
  test('works once: not again, not the previous one, and not the one of the setup', async ({
    db,
  }) => {
    const app = await accountsApp(db);
    const who = await budi(app);
    const first = await challenged(app, who);
    expect(
      await rejectionOf(give(app, { challenge: first.challenge, code: who.codeAt(-30) })),
    ).toEqual(wrong(4));
    await give(app, { challenge: first.challenge, code: who.codeAt(30) });
    const { challenge } = await challenged(app, who);
    for (const [left, seconds] of [
      [4, 30],
      [3, 0],
      [2, -30],
    ] as const) {
      expect(await rejectionOf(give(app, { challenge, code: who.codeAt(seconds) }))).toEqual(
        wrong(left),
      );
    }
  });

  test('signs in once when used twice at the same moment', async ({ db }) => {
    const app = await accountsApp(db);
    const who = await budi(app);
    const asked = await Promise.all([challenged(app, who), challenged(app, who, OFFICE)]);
    const code = who.codeAt(0);
    const outcomes = await Promise.allSettled(
      asked.map(({ challenge }, n) => give(app, { challenge, code }, n === 0 ? HOME : OFFICE)),
    );
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });

  test('is rejected from another user or for another user’s challenge', async ({ db }) => {
    const app = await accountsApp(db);
    const who = await budi(app);
    const other = await budi(app, { device: 'hers', ip: '192.0.2.4' }, '6281222222222');
    const { challenge } = await challenged(app, who);
    expect(await rejectionOf(give(app, { challenge, code: other.codeAt(0) }))).toEqual(wrong(4));
    expect(await rejectionOf(give(app, { challenge, recovery_code: other.codes[0] }))).toEqual(
      wrong(3),
    );
  });
});

describe('a challenge', () => {
  test('is answered in its own browser, for five minutes, once', async ({ db }) => {
    const app = await accountsApp(db);
    const who = await budi(app);
    const code = who.codeAt(0);
    const { challenge } = await challenged(app, who);
    expect(await rejectionOf(give(app, { challenge, code }, OFFICE))).toEqual(expired);
    await db.allAccountsSql`
      update second_factor_challenges set expires_at = statement_timestamp()`;
    expect(await rejectionOf(give(app, { challenge, code }))).toEqual(expired);
    const next = await challenged(app, who);
    await give(app, { challenge: next.challenge, code });
    expect(
      await rejectionOf(give(app, { challenge: next.challenge, code: who.codeAt(30) })),
    ).toEqual(expired);
  });

  test('accepts one answer at a time', async ({ db }) => {
    const app = await accountsApp(db);
    const who = await budi(app);
    const { challenge } = await challenged(app, who);
    const both = { challenge, code: who.codeAt(0), recovery_code: who.codes[0] };
    for (const input of [{ challenge }, both]) {
      expect(await rejectionOf(give(app, input))).toMatchObject({ code: 'input_invalid' });
    }
    expect(await give(app, { challenge, code: who.codeAt(0) })).toHaveProperty('token');
  });

  test('ends after five wrong answers, also in parallel, and notifies the phone', async ({
    db,
  }) => {
    const app = await accountsApp(db);
    const who = await budi(app);
    const { challenge } = await challenged(app, who);
    const bad = ['000000', '111111', '222222', '333333', '444444', '555555', '666666'];
    const answers = await Promise.all(
      bad.map((code) => rejectionOf(give(app, { challenge, code }))),
    );
    expect(answers.filter((one) => (one as Refusal).code === 'second_factor_wrong')).toHaveLength(
      5,
    );
    expect(await rejectionOf(give(app, { challenge, code: who.codeAt(0) }))).not.toHaveProperty(
      'token',
    );
    expect(app.sent.at(-1)?.text).toMatch(/lima kali kode atau passkey yang salah/);
  });

  test('delays guesses increasingly across challenges, but not in the owner’s own browser', async ({
    db,
  }) => {
    const app = await accountsApp(db);
    const who = await budi(app);
    const guess = async (code: string) => {
      const { challenge } = await challenged(app, who);
      return rejectionOf(give(app, { challenge, code }));
    };
    for (const code of ['000000', '111111', '222222', '333333', '444444']) {
      expect(await guess(code)).toEqual(wrong(4));
    }
    expect(await guess('555555')).toEqual(refusedToWait(15));
    // Not even the correct one is checked.
    expect(await guess(who.codeAt(0))).toEqual(refusedToWait(15));
    const own = await challenged(app, who, OFFICE);
    await give(app, { challenge: own.challenge, code: who.codeAt(0) }, OFFICE);
    await ageLimits(db.allAccountsSql, 900, 'login');
    expect(await guess('666666')).toEqual(wrong(4));
  });

  test('reveals no second factor without the password', async ({ db }) => {
    const app = await accountsApp(db);
    await budi(app);
    const captcha = await app.solved('user_login', HOME);
    const refused = rejectionOf(
      app.perform(loginUser, { phone: BUDI, password: 'salah sama sekali', captcha }, HOME),
    );
    expect(await refused).toEqual(new Refusal('credentials_wrong', {}));
    expect(await db.allAccountsSql`select from second_factor_challenges`).toEqual([]);
  });
});

describe('a recovery code', () => {
  test('works once, in any spelling, and reports how many are left', async ({ db }) => {
    const app = await accountsApp(db);
    const who = await budi(app);
    expect(new Set(who.codes).size).toBe(10);
    const [code = ''] = who.codes;
    expect(code).toMatch(/^[a-z2-9]{5}-[a-z2-9]{5}$/);
    const first = await challenged(app, who);
    const typed = ` ${code.toUpperCase().replace('-', ' ')}`;
    const { token } = await give(app, { challenge: first.challenge, recovery_code: typed });
    expect(await app.callerOf(token)).toMatchObject({ secondFactor: true });
    expect(app.sent.some(({ text }) => text.includes('sisa 9'))).toBe(true);
    const { challenge } = await challenged(app, who);
    expect(await rejectionOf(give(app, { challenge, recovery_code: code }))).toEqual(wrong(4));
  });

  test('signs in once when used twice at the same moment', async ({ db }) => {
    const app = await accountsApp(db);
    const who = await budi(app);
    const asked = [await challenged(app, who), await challenged(app, who)];
    const outcomes = await Promise.allSettled(
      asked.map(({ challenge }) => give(app, { challenge, recovery_code: who.codes[1] })),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });
});

test('stores no readable second factor and removes none on sign-out', async ({ db }) => {
  const app = await accountsApp(db);
  const who = await budi(app);
  const rows = await db.allAccountsSql`
    select to_jsonb(f)::text as row from second_factors f
    union all select to_jsonb(c)::text from recovery_codes c`;
  const text = JSON.stringify(rows);
  for (const code of who.codes) expect(text).not.toContain(code.replace('-', ''));
  await app.perform(logoutUser, {}, { caller: who.caller });
  expect(await db.allAccountsSql`select from second_factors`).toHaveLength(1);
});
