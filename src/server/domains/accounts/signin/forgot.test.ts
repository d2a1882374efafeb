import { describe, expect } from 'vitest';
import { resendOtp, verifyOtp } from '#contract/accounts.ts';
import {
  requestDeletion,
  changeForgotten,
  forgotPassword,
  verifyForgot,
} from '#contract/people.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { readConfig } from '#server/infra/config.ts';
import {
  type AccountsApp,
  GOOD_PASSWORD,
  OTHER_PASSWORD,
  accountsApp,
  ageCodes,
  rejectionOf,
  signedIn,
} from '#tests/support/people/accounts-app.ts';
import { test } from '#tests/support/database/database.ts';

const ANI = '6281234567890';
const BUDI = '6281398765432';
const NOBODY = '6281298767890';
const PIXEL = { device: 'her new phone', ip: '198.51.100.9' };
const wrongFor = (code: string): string => (code === '111111' ? '222222' : '111111');

async function ask(app: AccountsApp, phone: string, asker: object = PIXEL): Promise<string> {
  const captcha = await app.solved('user_forgot_password', asker);
  const { challenge } = await app.perform(forgotPassword, { phone, captcha }, asker);
  return challenge;
}

async function grantFor(app: AccountsApp, phone: string): Promise<string> {
  const challenge = await ask(app, phone);
  const code = app.codeFor(phone);
  return (await app.perform(verifyForgot, { challenge, code }, PIXEL)).grant;
}

describe('a forgotten password', () => {
  test('is replaced with a code, which signs in and ends every earlier session', async ({ db }) => {
    const app = await accountsApp(db);
    const before = await app.customer(ANI);
    await app.callerOf(before.token);
    const challenge = await ask(app, ANI);
    expect(app.sent.at(-1)).toMatchObject({
      phone: ANI,
      text: expect.stringContaining(' untuk mengganti kata sandi. Berlaku 5 menit'),
      shown: 'Kode verifikasi ••••••',
    });
    const { grant, expires_in_seconds } = await app.perform(
      verifyForgot,
      { challenge, code: app.codeFor(ANI) },
      PIXEL,
    );
    expect(grant).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(expires_in_seconds).toBe(600);
    const change = { grant, password: OTHER_PASSWORD };
    const { token, user } = signedIn(await app.perform(changeForgotten, change, PIXEL));
    expect(user).toMatchObject({ phone: ANI });
    await app.callerOf(token);
    expect(await app.deps.sessions.find(before.token)).toBeUndefined();
    expect(app.sent.at(-1)?.text).toMatch(/^Kata sandi akun Kabari Anda baru saja diganti/);

    expect(await rejectionOf(app.signIn(ANI, GOOD_PASSWORD, PIXEL))).toEqual(
      new Refusal('credentials_wrong', {}),
    );
    const sent = app.sent.length;
    await app.signIn(ANI, OTHER_PASSWORD, PIXEL);
    expect(app.sent).toHaveLength(sent);
    // A browser of the old password needs a code with the new one.
    await app.signIn(ANI, OTHER_PASSWORD);
    expect(app.sent.length).toBeGreaterThan(sent);
  });

  test('gives the same responses for an unknown number, which gets no message', async ({ db }) => {
    const app = await accountsApp(db);
    await app.customer(ANI);
    const sent = app.sent.length;
    const challenge = await ask(app, NOBODY);
    await ageCodes(db.allAccountsSql, 60);
    expect(await app.perform(resendOtp, { challenge })).toMatchObject({
      challenge,
      sent_to: '+62 812-••••-7890',
      resend_in_seconds: 120,
    });
    for (const left of [4, 3, 2, 1, 0]) {
      const guess = { challenge, code: String(100_000 + left) };
      expect(await rejectionOf(app.perform(verifyForgot, guess))).toEqual(
        new Refusal('otp_wrong', { left }),
      );
    }
    const sixth = { challenge, code: '000000' };
    expect(await rejectionOf(app.perform(verifyForgot, sixth))).toEqual(
      new Refusal('otp_expired', {}),
    );
    expect(app.sent).toHaveLength(sent);
    expect(await rejectionOf(ask(app, NOBODY))).toMatchObject({ code: 'otp_too_soon' });
  });

  test('allows the code to be sent again, and the previous one ends', async ({ db }) => {
    const app = await accountsApp(db);
    await app.customer(ANI);
    const challenge = await ask(app, ANI);
    const first = app.codeFor(ANI);
    await ageCodes(db.allAccountsSql, 60);
    await app.perform(resendOtp, { challenge });
    const second = app.codeFor(ANI);
    if (first !== second) {
      const old = app.perform(verifyForgot, { challenge, code: first });
      expect(await rejectionOf(old)).toEqual(new Refusal('otp_wrong', { left: 4 }));
    }
    expect(await app.perform(verifyForgot, { challenge, code: second })).toHaveProperty('grant');
  });

  test('requires a captcha solved for this very act', async ({ db }) => {
    const app = await accountsApp(db);
    await app.customer(ANI);
    const captcha = await app.solved('user_login');
    const answer = app.perform(forgotPassword, { phone: ANI, captcha });
    expect(await rejectionOf(answer)).toEqual(new Refusal('captcha_failed', {}));
    const good = await app.solved('user_forgot_password');
    await app.perform(forgotPassword, { phone: ANI, captcha: good });
    const again = app.perform(forgotPassword, { phone: NOBODY, captcha: good });
    expect(await rejectionOf(again)).toEqual(new Refusal('captcha_failed', {}));
  });
});

describe('a code for a forgotten password', () => {
  test('ends after five wrong tries and after five minutes', async ({ db }) => {
    const app = await accountsApp(db);
    await app.customer(ANI);
    const challenge = await ask(app, ANI);
    const code = app.codeFor(ANI);
    for (let times = 0; times < 5; times++) {
      await rejectionOf(app.perform(verifyForgot, { challenge, code: wrongFor(code) }));
    }
    const expired = new Refusal('otp_expired', {});
    expect(await rejectionOf(app.perform(verifyForgot, { challenge, code }))).toEqual(expired);
    await ageCodes(db.allAccountsSql, 60);
    const second = await ask(app, ANI);
    await ageCodes(db.allAccountsSql, 301);
    const late = { challenge: second, code: app.codeFor(ANI) };
    expect(await rejectionOf(app.perform(verifyForgot, late))).toEqual(expired);
  });

  test('does not sign in, and a code for signing in changes no password', async ({ db }) => {
    const app = await accountsApp(db);
    await app.customer(ANI);
    const challenge = await ask(app, ANI);
    const code = app.codeFor(ANI);
    const expired = new Refusal('otp_expired', {});
    expect(await rejectionOf(app.perform(verifyOtp, { challenge, code }, PIXEL))).toEqual(expired);
    const registering = await app.register(BUDI);
    const other = { challenge: registering.challenge, code: app.codeFor(BUDI) };
    expect(await rejectionOf(app.perform(verifyForgot, other))).toEqual(expired);
  });
});

describe('requests of strangers', () => {
  const STRANGER = { device: 'the stranger’s', ip: '203.0.113.66' };
  const HOME = { device: 'her browser', ip: '198.51.100.7' };
  const sameBlock = (n: number) => `628123456${String(1_000 + n)}`;
  const codesTo = (app: AccountsApp, phone: string) =>
    app.sent.filter((one) => one.phone === phone && one.shown === 'Kode verifikasi ••••••').length;

  test('for numbers without an account leave a block of numbers its codes', async ({ db }) => {
    const app = await accountsApp(db);
    await app.customer(ANI, HOME);
    for (let n = 0; n < 31; n++) await ask(app, sameBlock(n), STRANGER);
    expect(codesTo(app, ANI)).toBe(1);
    await ask(app, ANI, HOME);
    await app.signIn(ANI, GOOD_PASSWORD, { device: 'another', ip: '192.0.2.9' });
    expect(codesTo(app, ANI)).toBe(3);
    expect(signedIn(await app.customer(sameBlock(99), { ip: '192.0.2.10' }))).toHaveProperty(
      'token',
    );
  });

  test('for one user leave the codes of her own browsers and of her password', async ({ db }) => {
    const app = await accountsApp(db);
    await app.customer(ANI, HOME);
    const refused = new Refusal('otp_limit', {});
    for (let n = 0; n < 10; n++) {
      await ask(app, ANI, { ...STRANGER, ip: n < 5 ? STRANGER.ip : `192.0.${n}.6` });
      if (n === 4) {
        await ageCodes(db.allAccountsSql, 300);
        expect(await rejectionOf(ask(app, ANI, STRANGER))).toEqual(refused);
      }
      await ageCodes(db.allAccountsSql, n === 9 ? 0 : 300);
    }
    expect(await rejectionOf(ask(app, ANI, { ...STRANGER, ip: '192.0.99.6' }))).toMatchObject({
      code: 'otp_too_soon',
    });
    await ask(app, ANI, HOME);
    await ageCodes(db.allAccountsSql, 300);
    expect(await rejectionOf(ask(app, ANI, { ...STRANGER, ip: '192.0.99.6' }))).toEqual(refused);
    const token = await app.signIn(ANI, GOOD_PASSWORD, { device: 'another', ip: '192.0.2.9' });
    const caller = await app.callerOf(token.token);
    const asked = await app.perform(requestDeletion, {}, { caller, ip: '192.0.2.9' });
    expect(asked).toHaveProperty('challenge');
  });

  test('that use up the day’s total are refused alike for known and unknown numbers', async ({
    db,
  }) => {
    const config = readConfig({ OTP_DAILY_TOTAL: '2' });
    const app = await accountsApp(db, { config });
    await app.customer(ANI, HOME);
    await app.customer(BUDI, { ip: '192.0.2.10' });
    for (let n = 0; n < 3; n++) await ask(app, sameBlock(n), STRANGER);
    await ask(app, ANI, STRANGER);
    await ask(app, BUDI, STRANGER);
    await ageCodes(db.allAccountsSql, 300);
    const refused = new Refusal('otp_limit', {});
    expect(await rejectionOf(ask(app, ANI, STRANGER))).toEqual(refused);
    expect(await rejectionOf(ask(app, sameBlock(50), STRANGER))).toEqual(refused);
    await app.signIn(ANI, GOOD_PASSWORD, { device: 'another', ip: '192.0.2.9' });
  });
});

describe('a password grant', () => {
  test('allows one change, also with two simultaneous uses', async ({ db }) => {
    const app = await accountsApp(db);
    await app.customer(ANI);
    const grant = await grantFor(app, ANI);
    const change = () => app.perform(changeForgotten, { grant, password: OTHER_PASSWORD });
    const answers = await Promise.allSettled([change(), change()]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(await rejectionOf(change())).toEqual(new Refusal('grant_gone', {}));
  });

  test('ends after ten minutes of the database, and is stored unreadably', async ({ db }) => {
    const app = await accountsApp(db);
    await app.customer(ANI);
    const grant = await grantFor(app, ANI);
    const stored =
      await db.allAccountsSql`select encode(grant_hash, 'escape') as h, * from password_grants`;
    expect(JSON.stringify(stored)).not.toContain(grant);
    await db.owner`
      update password_grants set expires_at = statement_timestamp()`;
    const late = app.perform(changeForgotten, { grant, password: OTHER_PASSWORD });
    expect(await rejectionOf(late)).toEqual(new Refusal('grant_gone', {}));
  });

  test('stays valid after a common password was refused', async ({ db }) => {
    const app = await accountsApp(db);
    await app.customer(ANI);
    const grant = await grantFor(app, ANI);
    const common = app.perform(changeForgotten, { grant, password: 'bismillah' });
    expect(await rejectionOf(common)).toEqual(new Refusal('password_common', {}));
    const better = app.perform(changeForgotten, { grant, password: OTHER_PASSWORD });
    expect(await better).toHaveProperty('token');
  });

  test('ends every other pending code of the user', async ({ db }) => {
    const app = await accountsApp(db);
    await app.customer(ANI);
    const first = await grantFor(app, ANI);
    await ageCodes(db.allAccountsSql, 60);
    const second = await grantFor(app, ANI);
    await ageCodes(db.allAccountsSql, 120);
    const challenge = await ask(app, ANI);
    const code = app.codeFor(ANI);
    await app.perform(changeForgotten, { grant: first, password: OTHER_PASSWORD }, PIXEL);
    const left = app.perform(changeForgotten, { grant: second, password: GOOD_PASSWORD });
    expect(await rejectionOf(left)).toEqual(new Refusal('grant_gone', {}));
    expect(await rejectionOf(app.perform(verifyForgot, { challenge, code }))).toEqual(
      new Refusal('otp_expired', {}),
    );
  });
});
