import { describe, expect } from 'vitest';
import { verifyOtp } from '#contract/accounts.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { readConfig } from '#server/infra/config.ts';
import { openDatabase } from '#server/infra/postgres/database.ts';
import { readSecrets } from '#server/infra/security/secrets.ts';
import {
  type AccountsApp,
  accountsApp,
  ageCodes,
  rejectionOf,
} from '#tests/support/people/accounts-app.ts';
import { test } from '#tests/support/database/database.ts';
import { STALL_SECONDS } from '#tests/support/wait-for.ts';
import { issueCode } from '#server/domains/accounts/otp.ts';

const isRefused = (code: string) => (answer: unknown) =>
  answer instanceof Refusal && answer.code === code;

async function askFor(
  { deps }: Pick<AccountsApp, 'deps'>,
  phone: string,
  ip = '203.0.113.7',
): Promise<string> {
  const pending = { name: 'Toko Ani', passwordHash: '-' };
  const { answer, send } = await deps.allAccountsSql.begin((tx) =>
    issueCode(tx, deps, { purpose: 'register', phone, pending }, { ip, device: '' }),
  );
  await send();
  return answer.challenge;
}

const CHALLENGES = 200;
const GUESSES_EACH = 20;
const TRIES = 5;

describe('guessing codes', () => {
  test('allows five tries for each of 200 challenges in 4,000 simultaneous guesses and signs no one in', async ({
    db,
  }) => {
    const config = readConfig({ OTP_DAILY_PER_ADDRESS: '10000', OTP_DAILY_TOTAL: '10000' });
    const app = await accountsApp(db, { config });
    const phones = Array.from(
      { length: CHALLENGES },
      (_, n) => `62812${String(n).padStart(4, '0')}0001`,
    );
    const issued = await Promise.all(
      phones.map(async (phone) => ({ phone, challenge: await askFor(app, phone) })),
    );
    const counts = { wrong: 0, dead: 0, in: 0 };
    const first = Math.floor(Math.random() * 900_000);
    const guess = async (challenge: string, round: number) => {
      const code = String((first + round * 997) % 1_000_000).padStart(6, '0');
      const answer = await rejectionOf(app.perform(verifyOtp, { challenge, code }));
      if (isRefused('otp_wrong')(answer)) counts.wrong += 1;
      else if (isRefused('otp_expired')(answer)) counts.dead += 1;
      else counts.in += 1;
    };
    for (let round = 0; round < GUESSES_EACH; round += 10) {
      const ten = Array.from({ length: 10 }, (_, n) => round + n);
      await Promise.all(ten.flatMap((at) => issued.map(({ challenge }) => guess(challenge, at))));
    }
    expect(counts.wrong + counts.dead + counts.in).toBe(CHALLENGES * GUESSES_EACH);
    // A challenge is guessed with probability 5e-6; three of 200 succeed once in a billion runs.
    expect(counts.in).toBeLessThan(3);
    expect(counts.wrong).toBeLessThanOrEqual(CHALLENGES * TRIES);
    expect(counts.wrong + counts.in * TRIES).toBeGreaterThanOrEqual(CHALLENGES * TRIES);

    const sixths = await Promise.all(
      issued.map(({ phone, challenge }) =>
        rejectionOf(app.perform(verifyOtp, { challenge, code: app.codeFor(phone) })),
      ),
    );
    expect(sixths.filter(isRefused('otp_expired'))).toHaveLength(CHALLENGES);
  });

  test('accepts the correct code for its own challenge only, and not after five minutes', async ({
    db,
  }) => {
    const app = await accountsApp(db);
    const [ani, budi] = ['6281234567890', '6281398765432'];
    const [ofAni, ofBudi] = [await askFor(app, ani), await askFor(app, budi)];
    const crossed = { challenge: ofBudi, code: app.codeFor(ani) };
    if (app.codeFor(ani) !== app.codeFor(budi)) {
      expect(await rejectionOf(app.perform(verifyOtp, crossed))).toEqual(
        new Refusal('otp_wrong', { left: 4 }),
      );
    }
    await ageCodes(db.allAccountsSql, 300 - STALL_SECONDS);
    const entered = { challenge: ofAni, code: app.codeFor(ani) };
    const both = [1, 2].map(() => rejectionOf(app.perform(verifyOtp, entered)));
    expect((await Promise.all(both)).filter(isRefused('otp_expired'))).toHaveLength(1);
    await ageCodes(db.allAccountsSql, STALL_SECONDS);
    const late = { challenge: ofBudi, code: app.codeFor(budi) };
    expect(await rejectionOf(app.perform(verifyOtp, late))).toEqual(new Refusal('otp_expired', {}));
  });
});

describe('pumping codes', () => {
  const BUDGET = 60;

  test('keeps 600 requests from 100 addresses for 25 ranges, at two nodes, within the day’s budget', async ({
    db,
  }) => {
    const config = readConfig({ OTP_DAILY_TOTAL: String(BUDGET) });
    const secondPool = openDatabase(db.url, { max: 4, as: 'all accounts', name: 'second node' });
    const secrets = await readSecrets(db.allAccountsSql);
    const nodes = [
      await accountsApp(db, { config, secrets }),
      await accountsApp({ ...db, allAccountsSql: secondPool }, { config, secrets }),
    ];
    const asks = Array.from({ length: 600 }, (_, n) => {
      const range = String(n % 25).padStart(4, '0');
      const phone = `62813${range}${String(1000 + n)}`;
      const node = nodes[n % 2];
      if (!node) throw new Error('no node');
      return rejectionOf(askFor(node, phone, `198.51.${n % 100}.7`));
    });
    const answers = await Promise.all(asks);
    await secondPool.end();
    const sent = nodes.flatMap((node) => node.sent);
    expect(sent).toHaveLength(BUDGET);
    expect(answers.filter(isRefused('otp_limit'))).toHaveLength(600 - BUDGET);
    const [counter] =
      await db.allAccountsSql`select hits from limit_counters where scope = 'otp_total'`;
    expect(counter).toEqual({ hits: BUDGET });
    const [rows] = await db.allAccountsSql`select count(*) as n from otp_challenges`;
    expect(rows).toEqual({ n: BUDGET });
  });
});
