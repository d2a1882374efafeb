import { describe, expect } from 'vitest';
import { resendOtp, verifyOtp } from '#contract/accounts.ts';
import { changeForgotten, forgotPassword, verifyForgot } from '#contract/people.ts';
import { Refusal } from '#contract/base/refusals.ts';
import {
  type AccountsHouse,
  GOOD_PASSWORD,
  OTHER_PASSWORD,
  accountsHouse,
  codesLater,
  no,
} from '#tests/support/people/accounts-app.ts';
import { test } from '#tests/support/database/database.ts';

const ANI = '6281234567890';
const NOBODY = '6281298767890';
const PIXEL = { device: 'her new phone', ip: '198.51.100.9' };
const wrongFor = (code: string): string => (code === '111111' ? '222222' : '111111');

async function ask(house: AccountsHouse, phone: string, asker: object = PIXEL): Promise<string> {
  const captcha = await house.solved('user_forgot_password', asker);
  const { challenge } = await house.perform(forgotPassword, { phone, captcha }, asker);
  return challenge;
}

async function grantFor(house: AccountsHouse, phone: string): Promise<string> {
  const challenge = await ask(house, phone);
  const code = house.codeFor(phone);
  return (await house.perform(verifyForgot, { challenge, code }, PIXEL)).grant;
}

describe('who forgot the password', () => {
  test('sets another with a code, is signed in, and every session of before ends', async ({
    db,
  }) => {
    const house = await accountsHouse(db);
    const before = await house.customer(ANI);
    await house.callerOf(before.token);
    const challenge = await ask(house, ANI);
    expect(house.sent.at(-1)).toMatchObject({
      phone: ANI,
      text: expect.stringContaining(' untuk mengganti kata sandi. Berlaku 5 menit'),
      shown: 'Kode verifikasi ••••••',
    });
    const { grant, expires_in_seconds } = await house.perform(
      verifyForgot,
      { challenge, code: house.codeFor(ANI) },
      PIXEL,
    );
    expect(grant).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(expires_in_seconds).toBe(600);
    const change = { grant, password: OTHER_PASSWORD };
    const { token, user } = await house.perform(changeForgotten, change, PIXEL);
    expect(user).toMatchObject({ phone: ANI });
    await house.callerOf(token);
    expect(await house.deps.sessions.find(before.token)).toBeUndefined();
    expect(house.sent.at(-1)?.text).toMatch(/^Kata sandi akun Kabari Anda baru saja diganti/);

    expect(await no(house.signIn(ANI, GOOD_PASSWORD, PIXEL))).toEqual(
      new Refusal('credentials_wrong', {}),
    );
    const sent = house.sent.length;
    await house.signIn(ANI, OTHER_PASSWORD, PIXEL);
    expect(house.sent).toHaveLength(sent);
    // Where the old password was used, the new one needs a code.
    await house.signIn(ANI, OTHER_PASSWORD);
    expect(house.sent.length).toBeGreaterThan(sent);
  });

  test('gets the same answers for a number nobody has, which gets no message', async ({ db }) => {
    const house = await accountsHouse(db);
    await house.customer(ANI);
    const sent = house.sent.length;
    const challenge = await ask(house, NOBODY);
    await codesLater(db.house, 60);
    expect(await house.perform(resendOtp, { challenge })).toMatchObject({
      challenge,
      sent_to: '+62 812-••••-7890',
      resend_in_seconds: 120,
    });
    for (const left of [4, 3, 2, 1, 0]) {
      const guess = { challenge, code: String(100_000 + left) };
      expect(await no(house.perform(verifyForgot, guess))).toEqual(
        new Refusal('otp_wrong', { left }),
      );
    }
    const sixth = { challenge, code: '000000' };
    expect(await no(house.perform(verifyForgot, sixth))).toEqual(new Refusal('otp_expired', {}));
    expect(house.sent).toHaveLength(sent);
    expect(await no(ask(house, NOBODY))).toMatchObject({ code: 'otp_too_soon' });
  });

  test('may have the code sent again, and the one before ends', async ({ db }) => {
    const house = await accountsHouse(db);
    await house.customer(ANI);
    const challenge = await ask(house, ANI);
    const first = house.codeFor(ANI);
    await codesLater(db.house, 60);
    await house.perform(resendOtp, { challenge });
    const second = house.codeFor(ANI);
    if (first !== second) {
      const old = house.perform(verifyForgot, { challenge, code: first });
      expect(await no(old)).toEqual(new Refusal('otp_wrong', { left: 4 }));
    }
    expect(await house.perform(verifyForgot, { challenge, code: second })).toHaveProperty('grant');
  });

  test('is not served before a captcha is solved for this very act', async ({ db }) => {
    const house = await accountsHouse(db);
    await house.customer(ANI);
    const captcha = await house.solved('user_login');
    const asked = house.perform(forgotPassword, { phone: ANI, captcha });
    expect(await no(asked)).toEqual(new Refusal('captcha_failed', {}));
    const good = await house.solved('user_forgot_password');
    await house.perform(forgotPassword, { phone: ANI, captcha: good });
    const again = house.perform(forgotPassword, { phone: NOBODY, captcha: good });
    expect(await no(again)).toEqual(new Refusal('captcha_failed', {}));
  });
});

describe('a code for a forgotten password', () => {
  test('dies after five wrong tries and after five minutes', async ({ db }) => {
    const house = await accountsHouse(db);
    await house.customer(ANI);
    const challenge = await ask(house, ANI);
    const code = house.codeFor(ANI);
    for (let times = 0; times < 5; times++) {
      await no(house.perform(verifyForgot, { challenge, code: wrongFor(code) }));
    }
    const expired = new Refusal('otp_expired', {});
    expect(await no(house.perform(verifyForgot, { challenge, code }))).toEqual(expired);
    await codesLater(db.house, 60);
    const second = await ask(house, ANI);
    await codesLater(db.house, 301);
    const late = { challenge: second, code: house.codeFor(ANI) };
    expect(await no(house.perform(verifyForgot, late))).toEqual(expired);
  });

  test('does not sign anybody in, and one for signing in changes no password', async ({ db }) => {
    const house = await accountsHouse(db);
    await house.customer(ANI);
    const challenge = await ask(house, ANI);
    const code = house.codeFor(ANI);
    const expired = new Refusal('otp_expired', {});
    expect(await no(house.perform(verifyOtp, { challenge, code }, PIXEL))).toEqual(expired);
    const registering = await house.register('6281398765432');
    const other = { challenge: registering.challenge, code: house.codeFor('6281398765432') };
    expect(await no(house.perform(verifyForgot, other))).toEqual(expired);
  });
});

describe('the right to set a password', () => {
  test('is worth one change, also when it is used twice at once', async ({ db }) => {
    const house = await accountsHouse(db);
    await house.customer(ANI);
    const grant = await grantFor(house, ANI);
    const change = () => house.perform(changeForgotten, { grant, password: OTHER_PASSWORD });
    const answers = await Promise.allSettled([change(), change()]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(await no(change())).toEqual(new Refusal('grant_gone', {}));
  });

  test('ends after ten minutes of the database, and lies there unreadable', async ({ db }) => {
    const house = await accountsHouse(db);
    await house.customer(ANI);
    const grant = await grantFor(house, ANI);
    const kept = await db.house`select encode(grant_hash, 'escape') as h, * from password_grants`;
    expect(JSON.stringify(kept)).not.toContain(grant);
    await db.owner`
      update password_grants set expires_at = expires_at - interval '600 seconds'`;
    const late = house.perform(changeForgotten, { grant, password: OTHER_PASSWORD });
    expect(await no(late)).toEqual(new Refusal('grant_gone', {}));
  });

  test('stays when the new password is one that everybody uses', async ({ db }) => {
    const house = await accountsHouse(db);
    await house.customer(ANI);
    const grant = await grantFor(house, ANI);
    const common = house.perform(changeForgotten, { grant, password: 'bismillah' });
    expect(await no(common)).toEqual(new Refusal('password_common', {}));
    const better = house.perform(changeForgotten, { grant, password: OTHER_PASSWORD });
    expect(await better).toHaveProperty('token');
  });

  test('ends every other code of the person that is under way', async ({ db }) => {
    const house = await accountsHouse(db);
    await house.customer(ANI);
    const first = await grantFor(house, ANI);
    await codesLater(db.house, 60);
    const second = await grantFor(house, ANI);
    await codesLater(db.house, 120);
    const challenge = await ask(house, ANI);
    const code = house.codeFor(ANI);
    await house.perform(changeForgotten, { grant: first, password: OTHER_PASSWORD }, PIXEL);
    const left = house.perform(changeForgotten, { grant: second, password: GOOD_PASSWORD });
    expect(await no(left)).toEqual(new Refusal('grant_gone', {}));
    expect(await no(house.perform(verifyForgot, { challenge, code }))).toEqual(
      new Refusal('otp_expired', {}),
    );
  });
});
