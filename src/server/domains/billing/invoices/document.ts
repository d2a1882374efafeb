import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { invoicePdf as invoicePdfAct } from '#contract/billing.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { handle } from '#server/infra/acts.ts';
import type { InvoicesDeps } from '#server/domains/billing/deps.ts';
import { type Sql, asAccount } from '#server/infra/postgres/database.ts';
import { signed, verifySigned } from '#server/infra/security/signed-link.ts';
import { invoicePdf } from './pdf/invoice-pdf.ts';
import { findInvoice } from './row.ts';

export const LINK_MS = 10 * 60_000;

export type ServedDocument = {
  fileId: string;
  name: string;
  mime: string;
  sizeBytes: number;
  stream(span?: { start: number; end: number }): Promise<Readable>;
};

const fileNameOf = (number: string): string => `${number.replaceAll('/', '-')}.pdf`;

export const invoicePdfHandler = ({ sql, secrets, now }: InvoicesDeps) =>
  handle(invoicePdfAct, async ({ caller: { accountId } }, { invoice_id: invoiceId }) => {
    const row = await asAccount(sql, accountId, (tx) => findInvoice(tx, { accountId, invoiceId }));
    if (row.status !== 'paid' || row.number === null) throw new Refusal('invoice_unpaid', {});
    const ends = now().getTime() + LINK_MS;
    const link = signed(secrets, 'invoice', { accountId, id: invoiceId }, ends);
    return { url: `/invoices/${link}`, filename: fileNameOf(row.number) };
  });

/** Returns the document of a signed address; undefined if the signature is invalid or expired. */
export function verifyDocument(
  { secrets, now }: Pick<InvoicesDeps, 'secrets' | 'now'>,
  address: { id: string; key: string },
): { accountId: string; fileId: string } | undefined {
  const link = verifySigned(secrets, 'invoice', address, now().getTime());
  return link && { accountId: link.accountId, fileId: link.id };
}

type DocumentRef = { accountId: string; invoiceId: string };

/** The document of a paid invoice, rendered once and stored: its bytes never change. Undefined if there is none. */
export async function openDocument(
  deps: InvoicesDeps,
  { accountId, invoiceId }: DocumentRef,
): Promise<ServedDocument | undefined> {
  const which = { accountId, invoiceId };
  const row = await asAccount(deps.sql, accountId, (tx) => findInvoice(tx, which)).catch(
    undefinedIfNotFound,
  );
  if (row?.status !== 'paid' || row.number === null) return undefined;
  let bytes = await storedDocument(deps.sql, which);
  if (!bytes) {
    const stampsOver5m = deps.config.PAID_STAMP_OVER_5M;
    const made = await invoicePdf(row, { origin: deps.origin(), stampsOver5m });
    const sha256 = createHash('sha256').update(made).digest();
    await asAccount(
      deps.sql,
      accountId,
      (tx) => tx`
        insert into invoice_documents (account_id, invoice_id, bytes, sha256, created_at)
        values (${accountId}, ${invoiceId}, ${made}, ${sha256}, ${deps.now()})
        on conflict do nothing`,
    );
    // If two requests rendered it, the stored one counts.
    bytes = await storedDocument(deps.sql, which);
  }
  if (!bytes) throw new Error('a document was not stored');
  const whole = bytes;
  return {
    fileId: invoiceId,
    name: fileNameOf(row.number),
    mime: 'application/pdf',
    sizeBytes: whole.length,
    stream: async ({ start, end } = { start: 0, end: whole.length - 1 }) =>
      Readable.from([whole.subarray(start, end + 1)]),
  };
}

function undefinedIfNotFound(error: unknown): undefined {
  if (error instanceof Refusal && error.code === 'not_found') return undefined;
  throw error;
}

async function storedDocument(
  sql: Sql,
  { accountId, invoiceId }: DocumentRef,
): Promise<Buffer | undefined> {
  const [stored] = await asAccount(
    sql,
    accountId,
    (tx) => tx<{ bytes: Buffer }[]>`
      select bytes from invoice_documents
      where account_id = ${accountId} and invoice_id = ${invoiceId}`,
  );
  return stored?.bytes;
}
