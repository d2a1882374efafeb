import { expect } from 'vitest';
import { verifyOtp } from '#contract/accounts.ts';
import { readConfig } from '#server/infra/config.ts';
import { accountsApp, rejectionOf } from '#tests/support/people/accounts-app.ts';
import { test } from '#tests/support/database/database.ts';
import { watchWrongCodes } from '#server/app/jobs.ts';
import { changeAccounts, makeOperators } from '#tests/support/people/people.ts';

test('alerts admins once an hour when too many codes are wrong in total', async ({ db }) => {
  const app = await accountsApp(db);
  const admin = await app.customer('6281100000001');
  await changeAccounts(db.owner, {}, { isSystem: true });
  await makeOperators(db.owner, {});
  const sent: { phone: string; text: string }[] = [];
  const warned: object[] = [];
  const watch = () =>
    watchWrongCodes({
      config: readConfig({ OTP_WRONG_ALERT: '4' }),
      allAccountsSql: db.allAccountsSql,
      log: { warn: (facts) => void warned.push(facts) },
      sendSystemText: async (phone, text) => void sent.push({ phone, text }),
      report: (error) => {
        throw error;
      },
      now: () => new Date(),
    });
  const guess = async (phone: string) => {
    const { challenge } = await app.register(phone);
    for (const n of [1, 2]) {
      const code = String(Number(app.codeFor(phone)) ^ n).padStart(6, '0');
      await rejectionOf(app.perform(verifyOtp, { challenge, code }));
    }
  };
  await guess('6281234567890');
  await watch();
  expect(sent).toEqual([]);
  await guess('6281398765432');
  await watch();
  await watch();
  expect(warned).toEqual([{ count: 4 }]);
  expect(sent).toEqual([
    { phone: admin.user.phone, text: expect.stringMatching(/^4 kode verifikasi salah/) },
  ]);
});
