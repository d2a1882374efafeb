import { expect } from 'vitest';
import {
  requestDeletion,
  changePassword,
  deleteAccount,
  cancelDeletion,
} from '#contract/people.ts';
import { uuidOf } from '#contract/base/ids.ts';
import type { Person } from '#server/infra/acts.ts';
import { GOOD_PASSWORD, accountsApp } from '#tests/support/people/accounts-app.ts';
import { type TestDatabase, test } from '#tests/support/database/database.ts';

const PHONE = '6281234567890';

async function ani(db: TestDatabase) {
  const app = await accountsApp(db);
  const { token } = await app.customer(PHONE);
  const caller = (await app.deps.sessions.find(token)) as Person;
  return { ...app, caller };
}

const wait = (db: TestDatabase) =>
  db.owner`update otp_challenges set next_send_at = statement_timestamp()`;

test('schedules the erasure in seven days with password and code, and a second request does not move it', async ({
  db,
}) => {
  const { perform, codeFor, sent, caller } = await ani(db);
  const { challenge } = await perform(requestDeletion, {}, { caller });
  const input = { password: GOOD_PASSWORD, challenge, code: codeFor(PHONE) };
  const { erased_at: first } = await perform(deleteAccount, input, { caller });
  expect((Date.parse(first ?? '') - Date.now()) / 86_400_000).toBeCloseTo(7, 2);
  expect(sent.at(-1)?.text).toMatch(/akan dihapus pada \d+ \w+ \d{4}, \d\d\.\d\d WIB/);

  await wait(db);
  const again = await perform(requestDeletion, {}, { caller });
  const second = { ...input, challenge: again.challenge, code: codeFor(PHONE) };
  expect((await perform(deleteAccount, second, { caller })).erased_at).toBe(first);
});

test('cancelling keeps everything and notifies once', async ({ db }) => {
  const { perform, codeFor, sent, caller } = await ani(db);
  const { challenge } = await perform(requestDeletion, {}, { caller });
  const input = { password: GOOD_PASSWORD, challenge, code: codeFor(PHONE) };
  await perform(deleteAccount, input, { caller });
  expect((await perform(cancelDeletion, {}, { caller })).erased_at).toBeNull();
  expect((await perform(cancelDeletion, {}, { caller })).erased_at).toBeNull();
  expect(sent.filter(({ text }) => text.includes('dibatalkan. Akun'))).toHaveLength(1);
});

test('deletes nothing after a wrong password or code, and a wrong code costs a try', async ({
  db,
}) => {
  const { perform, codeFor, caller } = await ani(db);
  const { challenge } = await perform(requestDeletion, {}, { caller });
  const code = codeFor(PHONE);
  const wrong = code === '000000' ? '111111' : '000000';
  await expect(
    perform(deleteAccount, { password: 'bukan ini', challenge, code }, { caller }),
  ).rejects.toMatchObject({ code: 'password_wrong' });
  const input = { password: GOOD_PASSWORD, challenge, code: wrong };
  for (const left of [4, 3, 2, 1, 0]) {
    await expect(perform(deleteAccount, input, { caller })).rejects.toMatchObject({
      code: 'otp_wrong',
      facts: { left },
    });
  }
  await expect(perform(deleteAccount, { ...input, code }, { caller })).rejects.toMatchObject({
    code: 'otp_expired',
  });
  expect([
    ...(await db.allAccountsSql`select erase_at from accounts where erase_at is not null`),
  ]).toEqual([]);
});

test('rejects the code of another user', async ({ db }) => {
  const { perform, codeFor, customer, deps, caller } = await ani(db);
  const budi = await customer('6281398765432');
  const other = (await deps.sessions.find(budi.token)) as Person;
  const { challenge } = await perform(requestDeletion, {}, { caller: other });
  const code = codeFor('6281398765432');
  await expect(
    perform(deleteAccount, { password: GOOD_PASSWORD, challenge, code }, { caller }),
  ).rejects.toMatchObject({ code: 'otp_expired' });
  expect(uuidOf('account', budi.user.account_id)).toBe(other.accountId);
});

test('keeps everything working during the seven days', async ({ db }) => {
  const { perform, codeFor, caller, signIn } = await ani(db);
  const { challenge } = await perform(requestDeletion, {}, { caller });
  const input = { password: GOOD_PASSWORD, challenge, code: codeFor(PHONE) };
  await perform(deleteAccount, input, { caller });
  const password = 'gajah-terbang-di-atas-laut';
  await perform(changePassword, { current: GOOD_PASSWORD, password }, { caller });
  const { user } = await signIn(PHONE, password);
  expect(user.erased_at).not.toBeNull();
});
