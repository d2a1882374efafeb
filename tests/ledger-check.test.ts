import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect } from 'vitest';
import { checkLedger, checkLedgerIn } from '#server/domains/ledger/check.ts';
import { publicId } from '#contract/base/ids.ts';
import { openIntake } from '#server/domains/messages/submit/accept.ts';
import { asAccount } from '#server/infra/postgres/database.ts';
import { type TestDatabase, test } from './support/database/database.ts';
import { operatorsOf } from './support/money/desk.ts';
import { customerWith, orderOf } from './support/people/people.ts';
import { billingApp } from './support/money/billing.ts';
import { refundPayment } from './support/money/refunds.ts';
import { type TopupApp, idOf, topupApp } from './support/money/topups.ts';

/** Money has moved in every way: by messages, a top-up paid twice, and a changed plan. */
async function busyLedger(db: TestDatabase): Promise<string> {
  const app = await topupApp(db, { ppn: true });
  const ani = await customerWith(db.allAccountsSql, { saldo: 1_000 });
  const topup = await app.topup(ani.accountId);
  await app.transfer(topup.total);
  await app.transfer(topup.total);
  const intake = openIntake(db.tenantSql, () => undefined);
  const { results } = await intake.accept(orderOf(ani, { prices: [150, 100, 50, 0] }));
  await intake.close();
  const ids = results.slice(0, 2).map(({ id }) => id);
  await asAccount(
    db.tenantSql,
    ani.accountId,
    (tx) => tx`
      select * from settle_batch(${ani.accountId}, null, null, ${ids}::uuid[],
        array['sent', 'failed'], array[null, 'unreachable'], array[now(), now()])`,
  );
  await correctedMessages(db);
  await chargedPlan(db);
  await refundedTopup(db, app);
  const [oka] = await operatorsOf(db.allAccountsSql, app);
  const account_id = publicId('account', ani.accountId);
  const message_id = publicId('message', ids[0] ?? '');
  const reason = 'Diminta pelanggan';
  await oka?.ask('operator_refund', { account_id, message_id, amount: 100, reason });
  const bank = { reference: 'TRX PAYOUT 1', payee: 'ANI S' };
  await oka?.ask('operator_payout', { account_id, amount: 10_000, ...bank, reason });
  return ani.accountId;
}

async function refundedTopup(db: TestDatabase, app: TopupApp): Promise<void> {
  const { accountId } = await customerWith(db.allAccountsSql);
  const topup = await app.topup(accountId);
  await app.transfer(topup.total);
  const [payment] = await db.allAccountsSql<{ txn_id: string }[]>`
    select txn_id from provider_payments where topup_id = ${idOf(topup)}`;
  const order = { accountId, topupId: idOf(topup) };
  await refundPayment(app.deps, { ...order, txnId: payment?.txn_id ?? '' });
}

/** Two refunded messages that arrived after all, when the balance held the price of one. */
async function correctedMessages(db: TestDatabase): Promise<void> {
  const budi = await customerWith(db.allAccountsSql, { saldo: 300 });
  const intake = openIntake(db.tenantSql, () => undefined);
  const { results } = await intake.accept(orderOf(budi, { prices: [150, 150] }));
  const settle = (outcome: string) => db.allAccountsSql`
    select count(*) from settle_batch(${budi.accountId}, null, null,
      ${results.map(({ id }) => id)}::uuid[], array_fill(${outcome}::text, array[2]),
      array[null, null]::text[], array[now(), now()])`;
  await settle('expired');
  await intake.accept(orderOf(budi, { prices: [100] }));
  await intake.close();
  await settle('delivered');
}

async function chargedPlan(db: TestDatabase): Promise<void> {
  const app = billingApp(db);
  const citra = await app.customer(1_000_000);
  await app.choose(citra, 'usaha');
  await app.choose(citra, 'bisnis');
  app.goTo('2026-12-21T00:00');
  await app.run();
}

const undone = new Error('undone');

/** The invariants that are broken after a manipulation with the owner's password, which is undone. */
async function redsAfter({ owner }: TestDatabase, harm: string): Promise<string[]> {
  let found: string[] = [];
  await owner
    .begin(async (tx) => {
      await tx.query(`
        alter table wallet_entries disable trigger user;
        alter table gl_lines disable trigger user;
        alter table topups disable trigger user;
        alter table subscription_charges disable trigger user;
        alter table invoices disable trigger user;
        ${harm}`);
      const findings = await checkLedgerIn(tx);
      found = findings.filter(({ ok }) => !ok).map(({ invariant }) => invariant);
      throw undone;
    })
    .catch((error: unknown) => {
      if (error !== undone) throw error;
    });
  return found;
}

/** Manipulations, and the invariants that detect them. */
const harms: Record<string, { harm: string; seen: readonly string[] }> = {
  'a quota that was used by nobody': {
    harm: `update wallets set plan_used = plan_used + 1`,
    seen: ['I19'],
  },
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
    seen: ['I7', 'I11', 'I12'],
  },
  'a payment that no top-up knows': {
    harm: `update provider_payments set txn_id = txn_id || '?' where outcome = 'paid'`,
    seen: ['I12'],
  },
  'PPN booked away': {
    harm: `update gl_lines set gl_account = 'exp:fee' where gl_account = 'liab:ppn'`,
    seen: ['I7', 'I13'],
  },
  'a charge made bigger': {
    harm: `update subscription_charges set charge = charge + 1 where kind = 'change'`,
    seen: ['I18'],
  },
  'a charge without its entry': {
    harm: `update wallet_entries set ref_id = gen_random_uuid()::text
           where ref_type = 'charge' and seq = 2`,
    seen: ['I18'],
  },
  'a period charged again': {
    harm: `alter table subscription_charges drop constraint charged_once;
           insert into subscription_charges (
             account_id, charge_id, kind, period_start, period_end, revision, plan_code,
             plan_revision, credit, charge, at
           ) select account_id, gen_random_uuid(), kind, period_start, period_end, revision,
             plan_code, plan_revision, charge, charge, at
           from subscription_charges where kind = 'change'`,
    seen: ['I15'],
  },
  'a period charged within another': {
    harm: `insert into subscription_charges (
             account_id, charge_id, kind, period_start, period_end, revision, plan_code,
             plan_revision, credit, charge, at
           ) select account_id, gen_random_uuid(), kind, period_start + interval '3 days',
             period_end, revision, plan_code, plan_revision, charge, charge, at
           from subscription_charges where kind = 'period' order by at limit 1`,
    seen: ['I15'],
  },
  'a paid invoice made smaller': {
    harm: `update invoices set base = base - 1, total = total - 1, received = received - 1
           where status = 'paid'`,
    seen: ['I11'],
  },
  'PPN taken out of a paid invoice': {
    harm: `update invoices set unique_code = unique_code + 900, ppn = ppn - 900
           where status = 'paid' and ppn >= 900 and unique_code <= 1098`,
    seen: ['I11', 'I13'],
  },
  'a number left out': {
    harm: `update invoices set number = 'INV/2026/11/000002' where number is not null`,
    seen: ['I11'],
  },
  'a number that was taken and stands on nothing': {
    harm: 'update invoice_counters set last = last + 1',
    seen: ['I11'],
  },
  'a paid top-up without its invoice': {
    harm: `update invoices set status = 'void', number = null, paid_at = null, paid_with = null,
             received = null where status = 'paid';
           delete from invoice_counters`,
    seen: ['I11', 'I13'],
  },
  'a payout without its cash': {
    harm: `delete from gl_lines where txn_id in (select txn_id from gl_txns where kind = 'payout')`,
    seen: ['I6', 'I14'],
  },
  'a refund larger than the price of its message': {
    harm: `update wallet_entries set d_available = d_available + 1000 where kind = 'refund'`,
    seen: ['I2', 'I3', 'returned'],
  },
  'a payment that was resolved twice': {
    harm: `insert into suspense_resolutions select account_id, provider, txn_id || 'x', 'credited',
             amount, gen_random_uuid(), now() from provider_payments where outcome = 'second'`,
    seen: ['suspense'],
  },
  'suspense emptied': {
    harm: `update gl_lines set gl_account = 'exp:fee' where gl_account = 'suspense'`,
    seen: ['suspense'],
  },
  'money owed to a payer booked away': {
    harm: `update gl_lines set gl_account = 'exp:fee' where gl_account = 'liab:refund'`,
    seen: ['refunds'],
  },
  'a refund forgotten': {
    harm: 'delete from refunds',
    seen: ['refunds'],
  },
};

describe('the check of the ledger', () => {
  test('is green after money has moved in every way', async ({ db }) => {
    await busyLedger(db);
    const findings = await checkLedger(db.allAccountsSql);
    expect(findings.filter(({ ok }) => !ok)).toEqual([]);
    expect(findings.map(({ invariant }) => invariant).join(' ')).toBe(
      'I1 I2 I3 I4 I5 I6 I7 I8 I9 I10 I11 I12 I13 I14 I15 I16 I17 I18 I19 suspense refunds returned',
    );
  });

  test('detects every manipulation', async ({ db }) => {
    await busyLedger(db);
    const found: Record<string, readonly string[]> = {};
    for (const [what, { harm }] of Object.entries(harms)) found[what] = await redsAfter(db, harm);
    const seen = Object.entries(harms).map(([what, harm]) => [what, harm.seen]);
    expect(found).toEqual(Object.fromEntries(seen));
  });
});

describe('npm run ledger:check', () => {
  const run = (url: string) =>
    promisify(execFile)(
      process.execPath,
      [join(import.meta.dirname, '../tools/installation/operator.ts'), 'ledger:check'],
      {
        env: { ...process.env, DATABASE_URL: url },
      },
    ).then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
        code,
        stdout,
        stderr,
      }),
    );

  test('prints every invariant, and exits with 1 until the wallet is restored as the page of incidents says', async ({
    db,
  }) => {
    const accountId = await busyLedger(db);
    await db.owner`
      update wallets set available = available + 1000 where account_id = ${accountId}`;
    const harmed = await run(db.url);
    expect(harmed.stdout).toMatch(/^I2 +RED /m);
    expect(harmed.stdout).toContain(accountId);
    expect(harmed.code).toBe(1);
    const page = await readFile('docs/running/incidents.md', 'utf8');
    const [, statements = ''] = /```sql\n([^`]*update wallets[^`]*)```/.exec(page) ?? [];
    await db.owner.query(statements.replaceAll('01a2…', accountId));
    const { code, stdout } = await run(db.url);
    expect(stdout).toMatch(/^I1 +ok /m);
    expect(stdout).toMatch(/^I13 +ok /m);
    expect(stdout).not.toContain('RED');
    expect(code).toBe(0);
  });

  test('reports a missing database in one sentence', async () => {
    const { code, stdout, stderr } = await run('postgres://kabari@127.0.0.1:9/kabari');
    expect(stderr).toBe(
      'The database on 127.0.0.1:9 cannot be reached (ECONNREFUSED); check DATABASE_URL.\n',
    );
    expect(stdout).toBe('');
    expect(code).toBe(1);
  });
});
