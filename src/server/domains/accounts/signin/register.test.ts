import { describe, expect } from 'vitest';
import { registerUser, resendOtp, verifyOtp } from '#contract/accounts.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { uuidOf } from '#contract/base/ids.ts';
import { readConfig } from '#server/infra/config.ts';
import {
  ageCodes,
  GOOD_PASSWORD,
  accountsApp,
  signedIn,
} from '#tests/support/people/accounts-app.ts';
import { test } from '#tests/support/database/database.ts';
import { STALL_SECONDS } from '#tests/support/wait-for.ts';

const ANI = '6281234567890';
const BUDI = '6281398765432';

const no = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'nothing was refused',
    (error: unknown) => error,
  );

describe('registering', () => {
  test('registers a user, who enters the code and is signed in to an account of their own', async ({
    db,
  }) => {
    const app = await accountsApp(db);
    const { challenge, ...shown } = await app.register(ANI);
    expect(shown).toEqual({
      sent_to: '+62 812-••••-7890',
      resend_in_seconds: 60,
      expires_in_seconds: 300,
    });
    expect(app.sent).toEqual([
      {
        phone: ANI,
        text: expect.stringMatching(
          /^Kode verifikasi Kabari: \d{6}\. Berlaku 5 menit\. Jangan berikan kepada siapa pun\.$/,
        ),
        shown: 'Kode verifikasi ••••••',
      },
    ]);
    const entered = { challenge, code: app.codeFor(ANI) };
    const { token, user } = signedIn(await app.perform(verifyOtp, entered));
    expect(user).toMatchObject({ name: 'Toko Ani', phone: ANI, role: 'customer' });
    expect(await app.deps.sessions.find(token)).toMatchObject({
      userId: uuidOf('user', user.id),
      role: 'customer',
    });
    expect(await db.allAccountsSql`select available from wallets`).toEqual([{ available: 0 }]);
  });

  test('gives a registered number the same response, and its phone a note', async ({ db }) => {
    const app = await accountsApp(db);
    await app.customer(ANI);
    const known = await app.register(ANI, { password: 'lain-sekali-kata-ini' });
    const unknown = await app.register(BUDI);
    expect(Object.keys(known)).toEqual(Object.keys(unknown));
    expect({ ...known, challenge: '', sent_to: '' }).toEqual({
      ...unknown,
      challenge: '',
      sent_to: '',
    });
    expect(app.sent.at(-2)?.text).toMatch(/^Nomor ini sudah terdaftar/);
    expect(app.sent.at(-2)?.text).not.toMatch(/\d{6}/);
    expect(
      await no(app.perform(verifyOtp, { challenge: known.challenge, code: '000000' })),
    ).toEqual(new Refusal('otp_wrong', { left: 4 }));
    expect(await db.allAccountsSql`select count(*) as n from users`).toEqual([{ n: 1 }]);
  });

  test('gives the number to the first of two users who enter a code', async ({ db }) => {
    const app = await accountsApp(db);
    const first = await app.register(ANI);
    const firstCode = app.codeFor(ANI);
    await ageCodes(db.allAccountsSql, 60);
    const second = await app.register(ANI, { name: 'Orang lain' });
    await app.perform(verifyOtp, { challenge: second.challenge, code: app.codeFor(ANI) });
    expect(
      await no(app.perform(verifyOtp, { challenge: first.challenge, code: firstCode })),
    ).toEqual(new Refusal('otp_expired', {}));
    expect(await db.allAccountsSql`select name from accounts`).toEqual([{ name: 'Orang lain' }]);
  });

  test('opens no account that cannot be completed, and the code stays valid', async ({ db }) => {
    let broken = true;
    const app = await accountsApp(db, {
      onAccountOpened: async () => {
        if (broken) throw new Error('no wallet');
      },
    });
    const { challenge } = await app.register(ANI);
    const code = app.codeFor(ANI);
    await expect(app.perform(verifyOtp, { challenge, code })).rejects.toThrow('no wallet');
    expect(await db.allAccountsSql`select * from accounts`).toEqual([]);
    broken = false;
    expect(await app.perform(verifyOtp, { challenge, code })).toMatchObject({
      user: { phone: ANI },
    });
  });

  test('refuses a common password', async ({ db }) => {
    const app = await accountsApp(db);
    for (const password of ['bismillah', 'kabari123', ANI]) {
      expect(await no(app.register(ANI, { password }))).toEqual(new Refusal('password_common', {}));
    }
    expect(app.sent).toEqual([]);
  });

  test('stores neither the code nor the password readably', async ({ db }) => {
    const app = await accountsApp(db);
    await app.register(ANI);
    const lies = JSON.stringify(await db.allAccountsSql`select * from otp_challenges`);
    expect(lies).toContain('$argon2id$');
    expect(lies).not.toContain(GOOD_PASSWORD);
    expect(lies).not.toContain(`"${app.codeFor(ANI)}"`);
  });

  test('sends nothing without a solved captcha', async ({ db }) => {
    const app = await accountsApp(db);
    const requests = app.perform(registerUser, {
      name: 'Toko Ani',
      phone: ANI,
      password: GOOD_PASSWORD,
      agree: '1',
      captcha: 'e30=',
    });
    expect(await no(requests)).toEqual(new Refusal('captcha_failed', {}));
    expect(app.sent).toEqual([]);
  });
});

describe('a code', () => {
  test('works once, also with two simultaneous uses', async ({ db }) => {
    const app = await accountsApp(db);
    const { challenge } = await app.register(ANI);
    const entered = Array.from({ length: 5 }, () =>
      app.perform(verifyOtp, { challenge, code: app.codeFor(ANI) }),
    );
    const answers = await Promise.allSettled(entered);
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const answer of answers) {
      if (answer.status === 'rejected')
        expect(answer.reason).toEqual(new Refusal('otp_expired', {}));
    }
  });

  test('ends after five wrong tries; the sixth fails with the correct one', async ({ db }) => {
    const app = await accountsApp(db);
    const { challenge } = await app.register(ANI);
    const code = app.codeFor(ANI);
    const wrong = code === '111111' ? '222222' : '111111';
    for (const left of [4, 3, 2, 1, 0]) {
      expect(await no(app.perform(verifyOtp, { challenge, code: wrong }))).toEqual(
        new Refusal('otp_wrong', { left }),
      );
    }
    expect(await no(app.perform(verifyOtp, { challenge, code }))).toEqual(
      new Refusal('otp_expired', {}),
    );
  });

  test('allows five tries to parallel guesses', async ({ db }) => {
    const app = await accountsApp(db);
    const { challenge } = await app.register(ANI);
    const code = app.codeFor(ANI);
    const guesses = Array.from({ length: 30 }, (_, n) => String(100_000 + n)).filter(
      (guess) => guess !== code,
    );
    const answers = await Promise.all(
      guesses.map((guess) => no(app.perform(verifyOtp, { challenge, code: guess }))),
    );
    const wrong = answers.filter(
      (answer) => answer instanceof Refusal && answer.code === 'otp_wrong',
    );
    expect(wrong).toHaveLength(5);
  });

  test('fits its own challenge only', async ({ db }) => {
    const app = await accountsApp(db);
    await app.register(ANI);
    const { challenge } = await app.register(BUDI);
    await db.allAccountsSql`
      update otp_challenges set code_hmac = (
        select code_hmac from otp_challenges where phone = ${ANI}) where phone = ${BUDI}`;
    const ofAni = app.perform(verifyOtp, { challenge, code: app.codeFor(ANI) });
    expect(await no(ofAni)).toEqual(new Refusal('otp_wrong', { left: 4 }));
  });

  test('expires after five minutes of the database', async ({ db }) => {
    const app = await accountsApp(db);
    const { challenge } = await app.register(ANI);
    await ageCodes(db.allAccountsSql, 301);
    expect(await no(app.perform(verifyOtp, { challenge, code: app.codeFor(ANI) }))).toEqual(
      new Refusal('otp_expired', {}),
    );
  });
});

describe('another code', () => {
  test('is allowed after 60, 120 and 300 seconds, and the previous one ends', async ({ db }) => {
    const app = await accountsApp(db);
    const { challenge } = await app.register(ANI);
    const first = app.codeFor(ANI);
    for (const [wait, next] of [
      [60, 120],
      [120, 300],
      [300, 300],
    ] as const) {
      await ageCodes(db.allAccountsSql, wait - STALL_SECONDS);
      const early = await no(app.perform(resendOtp, { challenge }));
      expect(early).toMatchObject({ code: 'otp_too_soon', facts: { seconds: expect.any(Number) } });
      await ageCodes(db.allAccountsSql, STALL_SECONDS);
      expect(await app.perform(resendOtp, { challenge })).toMatchObject({
        challenge,
        resend_in_seconds: next,
      });
    }
    const last = app.codeFor(ANI);
    if (first !== last) {
      expect(await no(app.perform(verifyOtp, { challenge, code: first }))).toEqual(
        new Refusal('otp_wrong', { left: 4 }),
      );
    }
    expect(await app.perform(verifyOtp, { challenge, code: last })).toMatchObject({
      user: { phone: ANI },
    });
  });

  test('is not sent sooner by registering again', async ({ db }) => {
    const app = await accountsApp(db);
    await app.register(ANI);
    expect(await no(app.register(ANI))).toMatchObject({ code: 'otp_too_soon' });
    await ageCodes(db.allAccountsSql, 60);
    expect(await app.register(ANI)).toMatchObject({ resend_in_seconds: 120 });
  });

  test('is sent once for simultaneous requests', async ({ db }) => {
    const app = await accountsApp(db);
    const { challenge } = await app.register(ANI);
    await ageCodes(db.allAccountsSql, 60);
    await Promise.all([1, 2, 3].map(() => no(app.perform(resendOtp, { challenge }))));
    expect(app.sent).toHaveLength(2);
  });

  test('to a registered number is again a note, after the same waits', async ({ db }) => {
    const app = await accountsApp(db);
    await app.customer(ANI);
    const { challenge } = await app.register(ANI);
    expect(await no(app.perform(resendOtp, { challenge }))).toMatchObject({
      code: 'otp_too_soon',
    });
    await ageCodes(db.allAccountsSql, 60);
    await app.perform(resendOtp, { challenge });
    expect(app.sent.at(-1)?.text).toMatch(/^Nomor ini sudah terdaftar/);
  });

  test('is refused for a challenge that is unknown or half an hour old', async ({ db }) => {
    const app = await accountsApp(db);
    const { challenge } = await app.register(ANI);
    await ageCodes(db.allAccountsSql, 1801);
    expect(await no(app.perform(resendOtp, { challenge }))).toEqual(new Refusal('otp_expired', {}));
    const unknown = `otp_${'0'.repeat(26)}`;
    expect(await no(app.perform(resendOtp, { challenge: unknown }))).toEqual(
      new Refusal('otp_expired', {}),
    );
  });
});

describe('the caps of a day', () => {
  test('allow a number ten codes from all requesters', async ({ db }) => {
    const app = await accountsApp(db);
    for (let times = 0; times < 10; times++) {
      await app.register(ANI, {}, { ip: `203.0.${times}.7` });
      await ageCodes(db.allAccountsSql, 300);
    }
    expect(await no(app.register(ANI, {}, { ip: '203.0.99.7' }))).toEqual(
      new Refusal('otp_limit', {}),
    );
    const { challenge } = await app.register(BUDI, {}, { ip: '203.0.99.7' });
    expect(app.sent).toHaveLength(11);
    await db.allAccountsSql`update limit_counters set hits = 10 where scope = 'otp_phone_register'`;
    await ageCodes(db.allAccountsSql, 60);
    expect(await no(app.perform(resendOtp, { challenge }))).toEqual(new Refusal('otp_limit', {}));
  });

  test('limit an address and the total to the settings', async ({ db }) => {
    const config = readConfig({ OTP_DAILY_PER_ADDRESS: '2', OTP_DAILY_TOTAL: '3' });
    const app = await accountsApp(db, { config });
    await app.register('6281300000001');
    await app.register('6281400000001');
    const third = no(app.register('6281500000001'));
    expect(await third).toEqual(new Refusal('otp_limit', {}));
    await app.register('6281500000001', {}, { ip: '198.51.100.1' });
    expect(await no(app.register('6281600000001', {}, { ip: '192.0.2.1' }))).toEqual(
      new Refusal('otp_limit', {}),
    );
    expect(app.sent).toHaveLength(3);
  });

  test('keep an attack from many addresses on many numbers within the total', async ({ db }) => {
    const config = readConfig({ OTP_DAILY_TOTAL: '12' });
    const app = await accountsApp(db, { config });
    const requests = Array.from({ length: 40 }, (_, n) =>
      no(app.register(`62813${String(n).padStart(4, '0')}0001`, {}, { ip: `203.0.${n}.7` })),
    );
    await Promise.all(requests);
    expect(app.sent).toHaveLength(12);
  });

  test('stop codes to a range of numbers that enters none', async ({ db }) => {
    const warned: object[] = [];
    const config = readConfig({ OTP_DAILY_PER_ADDRESS: '1000' });
    const log = { warn: (facts: object) => void warned.push(facts) };
    const app = await accountsApp(db, { config, log });
    for (let n = 0; n < 30; n++) await app.register(`6281377700${String(n).padStart(2, '0')}`);
    expect(await no(app.register('628137770099'))).toEqual(new Refusal('otp_limit', {}));
    expect(warned).toEqual([{ sent: 31, entered: 0 }]);
    await app.register('628137880099');
  });
});
