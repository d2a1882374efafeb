import { describe, expect } from 'vitest';
import { type CodeRequired, loginUser, resendOtp, verifyOtp } from '#contract/accounts.ts';
import { Refusal } from '#contract/base/refusals.ts';
import {
  type AccountsApp,
  GOOD_PASSWORD,
  accountsApp,
  ageCodes,
  rejectionOf,
  refusedToWait,
  signedIn,
} from '#tests/support/people/accounts-app.ts';
import { test } from '#tests/support/database/database.ts';
import { ensureOperator } from './first-operator.ts';
import { countFailure } from './captcha.ts';
import { openAccount } from '#server/domains/accounts/people.ts';
import { changeAccounts, changeUsers } from '#tests/support/people/people.ts';

const ANI = '6281234567890';
const BUDI = '6281398765432';
const PIXEL = {
  device: 'a new browser',
  ip: '198.51.100.9',
  agent:
    'Mozilla/5.0 (Linux; Android 16; Pixel 9) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36',
};

async function login(app: AccountsApp, phone: string, asker: object, password = GOOD_PASSWORD) {
  const captcha = await app.solved('user_login', asker);
  return app.perform(loginUser, { phone, password, captcha }, asker);
}

async function askedIn(app: AccountsApp, asker: object, phone = ANI): Promise<CodeRequired> {
  const answer = await login(app, phone, asker);
  if (!('challenge' in answer)) throw new Error('no code is asked for');
  return answer;
}

describe('an unknown browser', () => {
  test('requires a code, triggers a notice, and is known from then on', async ({ db }) => {
    const app = await accountsApp(db);
    await app.customer(ANI);
    const { challenge } = await askedIn(app, PIXEL);
    expect(challenge).toMatchObject({ sent_to: '+62 812-••••-7890', resend_in_seconds: 60 });
    expect(app.sent.at(-1)).toMatchObject({
      phone: ANI,
      text: expect.stringMatching(
        /^Kode verifikasi Kabari: \d{6} untuk masuk dari browser baru\. Berlaku 5 menit/,
      ),
      shown: 'Kode verifikasi ••••••',
    });
    const code = app.codeFor(ANI);
    const entered = { challenge: challenge.challenge, code };
    const { token, user } = signedIn(await app.perform(verifyOtp, entered, PIXEL));
    expect(user).toMatchObject({ phone: ANI, name: 'Toko Ani' });
    expect(await app.callerOf(token)).toMatchObject({ role: 'customer' });
    expect(app.sent.at(-1)?.text).toMatch(
      /^Akun Kabari Anda baru saja dibuka dari browser baru: Chrome di Android\. Bukan Anda\?/,
    );
    const sent = app.sent.length;
    expect(await login(app, ANI, PIXEL)).toHaveProperty('token');
    expect(app.sent).toHaveLength(sent);
  });

  test('gets an error if no code can be sent, and no wait afterwards', async ({ db }) => {
    const unsendable = new Refusal('otp_unsendable', {});
    let isLinked = true;
    const app = await accountsApp(db, { takesCodes: async () => isLinked });
    await app.customer(ANI);
    isLinked = false;
    expect(await rejectionOf(login(app, ANI, PIXEL))).toEqual(unsendable);
    isLinked = true;
    const { challenge } = await askedIn(app, PIXEL);
    await ageCodes(db.allAccountsSql, 60);
    isLinked = false;
    const again = app.perform(resendOtp, { challenge: challenge.challenge });
    expect(await rejectionOf(again)).toEqual(unsendable);
    // The code that was sent before is still valid.
    const entered = { challenge: challenge.challenge, code: app.codeFor(ANI) };
    expect(await app.perform(verifyOtp, entered, PIXEL)).toHaveProperty('token');
  });

  test('gets no code and the usual response for a wrong password', async ({ db }) => {
    const app = await accountsApp(db);
    await app.customer(ANI);
    const sent = app.sent.length;
    expect(await rejectionOf(login(app, ANI, PIXEL, 'salah sama sekali'))).toEqual(
      new Refusal('credentials_wrong', {}),
    );
    expect(app.sent).toHaveLength(sent);
  });

  test('has the same code after a repeated request, and must wait for another', async ({ db }) => {
    const app = await accountsApp(db);
    await app.customer(ANI);
    const first = await askedIn(app, PIXEL);
    const code = app.codeFor(ANI);
    const sent = app.sent.length;
    const again = await askedIn(app, PIXEL);
    expect(again.challenge.challenge).toBe(first.challenge.challenge);
    expect(again.challenge.resend_in_seconds).toBeLessThanOrEqual(60);
    expect(app.sent).toHaveLength(sent);
    expect(await rejectionOf(login(app, ANI, { ...PIXEL, device: 'a third' }))).toMatchObject({
      code: 'otp_too_soon',
    });
    const entered = { challenge: again.challenge.challenge, code };
    expect(await app.perform(verifyOtp, entered, PIXEL)).toHaveProperty('token');
  });

  test('may request the code again, after the usual waits', async ({ db }) => {
    const app = await accountsApp(db);
    await app.customer(ANI);
    const { challenge } = await askedIn(app, PIXEL);
    const which = { challenge: challenge.challenge };
    expect(await rejectionOf(app.perform(resendOtp, which))).toMatchObject({
      code: 'otp_too_soon',
    });
    await ageCodes(db.allAccountsSql, 60);
    expect(await app.perform(resendOtp, which)).toMatchObject({ resend_in_seconds: 120 });
    expect(app.sent.at(-1)?.text).toContain('untuk masuk dari browser baru');
    const entered = { ...which, code: app.codeFor(ANI) };
    expect(await app.perform(verifyOtp, entered, PIXEL)).toHaveProperty('token');
  });

  test('becomes known to its user only', async ({ db }) => {
    const app = await accountsApp(db);
    await app.customer(ANI, PIXEL);
    await app.customer(BUDI);
    await ageCodes(db.allAccountsSql, 60);
    expect(await login(app, BUDI, PIXEL)).toHaveProperty('challenge');
  });

  test('is unknown again with each portal on another origin, which has no cookie', async ({
    db,
  }) => {
    const app = await accountsApp(db);
    const elsewhere = { device: '' };
    await app.customer(ANI, elsewhere);
    await ageCodes(db.allAccountsSql, 60);
    expect(await login(app, ANI, elsewhere)).toHaveProperty('challenge');
    expect(await db.allAccountsSql`select * from known_devices`).toEqual([]);
  });

  test('does not sign in with a code once the account is closed', async ({ db }) => {
    const app = await accountsApp(db);
    await app.customer(ANI);
    const { challenge } = await askedIn(app, PIXEL);
    await changeAccounts(db.allAccountsSql, {}, { status: 'closed' });
    const entered = { challenge: challenge.challenge, code: app.codeFor(ANI) };
    expect(await rejectionOf(app.perform(verifyOtp, entered, PIXEL))).toEqual(
      new Refusal('account_suspended', {}),
    );
  });

  test('does not accept a code sent to the former owner of the number', async ({ db }) => {
    const app = await accountsApp(db);
    await app.customer(ANI);
    const before = await askedIn(app, PIXEL);
    // Simulates that the number was released and belongs to another user now.
    await changeUsers(db.allAccountsSql, {}, { phone: '6281200000000' });
    await db.allAccountsSql`delete from user_phones`;
    const [{ hash } = { hash: '' }] = await db.allAccountsSql<{ hash: string }[]>`
      select password_hash as hash from users`;
    const budi = { name: 'Toko Budi', phone: ANI, passwordHash: hash, role: 'customer' } as const;
    await db.allAccountsSql.begin((tx) => openAccount(tx, budi));
    await ageCodes(db.allAccountsSql, 60);
    const after = await askedIn(app, PIXEL);
    expect(after.challenge.challenge).not.toBe(before.challenge.challenge);
  });
});

describe('strangers', () => {
  test("guessing from a user's own address do not lock her browser out", async ({ db }) => {
    const app = await accountsApp(db);
    const home = { ip: '203.0.113.7', device: 'her browser' };
    await app.customer(ANI, home);
    const beside = { ...home, device: 'a stranger at the same address' };
    const guess = async (phone: string) =>
      rejectionOf(login(app, phone, beside, 'salah sama sekali'));
    for (let times = 0; times < 6; times++) await guess(ANI);
    for (let wrongs = 0; wrongs < 30; wrongs++) await countFailure(db.allAccountsSql, home.ip);
    expect(await guess(BUDI)).toMatchObject({ code: 'too_many_requests' });
    expect(await login(app, ANI, home)).toHaveProperty('token');
  });

  test('in a known browser are counted like all others', async ({ db }) => {
    const app = await accountsApp(db);
    const home = { ip: '203.0.113.7', device: 'her browser' };
    await app.customer(ANI, home);
    for (let times = 0; times < 5; times++) await rejectionOf(login(app, ANI, home, 'salah'));
    expect(await rejectionOf(login(app, ANI, { ...home, ip: '192.0.2.1' }))).toEqual(
      refusedToWait(15),
    );
  });
});

test('requires no code for the printed password the first time, and one from then on', async ({
  db,
}) => {
  const app = await accountsApp(db);
  const made = await ensureOperator(db.allAccountsSql, { OPERATOR_PHONE: '6281100000000' });
  if (!made) throw new Error('no operator was made');
  expect(await login(app, made.phone, PIXEL, made.password)).toHaveProperty('token');
  expect(app.sent).toEqual([]);
  expect(await login(app, made.phone, PIXEL, made.password)).toHaveProperty('token');
  const other = { ...PIXEL, device: 'another' };
  expect(await login(app, made.phone, other, made.password)).toHaveProperty('challenge');
});
