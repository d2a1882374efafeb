import { expect } from 'vitest';
import { type SignedIn, verifyOtp } from '#contract/accounts.ts';
import { uuidOf } from '#contract/base/ids.ts';
import { changePhone, confirmPhone } from '#contract/people.ts';
import { createSubscribers } from '#server/app/container.ts';
import { readConfig } from '#server/infra/config.ts';
import { type AccountsApp, accountsApp, ageCodes } from '#tests/support/people/accounts-app.ts';
import { type TestDatabase, test } from '#tests/support/database/database.ts';
import { accountsAccountData } from '#server/domains/accounts/accounts.ts';
import { eraseDue } from '#server/domains/accounts/privacy.ts';
import { changeAccounts } from '#tests/support/people/people.ts';
import { agedBy } from '#tests/support/database/changes.ts';

const ANI = '6281234567890';
const OTHER = '6281298765432';

function setUp(db: TestDatabase): Promise<AccountsApp> {
  const { accountOpened } = createSubscribers({
    config: readConfig({}),
    now: () => new Date(),
    sinks: () => {
      throw new Error('nobody writes');
    },
    connecting: {} as never,
  });
  return accountsApp(db, { onAccountOpened: accountOpened });
}

const idOf = ({ user }: SignedIn): string => uuidOf('account', user.account_id) ?? '';

async function bonusOf({ allAccountsSql }: TestDatabase, signedIn: SignedIn): Promise<number> {
  const accountId = idOf(signedIn);
  const [wallet] = await allAccountsSql<{ available: number; entries: number }[]>`
    select available, (select count(*) from wallet_entries e where e.account_id = w.account_id) as entries
    from wallets w where account_id = ${accountId}`;
  expect(wallet?.entries).toBe(wallet?.available === 0 ? 0 : 1);
  return wallet?.available ?? Number.NaN;
}

async function erase(db: TestDatabase, { deps }: AccountsApp, signedIn: SignedIn) {
  const accountId = idOf(signedIn);
  const erasing = {
    allAccountsSql: db.allAccountsSql,
    sendSystemText: deps.sendSystemText,
    accountDataSources: [
      accountsAccountData({
        sql: db.tenantSql,
        allAccountsSql: db.allAccountsSql,
        secrets: deps.secrets,
      }),
    ],
    report: deps.report,
  };
  await changeAccounts(db.owner, { accountId }, { eraseAt: 'now' });
  await eraseDue(erasing);
  await changeAccounts(db.owner, { accountId }, { closedAt: agedBy('2 minutes') });
  await eraseDue(erasing);
  const [gone] = await db.owner`
    select 1 from accounts where account_id = ${accountId} and erased_at is not null`;
  expect(gone).toBeDefined();
  await ageCodes(db.allAccountsSql, 3_600);
}

async function changeNumber(app: AccountsApp, signedIn: SignedIn, from: string, to: string) {
  const asker = { caller: await app.callerOf(signedIn.token) };
  const issued = await app.perform(changePhone, { phone: to }, asker);
  await app.perform(
    confirmPhone,
    {
      old_challenge: issued.old.challenge,
      old_code: app.codeFor(from),
      new_challenge: issued.new.challenge,
      new_code: app.codeFor(to),
    },
    asker,
  );
  await ageCodes(app.deps.allAccountsSql, 3_600);
}

test('gives a number the welcome bonus once, also after its account was erased', async ({ db }) => {
  const app = await setUp(db);
  const first = await app.customer(ANI);
  expect(await bonusOf(db, first)).toBe(10_000);
  await erase(db, app, first);
  const second = await app.customer(ANI);
  expect(idOf(second)).not.toBe(idOf(first));
  expect(await bonusOf(db, second)).toBe(0);
  await erase(db, app, second);
  expect(await bonusOf(db, await app.customer(ANI))).toBe(0);
  expect(await bonusOf(db, await app.customer(OTHER))).toBe(10_000);
});

test("gives no bonus to a number given up by another user, before and after that user's erasure", async ({
  db,
}) => {
  const app = await setUp(db);
  const ani = await app.customer(ANI);
  await changeNumber(app, ani, ANI, OTHER);
  const next = await app.customer(ANI);
  expect(await bonusOf(db, next)).toBe(0);
  await erase(db, app, ani);
  expect(await bonusOf(db, await app.customer(OTHER))).toBe(0);
});

test('makes one account and one bonus of two simultaneous registrations of a number', async ({
  db,
}) => {
  const app = await setUp(db);
  const issued = [];
  for (const device of ['one', 'other']) {
    const { challenge } = await app.register(ANI, {}, { device });
    issued.push({ device, challenge, code: app.codeFor(ANI) });
    await db.allAccountsSql`update otp_challenges set created_at = statement_timestamp() - interval '1 hour',
      next_send_at = statement_timestamp() - interval '1 hour'`;
  }
  const opened = await Promise.allSettled(
    issued.map(({ device, ...answer }) => app.perform(verifyOtp, answer, { device })),
  );
  expect(opened.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(await db.allAccountsSql`select kind, d_available from wallet_entries`).toEqual([
    { kind: 'bonus', d_available: 10_000 },
  ]);
});

test('leaves only a hash of a number that other installations cannot compute', async ({ db }) => {
  const app = await setUp(db);
  await erase(db, app, await app.customer(ANI));
  const left = await db.allAccountsSql<
    { phone_hmac: Buffer }[]
  >`select * from erased_account_phones`;
  expect(left.map((row) => Object.keys(row))).toEqual([['phone_hmac']]);
  expect(left[0]?.phone_hmac).toHaveLength(32);
  expect(left[0]?.phone_hmac.includes(ANI)).toBe(false);
});
