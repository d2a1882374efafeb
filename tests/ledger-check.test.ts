import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect } from 'vitest';
import { checkLedger } from '#server/domains/ledger/check.ts';
import { openAccepter } from '#server/domains/messages/submit/accept.ts';
import { asAccount } from '#server/infra/postgres/database.ts';
import { type TestDatabase, test } from './support/database/database.ts';
import { customerWith, orderOf } from './support/people/people.ts';
import { topupApp } from './support/people/topups.ts';

/**
 * Money has moved in every way: messages held, captured, released, charged again, waived; a top-up paid,
 * and paid again.
 */
async function busyLedger(db: TestDatabase): Promise<string> {
  const app = await topupApp(db, { ppn: true });
  const ani = await customerWith(db.allAccountsSql, { saldo: 1_000 });
  const topup = await app.topup(ani.accountId);
  await app.transfer(topup.total);
  await app.transfer(topup.total);
  const accepter = openAccepter(db.tenantSql, () => undefined);
  const { results } = await accepter.place(orderOf(ani, { prices: [150, 100, 50, 0] }));
  await accepter.close();
  const ids = results.slice(0, 2).map(({ id }) => id);
  await asAccount(
    db.tenantSql,
    ani.accountId,
    (tx) => tx`
      select * from settle_batch(${ani.accountId}, null, null, ${ids}::uuid[],
        array['sent', 'failed'], array[null, 'unreachable'], array[now(), now()],
        array[false, false])`,
  );
  await correctedMessages(db);
  return ani.accountId;
}

/** Two messages that were given back and arrived after all, when the saldo held the price of one. */
async function correctedMessages(db: TestDatabase): Promise<void> {
  const budi = await customerWith(db.allAccountsSql, { saldo: 300 });
  const accepter = openAccepter(db.tenantSql, () => undefined);
  const { results } = await accepter.place(orderOf(budi, { prices: [150, 150] }));
  const settle = (outcome: string) => db.allAccountsSql`
    select count(*) from settle_batch(${budi.accountId}, null, null,
      ${results.map(({ id }) => id)}::uuid[], array_fill(${outcome}::text, array[2]),
      array[null, null]::text[], array[now(), now()], array[false, false])`;
  await settle('expired');
  await accepter.place(orderOf(budi, { prices: [100] }));
  await accepter.close();
  await settle('delivered');
}

const reds = async (db: TestDatabase) =>
  (await checkLedger(db.allAccountsSql)).filter(({ ok }) => !ok).map(({ invariant }) => invariant);

/** What somebody with the owner's password could do to the books, and which invariants see it. */
const harms: Record<string, { harm: string; seen: readonly string[] }> = {
  'a top-up entry made bigger': {
    harm: `update wallet_entries set d_available = d_available + 1 where kind = 'topup'`,
    seen: ['I2', 'I3', 'I6', 'I7'],
  },
  'a booking out of balance': {
    harm: `update gl_lines set amount = amount + 1 where gl_account = 'cash:bank' and amount > 0`,
    seen: ['I1', 'I7'],
  },
  'an entry removed': {
    harm: `delete from wallet_entries where kind = 'release'`,
    seen: ['I2', 'I3', 'I5', 'I9'],
  },
  'saldo out of nothing': {
    harm: 'update wallets set available = available + 1000',
    seen: ['I2'],
  },
  'a held message forgotten': {
    harm: `update messages set charge_state = 'released' where charge_state = 'held' and price > 0`,
    seen: ['I4', 'I9'],
  },
  'a message made dearer after it was captured': {
    harm: `update messages set price = price + 1 where charge_state = 'captured' and price > 0`,
    seen: ['I5', 'I10'],
  },
  'an entry that says less than nothing was left': {
    harm: `alter table wallet_entries drop constraint wallet_entries_held_after_check;
           update wallet_entries set held_after = -1 where seq = 1`,
    seen: ['I3', 'I8'],
  },
  'a correction made smaller': {
    harm: `update wallet_entries set d_available = d_available + 1 where kind = 'correction'`,
    seen: ['I2', 'I3', 'I5', 'I10'],
  },
  'a message that arrived and was given back': {
    harm: `update messages set charge_state = 'released' where charge_state = 'waived'`,
    seen: ['I16', 'I17'],
  },
  'a message charged twice': {
    harm: `update messages set correct_seq = settle_seq + 1 where charge_state = 'waived'`,
    seen: ['I5', 'I16'],
  },
  'a top-up called paid without its entry': {
    harm: `insert into topups (
             account_id, topup_id, request_key, status, base, ppn, unique_code, total, credited,
             income, received, provider_txn_id, bank_name, bank_number, bank_holder, created_at,
             expires_at, paid_at
           ) select account_id, gen_random_uuid(), gen_random_uuid(), 'paid', 1, 0, 1, 2, 2, 0, 2,
             'forged', 'B', '1', 'H', now(), now(), now() from accounts`,
    seen: ['I7', 'I12'],
  },
  'a payment that no top-up knows': {
    harm: `update provider_payments set txn_id = 'other' where outcome = 'paid'`,
    seen: ['I12'],
  },
  'PPN booked away': {
    harm: `update gl_lines set gl_account = 'exp:fee' where gl_account = 'liab:ppn'`,
    seen: ['I7', 'I13'],
  },
  'suspense emptied': {
    harm: `update gl_lines set gl_account = 'exp:fee' where gl_account = 'suspense'`,
    seen: ['suspense'],
  },
};

describe('the check of the ledger', () => {
  test('is green after money has moved in every way', async ({ db }) => {
    await busyLedger(db);
    const findings = await checkLedger(db.allAccountsSql);
    expect(findings.filter(({ ok }) => !ok)).toEqual([]);
    expect(findings.map(({ invariant }) => invariant).join(' ')).toBe(
      'I1 I2 I3 I4 I5 I6 I7 I8 I9 I10 I12 I13 I16 I17 suspense',
    );
  });

  for (const [what, { harm, seen }] of Object.entries(harms)) {
    test(`sees ${what}`, async ({ db }) => {
      await busyLedger(db);
      await db.owner.query(`
        alter table wallet_entries disable trigger user;
        alter table gl_lines disable trigger user;
        alter table topups disable trigger user;
        ${harm}`);
      expect(await reds(db)).toEqual(seen);
    });
  }
});

describe('npm run ledger:check', () => {
  const run = (url: string) =>
    promisify(execFile)(process.execPath, [join(import.meta.dirname, '../tools/ledger-check.ts')], {
      env: { ...process.env, DATABASE_URL: url },
    }).then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
        code,
        stdout,
        stderr,
      }),
    );

  test('prints every invariant and ends well when all hold', async ({ db }) => {
    await busyLedger(db);
    const { code, stdout } = await run(db.url);
    expect(stdout).toMatch(/^I1 +ok /m);
    expect(stdout).toMatch(/^I13 +ok /m);
    expect(stdout).not.toContain('RED');
    expect(code).toBe(0);
  });

  test('prints what breaks one, and ends with 1', async ({ db }) => {
    const accountId = await busyLedger(db);
    await db.owner`update wallets set available = available + 1000`;
    const { code, stdout } = await run(db.url);
    expect(stdout).toMatch(/^I2 +RED /m);
    expect(stdout).toContain(accountId);
    expect(code).toBe(1);
  });

  test('says in one sentence that there is no database', async () => {
    const { code, stdout, stderr } = await run('postgres://kabari@127.0.0.1:9/kabari');
    expect(stderr).toBe('The database at DATABASE_URL does not answer.\n');
    expect(stdout).toBe('');
    expect(code).toBe(1);
  });
});
