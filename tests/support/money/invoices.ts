import type { InvoiceDetail, Invoice } from '#contract/billing.ts';
import { publicId } from '#contract/base/ids.ts';
import { rupiah } from '#contract/base/money.ts';
import { openInvoices, recordSeller } from '#server/domains/billing/billing.ts';
import { issueInvoice, settleInvoice } from '#server/domains/billing/invoices/issue.ts';
import { placeTopup } from '#server/domains/payments/payments.ts';
import { newId } from '#server/infra/ids.ts';
import type { Tx } from '#server/infra/postgres/database.ts';
import { secretsFrom } from '#server/infra/security/secrets.ts';
import type { TestDatabase } from '#tests/support/database/database.ts';
import { perform, topupApp } from './topups.ts';

export const ORIGIN = 'https://kabari.example';

export const seller = {
  SELLER_NAME: 'PT Kabari Contoh',
  SELLER_ADDRESS: 'Jl. Jenderal Sudirman 1, Jakarta',
  SELLER_NPWP: '0123456789012345',
  SELLER_EMAIL: 'tagihan@kabari.example',
  SELLER_PHONE: '622150001234',
  production: false,
};

type Asker = { accountId: string };

/** Top-ups with their invoices, over a test's database; plans are charged without confirmation. */
export async function invoicesApp(
  db: TestDatabase,
  {
    ppn = false,
    ...changes
  }: { ppn?: boolean } & { [Key in keyof typeof seller]?: undefined } = {},
) {
  const app = await topupApp(db, { ppn });
  const { sql, allAccountsSql } = app.deps;
  const now = app.clock.now;
  const recordAs = (config: object) =>
    recordSeller({
      allAccountsSql,
      config: { ...seller, PPN: ppn, ...config },
      log: { warn: () => undefined },
      now,
    });
  await recordAs(changes);
  const secrets = secretsFrom(Buffer.alloc(32, 7));
  const invoices = openInvoices({
    sql,
    allAccountsSql,
    secrets,
    config: { PAID_STAMP_OVER_5M: false },
    origin: () => ORIGIN,
    now,
  });
  const acts = invoices.acts({
    payPlanInvoice: async ({ accountId, invoiceId }) => {
      await allAccountsSql.begin((tx) => settleInvoice(tx, { accountId, invoiceId, at: now() }));
    },
    placeTopup: ({ method: _, ...request }) => placeTopup(app.deps, request),
  });
  return {
    ...app,
    invoices,
    acts,
    recordAs,
    list: (asker: Asker, fields = {}) =>
      perform(acts, 'invoice_list', asker, fields) as Promise<{ rows: Invoice[]; total: number }>,
    get: (asker: Asker, invoiceId: string) =>
      perform(acts, 'invoice_get', asker, {
        invoice_id: publicId('invoice', invoiceId),
      }) as Promise<InvoiceDetail>,
  };
}

export const planInvoice = (
  tx: Tx,
  { accountId, invoiceId, at }: { accountId: string; invoiceId: string; at: Date },
): Promise<void> =>
  issueInvoice(tx, {
    accountId,
    invoiceId,
    kind: 'plan',
    title: 'Paket Usaha',
    lines: [
      { text: 'Paket Usaha', quantity: 1, price: rupiah(199_000), amount: rupiah(199_000) },
      { text: 'Sisa Paket Rintis', quantity: 1, price: rupiah(-50_000), amount: rupiah(-50_000) },
    ],
    periodStart: new Date('2026-11-20T17:00:00Z'),
    periodEnd: new Date('2026-12-20T17:00:00Z'),
    subject: { type: 'charge', id: newId() },
    at,
  });

export type InvoicesApp = Awaited<ReturnType<typeof invoicesApp>>;
