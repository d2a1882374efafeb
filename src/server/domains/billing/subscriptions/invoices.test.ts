import { beforeEach, expect, vi } from 'vitest';
import { rupiah } from '#contract/base/money.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { payPlanInvoice, savePlan } from '#server/domains/billing/billing.ts';
import { newId } from '#server/infra/ids.ts';
import { test } from '#tests/support/database/database.ts';
import { billingApp } from '#tests/support/money/billing.ts';

type Line = { amount: number };
type Facts = { invoiceId: string; lines?: Line[]; amount?: number };
type Credit = { invoiceIds: readonly string[]; amount: number };

/** What was done with invoices, in order: the act, which invoice, and of how much. */
const done = vi.hoisted((): { what: string; invoice: string; amount: number }[] => []);

vi.mock('#server/domains/billing/invoices/issue.ts', () => {
  const note =
    (what: string) =>
    async (_tx: unknown, { invoiceId, lines, amount }: Facts) => {
      const sum = amount ?? (lines ?? []).reduce((total, line) => total + line.amount, 0);
      done.push({ what, invoice: invoiceId, amount: sum });
      return 'INV/1';
    };
  return {
    issueInvoice: note('issued'),
    settleInvoice: note('settled'),
    voidInvoice: note('void'),
    creditInvoices: (tx: unknown, { invoiceIds: [invoiceId = ''], amount }: Credit) =>
      note('credit note')(tx, { invoiceId, amount }),
  };
});

beforeEach(() => void done.splice(0));

/** What was done since the last look; invoices by their place in the order of their birth. */
function since(known: string[] = []): string[] {
  return done.splice(0).map(({ what, invoice, amount }) => {
    if (!known.includes(invoice)) known.push(invoice);
    return `${what} ${known.indexOf(invoice) + 1}${amount === 0 ? '' : ` ${amount}`}`;
  });
}

test('a charge has its invoice: issued, paid, void when replaced, credited when given back', async ({
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

  await db.allAccountsSql.begin((tx) =>
    savePlan(tx, {
      code: 'bisnis',
      name: 'Bisnis',
      description: '',
      price: rupiah(50_000),
      tokens: 10,
      quota: 25_000,
      overage: rupiah(50),
      isOffered: true,
      operatorId: newId(),
      at: app.now(),
    }),
  );
  await app.choose(ani, 'bisnis');
  expect(since(known)).toEqual(['credit note 7 49000']);
});

test('an open invoice is paid by hand, once, while it waits', async ({ db }) => {
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

test('the number is taken last: nothing of the transaction comes after it', async ({ db }) => {
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
  // What is read afterwards, to be shown, is another transaction.
  expect(
    statements.filter((text) => /insert into|update [a-z]|delete from|post_entry/.test(text)),
  ).toEqual([]);
  expect(done.map(({ what }) => what)).toEqual(['issued', 'settled']);
});
