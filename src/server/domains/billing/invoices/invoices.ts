import { type ActHandler, handle } from '#server/infra/acts.ts';
import type { Config } from '#server/infra/config.ts';
import { type Sql, type Tx, asAccount } from '#server/infra/postgres/database.ts';
import type { Secrets } from '#server/infra/security/secrets.ts';
import {
  type ServedDocument,
  invoicePdfHandler,
  openDocument,
  verifyDocument,
} from './document.ts';
import { getInvoiceHandler, listInvoicesHandler } from './read.ts';
import { type ServedStatement, exportSaldoHandler, openStatement } from './statement.ts';
import {
  type BillingProfile,
  getBillingProfile,
  saveBillingProfile,
  type InvoiceKind,
  type InvoiceStatus,
  payInvoice,
} from '#contract/billing.ts';
import type { InputOf } from '#contract/base/act.ts';
import { type Rupiah, rupiah } from '#contract/base/money.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { Topup, TopupMethod } from '#contract/saldo.ts';
import { findInvoice, invoiceOf } from './row.ts';

export type InvoicesDeps = {
  /** Sees one account at a time. */
  sql: Sql;
  /** Sees all: whoever has a document's QR verifies it, whoever they are. */
  allAccountsSql: Sql;
  secrets: Secrets;
  config: Pick<Config, 'PAID_STAMP_OVER_5M'>;
  /** The portal's own address, as people open it. */
  origin: () => string;
  now: () => Date;
};

type Address = { id: string; key: string };

/** Invoices and statements, as acts and as what is downloaded. */
export type Invoices = {
  acts: (ports: PayPorts) => readonly ActHandler[];
  documents: {
    verify: (address: Address) => { accountId: string; fileId: string } | undefined;
    open: (accountId: string, invoiceId: string) => Promise<ServedDocument | undefined>;
  };
  openStatement: (address: Address) => Promise<ServedStatement | undefined>;
  /** The document behind a reference, as anybody may see it. */
  findVerified: (docRef: string) => Promise<VerifiedDocument | undefined>;
};

export const openInvoices = (deps: InvoicesDeps): Invoices => ({
  acts: (ports) => [
    listInvoicesHandler(deps),
    getInvoiceHandler(deps),
    invoicePdfHandler(deps),
    payInvoiceHandler({ ...deps, ports }),
    getBillingProfileHandler(deps),
    saveBillingProfileHandler(deps),
    exportSaldoHandler(deps),
  ],
  documents: {
    verify: (address) => verifyDocument(deps, address),
    open: (accountId, invoiceId) => openDocument(deps, { accountId, invoiceId }),
  },
  openStatement: (address) => openStatement(deps, address),
  findVerified: (docRef) => findVerified(deps.allAccountsSql, docRef),
});

const getBillingProfileHandler = ({ sql }: { sql: Sql }) =>
  handle(getBillingProfile, ({ caller: { accountId } }) =>
    asAccount(sql, accountId, (tx) => profileOf(tx, accountId)),
  );

/** Saves the buyer that later invoices name; those that are issued stay as they are. */
const saveBillingProfileHandler = ({ sql, now }: { sql: Sql; now: () => Date }) =>
  handle(saveBillingProfile, ({ caller: { accountId } }, { name, npwp, address, email }) =>
    asAccount(sql, accountId, async (tx) => {
      await tx`
        insert into billing_profiles (account_id, name, npwp, address, email, updated_at)
        values (${accountId}, ${name || null}, ${npwp || null}, ${address || null},
          ${email || null}, ${now()})
        on conflict (account_id) do update set name = excluded.name, npwp = excluded.npwp,
          address = excluded.address, email = excluded.email, updated_at = excluded.updated_at`;
      return profileOf(tx, accountId);
    }),
  );

async function profileOf(tx: Tx, accountId: string): Promise<BillingProfile> {
  const [profile] = await tx<BillingProfile[]>`
    select name, npwp, address, email from billing_profiles where account_id = ${accountId}`;
  return profile ?? { name: null, npwp: null, address: null, email: null };
}

/** What anybody may know who has the QR of a document: that it is real, and enough to compare it. */
type VerifiedDocument = {
  kind: InvoiceKind;
  status: InvoiceStatus;
  number: string | null;
  issuedAt: Date;
  total: number;
  seller: string;
  /** Only the beginning of each word. */
  buyer: string;
  /** Of a credit note: the number of the invoice that it corrects. */
  corrects: string | null;
  creditNotes: readonly { number: string; total: number; issuedAt: Date }[];
};

/** The document behind a reference; undefined when we issued none with it. */
async function findVerified(
  allAccountsSql: Sql,
  docRef: string,
): Promise<VerifiedDocument | undefined> {
  if (!/^[0-9a-f]{32}$/.test(docRef)) return undefined;
  const [row] = await allAccountsSql<(Omit<VerifiedDocument, 'creditNotes'> & Key)[]>`
    select i.account_id, i.invoice_id, i.kind, i.status, i.number,
      coalesce(i.paid_at, i.created_at) as "issuedAt", i.total, i.seller ->> 'name' as seller,
      i.buyer ->> 'name' as buyer, c.number as corrects
    from invoice_refs r
    join invoices i using (account_id, invoice_id)
    left join invoices c on c.account_id = i.account_id and c.invoice_id = i.credits
    where r.doc_ref = ${docRef}`;
  if (!row) return undefined;
  const { account_id, invoice_id, buyer, ...facts } = row;
  const creditNotes = await allAccountsSql<{ number: string; total: number; issuedAt: Date }[]>`
    select number, total, paid_at as "issuedAt" from invoices
    where account_id = ${account_id} and credits = ${invoice_id} order by paid_at, number`;
  return { ...facts, buyer: maskName(buyer), creditNotes };
}

type Key = { account_id: string; invoice_id: string };

/** `Toko Ani` → `To•• An•`: whoever holds the document knows whose it is, others do not learn it. */
const maskName = (name: string): string =>
  name
    .split(/\s+/)
    .filter((word) => word !== '')
    .slice(0, 6)
    .map((word) => {
      const letters = [...word].slice(0, 12);
      const shown = letters.length > 3 ? 2 : 1;
      return letters.map((letter, place) => (place < shown ? letter : '•')).join('');
    })
    .join(' ');

/** What paying needs of others. */
type PayPorts = {
  /**
   * Charges what an open invoice of a plan is for, from the saldo, and settles the invoice.
   *
   * @throws Refusal `saldo_short`, `wallet_frozen`, `account_suspended`, `invoice_closed`.
   */
  payPlanInvoice: (which: { accountId: string; invoiceId: string }) => Promise<void>;
  /** Makes a top-up for an invoice, as `topup_create` does; the key again gives the same one. */
  placeTopup: (request: {
    accountId: string;
    key: string;
    base: Rupiah;
    method: TopupMethod;
    invoiceId: string;
  }) => Promise<Topup>;
};

type PayDeps = { sql: Sql; ports: PayPorts };

const payInvoiceHandler = (deps: PayDeps) =>
  handle(payInvoice, ({ caller: { accountId }, key }, input) =>
    payOne(deps, { accountId, key }, input),
  );

/**
 * Pays an open invoice of a plan: from the saldo at once, or by a top-up of its amount that is made for it.
 *
 * @throws Refusal `not_found`, `invoice_closed` when it does not wait for a payment, and those of the ports.
 */
async function payOne(
  { sql, ports }: PayDeps,
  { accountId, key }: { accountId: string; key: string },
  { invoice_id: invoiceId, method }: InputOf<typeof payInvoice>,
) {
  const find = () => asAccount(sql, accountId, (tx) => findInvoice(tx, { accountId, invoiceId }));
  const row = await find();
  if (row.kind !== 'plan' || row.status !== 'open') throw new Refusal('invoice_closed', {});
  if (method === undefined) {
    await ports.payPlanInvoice({ accountId, invoiceId });
    return { invoice: invoiceOf(await find()), topup_id: null };
  }
  const topup = await ports.placeTopup({
    accountId,
    key,
    base: rupiah(row.base),
    method,
    invoiceId,
  });
  return { invoice: invoiceOf(await find()), topup_id: topup.id };
}
