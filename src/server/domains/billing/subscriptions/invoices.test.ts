import { beforeEach, expect, vi } from 'vitest';
import { rupiah } from '#contract/base/money.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { payPlanInvoice, savePlan } from '#server/domains/billing/billing.ts';
import type * as issue from '#server/domains/billing/invoices/issue.ts';
import { checkLedger } from '#server/domains/ledger/ledger.ts';
import { newId } from '#server/infra/ids.ts';
import type { Tx } from '#server/infra/postgres/database.ts';
import { test } from '#tests/support/database/database.ts';
import { type BillingApp, billingApp } from '#tests/support/money/billing.ts';

const done = vi.hoisted((): { what: string; invoice: string; amount: number }[] => []);

vi.mock('#server/domains/billing/invoices/issue.ts', async (original) => {
  const real = await original<typeof issue>();
  type Facts = { invoiceId: string; lines?: readonly { amount: number }[]; amount?: number };
  const noted =
    <F extends Facts, A>(what: string, work: (tx: Tx, facts: F) => Promise<A>) =>
    async (tx: Tx, facts: F): Promise<A> => {
      const answer = await work(tx, facts);
      const { invoiceId, lines, amount } = facts;
      const sum = amount ?? (lines ?? []).reduce((total, line) => total + line.amount, 0);
      done.push({ what, invoice: invoiceId, amount: sum });
      return answer;
    };
  return {
    issueInvoice: noted('issued', real.issueInvoice),
    settleInvoice: noted('settled', real.settleInvoice),
    voidInvoice: noted('void', real.voidInvoice),
    issueCreditNote: noted('credit note', real.issueCreditNote),
  };
});

beforeEach(() => void done.splice(0));

function since(known: string[] = []): string[] {
  return done.splice(0).map(({ what, invoice, amount }) => {
    if (!known.includes(invoice)) known.push(invoice);
    return `${what} ${known.indexOf(invoice) + 1}${amount === 0 ? '' : ` ${amount}`}`;
  });
}

/** Makes a plan as large as the largest, for Rp 50.000, so that a change to it begins at once. */
const makeCheaper = ({ deps, now }: BillingApp, code: string) =>
  deps.allAccountsSql.begin((tx) =>
    savePlan(tx, {
      code,
      name: 'Murah',
      description: '',
      price: rupiah(50_000),
      tokens: 100,
      quota: 250_000,
      overage: rupiah(50),
      isOffered: true,
      operatorId: newId(),
      at: now(),
    }),
  );

test('each charge has an invoice: issued, paid, void when replaced, credited when refunded', async ({
  db,
}) => {
  const app = billingApp(db);
  const known: string[] = [];
  const ani = await app.customer(199_000);
  await app.choose(ani, 'usaha');
  expect(since(known)).toEqual(['issued 1 99000', 'settled 1']);

  app.goTo('2026-12-06T10:00');
  await app.choose(ani, 'bisnis');
  expect(since(known)).toEqual(['issued 2 100000', 'settled 2']);

  app.goTo('2026-12-21T00:00');
  await app.run();
  expect(since(known)).toEqual(['issued 3 299000']);
  await app.give(ani, 299_000);
  await app.run();
  expect(since(known)).toEqual(['settled 3']);

  app.goTo('2027-01-21T00:00');
  await app.run();
  app.goTo('2027-01-24T00:00');
  await app.run();
  expect(since(known)).toEqual(['issued 4 299000', 'void 4']);
  await app.give(ani, 299_000);
  await app.resume(ani);
  expect(since(known)).toEqual(['issued 5 299000', 'settled 5']);

  app.goTo('2027-02-24T00:00');
  await app.run();
  await app.give(ani, 100_000);
  await app.choose(ani, 'usaha');
  expect(since(known)).toEqual(['issued 6 299000', 'void 6', 'issued 7 99000', 'settled 7']);

  await makeCheaper(app, 'bisnis');
  await app.choose(ani, 'bisnis');
  expect(since(known)).toEqual(['credit note 7 49000']);
});

test('a refund larger than the newest invoice of the period is credited on earlier ones too', async ({
  db,
}) => {
  const app = billingApp(db);
  const known: string[] = [];
  const ani = await app.customer(500_000);
  await app.choose(ani, 'usaha');
  app.goTo('2026-12-19T10:00');
  await app.choose(ani, 'bisnis');
  expect(since(known)).toEqual(['issued 1 99000', 'settled 1', 'issued 2 13333', 'settled 2']);
  await makeCheaper(app, 'usaha');
  await app.choose(ani, 'usaha');
  expect(since(known)).toEqual(['credit note 2 13333', 'credit note 1 3267']);
  expect((await checkLedger(db.allAccountsSql)).filter(({ ok }) => !ok)).toEqual([]);
});

test('a plan whose invoice was voided with its payment is charged anew, or suspended', async ({
  db,
}) => {
  const app = billingApp(db);
  const known: string[] = [];
  const [ani, budi] = [await app.customer(99_000), await app.customer(99_000)];
  for (const who of [ani, budi]) await app.choose(who, 'usaha');
  app.goTo('2026-12-21T00:00');
  await app.run();
  since(known);
  await db.allAccountsSql`
    select void_invoice(account_id, due_invoice, ${app.now()}, 'Pembayarannya dikembalikan.')
    from subscriptions`;
  await app.give(ani, 99_000);
  await app.run();
  expect(since(known)).toEqual(['issued 5 99000', 'settled 5']);
  expect(await app.get(ani)).toMatchObject({ status: 'active' });
  app.goTo('2026-12-24T00:00');
  await app.run();
  expect(await app.get(budi)).toMatchObject({ status: 'suspended' });
  expect(app.troubles).toEqual([]);
  expect((await checkLedger(db.allAccountsSql)).filter(({ ok }) => !ok)).toEqual([]);
});

test('an open invoice can be paid by hand, once', async ({ db }) => {
  const app = billingApp(db);
  const ani = await app.customer(99_000);
  const { accountId } = ani;
  await app.choose(ani, 'usaha');
  app.goTo('2026-12-21T00:00');
  await app.run();
  const invoiceId = done.at(-1)?.invoice ?? '';
  const pay = () => payPlanInvoice(app.deps, { accountId, invoiceId });
  await expect(pay()).rejects.toEqual(
    new Refusal('saldo_short', { required: 99_000, available: 0 }),
  );
  await app.give(ani, 100_000);
  await Promise.all([pay(), pay()]);
  expect(await app.saldo(ani)).toBe(1_000);
  expect(done.filter(({ what }) => what === 'settled')).toHaveLength(2);

  app.goTo('2027-01-21T00:00');
  await app.run();
  const late = done.at(-1)?.invoice ?? '';
  app.goTo('2027-01-24T00:00');
  await app.give(ani, 100_000);
  await expect(payPlanInvoice(app.deps, { accountId, invoiceId: late })).rejects.toEqual(
    new Refusal('invoice_closed', {}),
  );
});

test('takes the number last in the transaction', async ({ db }) => {
  const app = billingApp(db);
  const ani = await app.customer(199_000);
  const statements: string[] = [];
  const begin = app.deps.allAccountsSql.begin;
  app.deps.allAccountsSql = Object.assign(
    ((...args: Parameters<typeof db.allAccountsSql>) => db.allAccountsSql(...args)) as never,
    db.allAccountsSql,
    {
      begin: ((work: (tx: unknown) => Promise<unknown>) =>
        begin((tx) =>
          work(
            new Proxy(tx, {
              apply: (target, self, args: never[]) => {
                if (done.some(({ what }) => what === 'settled')) statements.push(String(args[0]));
                return Reflect.apply(target, self, args);
              },
            }),
          ),
        )) as never,
    },
  );
  await app.choose(ani, 'usaha');
  app.goTo('2026-12-06T10:00');
  done.splice(0);
  await app.choose(ani, 'bisnis');
  expect(
    statements.filter((text) => /insert into|update [a-z]|delete from|post_entry/.test(text)),
  ).toEqual([]);
  expect(done.map(({ what }) => what)).toEqual(['issued', 'settled']);
});
