import { describe, expect } from 'vitest';
import { loginUser, resendOtp, verifyOtp } from '#contract/accounts.ts';
import { changePassword, changePhone, confirmPhone } from '#contract/people.ts';
import { Refusal } from '#contract/base/refusals.ts';
import {
  GOOD_PASSWORD,
  OTHER_PASSWORD,
  accountsApp,
  ageCodes,
  rejectionOf,
} from '#tests/support/people/accounts-app.ts';
import { type TestDatabase, test } from '#tests/support/database/database.ts';

const OLD = '6281234567890';
const NEW = '6281298765432';
const BUDI = '6281377778888';
const LAPTOP = { device: 'her laptop', ip: '198.51.100.9' };
const wrongFor = (code: string): string => (code === '111111' ? '222222' : '111111');

async function ani(db: TestDatabase) {
  const app = await accountsApp(db);
  const first = await app.customer(OLD);
  await app.callerOf(first.token);
  const second = await app.signIn(OLD, GOOD_PASSWORD, LAPTOP);
  const caller = await app.callerOf(second.token);
  return { ...app, first, second, asker: { ...LAPTOP, caller } };
}

type Ani = Awaited<ReturnType<typeof ani>>;

async function codesFor({ perform, codeFor, asker }: Ani, phone = NEW) {
  const issued = await perform(changePhone, { phone }, asker);
  return {
    old_challenge: issued.old.challenge,
    old_code: codeFor(OLD),
    new_challenge: issued.new.challenge,
    new_code: codeFor(phone),
  };
}

describe('changing the password', () => {
  test('ends the other sessions, keeps this one, and notifies the phone', async ({ db }) => {
    const app = await ani(db);
    const { perform, deps, first, second, sent, asker } = app;
    const change = { current: GOOD_PASSWORD, password: OTHER_PASSWORD };
    expect(await perform(changePassword, change, asker)).toEqual({
      ended: 1,
      token: expect.stringMatching(/^kbs_/),
    });
    expect(await deps.sessions.find(first.token)).toBeUndefined();
    await app.callerOf(second.token);
    expect(sent.at(-1)).toMatchObject({
      phone: OLD,
      text: expect.stringMatching(/^Kata sandi akun Kabari Anda baru saja diganti/),
    });
    const sentBefore = sent.length;
    await app.signIn(OLD, OTHER_PASSWORD, LAPTOP);
    expect(sent).toHaveLength(sentBefore);
    // The browser of an ended session is unknown again.
    await app.signIn(OLD, OTHER_PASSWORD);
    expect(sent.length).toBeGreaterThan(sentBefore);
  });

  test('requires the present one, and rejects a common new one', async ({ db }) => {
    const { perform, asker, deps, first } = await ani(db);
    const change = (current: string, password: string) =>
      rejectionOf(perform(changePassword, { current, password }, asker));
    expect(await change('salah', OTHER_PASSWORD)).toEqual(new Refusal('password_wrong', {}));
    expect(await change(GOOD_PASSWORD, 'bismillah')).toEqual(new Refusal('password_common', {}));
    expect(await deps.sessions.find(first.token)).toBeDefined();
  });

  test('ends a sign-in with the old one whose code is still open', async ({ db }) => {
    const { perform, solved, codeFor, asker } = await ani(db);
    await ageCodes(db.allAccountsSql, 300);
    const thief = { device: 'a thief’s', ip: '192.0.2.1' };
    const captcha = await solved('user_login', thief);
    const known = { phone: OLD, password: GOOD_PASSWORD, captcha };
    const begun = await perform(loginUser, known, thief);
    if (!('challenge' in begun)) throw new Error('no code was asked for');
    const code = codeFor(OLD);
    await perform(changePassword, { current: GOOD_PASSWORD, password: OTHER_PASSWORD }, asker);
    const { challenge } = begun.challenge;
    expect(await rejectionOf(perform(verifyOtp, { challenge, code }, thief))).toEqual(
      new Refusal('otp_expired', {}),
    );
  });
});

describe('changing the number', () => {
  test('requires a code from the old number and one from the new', async ({ db }) => {
    const app = await ani(db);
    const { perform, deps, first, second, sent, asker } = app;
    const codes = await codesFor(app);
    expect(sent.slice(-2)).toMatchObject([
      { phone: OLD, text: expect.stringContaining('untuk mengganti nomor akun Anda') },
      { phone: NEW, text: expect.stringContaining('untuk memakai nomor ini di akun Anda') },
    ]);
    expect(await perform(confirmPhone, codes, asker)).toMatchObject({ phone: NEW });
    expect(await deps.sessions.find(first.token)).toBeUndefined();
    await app.callerOf(second.token);
    expect(sent.at(-1)).toMatchObject({
      phone: OLD,
      text: expect.stringMatching(/diganti ke nomor yang berakhiran 5432\. Bukan Anda\?/),
    });
    expect(await rejectionOf(app.signIn(OLD))).toEqual(new Refusal('credentials_wrong', {}));
    expect(await app.signIn(NEW, GOOD_PASSWORD, LAPTOP)).toMatchObject({ user: { phone: NEW } });
    expect(await rejectionOf(perform(confirmPhone, codes, asker))).toEqual(
      new Refusal('otp_expired', {}),
    );
  });

  test('a wrong code costs a try of its own and leaves the correct one valid', async ({ db }) => {
    const app = await ani(db);
    const { perform, asker } = app;
    const codes = await codesFor(app);
    const confirm = (changes: Partial<typeof codes>) =>
      rejectionOf(perform(confirmPhone, { ...codes, ...changes }, asker));
    const new_code = wrongFor(codes.new_code);
    const old_code = wrongFor(codes.old_code);
    expect(await confirm({ new_code })).toEqual(new Refusal('otp_wrong', { left: 4 }));
    expect(await confirm({ new_code })).toEqual(new Refusal('otp_wrong', { left: 3 }));
    expect(await confirm({ old_code })).toEqual(new Refusal('otp_wrong', { left: 4 }));
    expect(
      await db.allAccountsSql`select purpose, tries_left from otp_challenges order by 1`,
    ).toEqual([
      { purpose: 'phone_new', tries_left: 3 },
      { purpose: 'phone_old', tries_left: 4 },
    ]);
    expect(await perform(confirmPhone, codes, asker)).toMatchObject({ phone: NEW });
  });

  test('allows five guesses beside a correct code, also in parallel', async ({ db }) => {
    const app = await ani(db);
    const { perform, asker } = app;
    const codes = await codesFor(app);
    const guesses = Array.from({ length: 24 }, (_, n) => String(100_000 + n))
      .filter((guess) => guess !== codes.new_code)
      .map((new_code) => rejectionOf(perform(confirmPhone, { ...codes, new_code }, asker)));
    const wrong = (await Promise.all(guesses)).filter(
      (answer) => answer instanceof Refusal && answer.code === 'otp_wrong',
    );
    expect(wrong).toHaveLength(5);
    expect(await rejectionOf(perform(confirmPhone, codes, asker))).toEqual(
      new Refusal('otp_expired', {}),
    );
    expect(await db.allAccountsSql`select phone from users`).toEqual([{ phone: OLD }]);
  });

  test('rejects swapped codes and codes of another user', async ({ db }) => {
    const app = await ani(db);
    const { perform, asker } = app;
    const codes = await codesFor(app);
    const expired = new Refusal('otp_expired', {});
    const swapped = {
      old_challenge: codes.new_challenge,
      old_code: codes.new_code,
      new_challenge: codes.old_challenge,
      new_code: codes.old_code,
    };
    expect(await rejectionOf(perform(confirmPhone, swapped, asker))).toEqual(expired);
    const budi = { caller: await app.callerOf((await app.customer(BUDI)).token) };
    expect(await rejectionOf(perform(confirmPhone, codes, budi))).toEqual(expired);
    for (const which of ['old', 'new'] as const) {
      const issued = { challenge: codes[`${which}_challenge`], code: codes[`${which}_code`] };
      expect(await rejectionOf(perform(verifyOtp, issued, LAPTOP))).toEqual(expired);
    }
    expect(await perform(confirmPhone, codes, asker)).toMatchObject({ phone: NEW });
  });

  test('to a number in use gets the same response but no valid code', async ({ db }) => {
    const app = await ani(db);
    const { perform, sent, asker } = app;
    await app.customer(BUDI);
    const free = await perform(changePhone, { phone: NEW }, asker);
    await ageCodes(db.allAccountsSql, 300);
    const taken = await perform(changePhone, { phone: BUDI }, asker);
    expect({ ...taken.new, challenge: '', sent_to: '' }).toEqual({
      ...free.new,
      challenge: '',
      sent_to: '',
    });
    expect(sent.at(-1)).toMatchObject({
      phone: BUDI,
      text: expect.stringMatching(/sudah terdaftar/),
    });
    const codes = {
      old_challenge: taken.old.challenge,
      old_code: app.codeFor(OLD),
      new_challenge: taken.new.challenge,
      new_code: '000000',
    };
    expect(await rejectionOf(perform(confirmPhone, codes, asker))).toEqual(
      new Refusal('otp_wrong', { left: 4 }),
    );
  });

  test('to a number that was registered meanwhile is refused without changes', async ({ db }) => {
    const app = await ani(db);
    const { perform, asker } = app;
    const codes = await codesFor(app);
    await ageCodes(db.allAccountsSql, 60);
    await app.customer(NEW);
    expect(await rejectionOf(perform(confirmPhone, codes, asker))).toEqual(
      new Refusal('otp_expired', {}),
    );
    expect(await app.signIn(OLD, GOOD_PASSWORD, LAPTOP)).toMatchObject({ user: { phone: OLD } });
  });

  test('to the present number is refused', async ({ db }) => {
    const { perform, asker } = await ani(db);
    expect(await rejectionOf(perform(changePhone, { phone: OLD }, asker))).toEqual(
      new Refusal('phone_same', {}),
    );
  });

  test('resends each code separately, after its own wait', async ({ db }) => {
    const app = await ani(db);
    const { perform, codeFor, asker } = app;
    const codes = await codesFor(app);
    const challenges = [codes.old_challenge, codes.new_challenge];
    for (const challenge of challenges) {
      expect(await rejectionOf(perform(resendOtp, { challenge }))).toMatchObject({
        code: 'otp_too_soon',
      });
    }
    await ageCodes(db.allAccountsSql, 60);
    for (const challenge of challenges) {
      expect(await perform(resendOtp, { challenge })).toMatchObject({ resend_in_seconds: 120 });
    }
    const fresh = { ...codes, old_code: codeFor(OLD), new_code: codeFor(NEW) };
    expect(await perform(confirmPhone, fresh, asker)).toMatchObject({ phone: NEW });
  });

  test('revokes the open codes of the old number', async ({ db }) => {
    const app = await ani(db);
    const { perform, solved, codeFor, asker } = app;
    const codes = await codesFor(app);
    await ageCodes(db.allAccountsSql, 60);
    const thief = { device: 'who has the old phone', ip: '192.0.2.1' };
    const captcha = await solved('user_login', thief);
    const begun = await perform(loginUser, { phone: OLD, password: GOOD_PASSWORD, captcha }, thief);
    if (!('challenge' in begun)) throw new Error('no code was asked for');
    const code = codeFor(OLD);
    await perform(confirmPhone, codes, asker);
    const entered = { challenge: begun.challenge.challenge, code };
    expect(await rejectionOf(perform(verifyOtp, entered, thief))).toEqual(
      new Refusal('otp_expired', {}),
    );
    expect(await rejectionOf(perform(resendOtp, { challenge: entered.challenge }))).toEqual(
      new Refusal('otp_expired', {}),
    );
  });
});
