import { type Rupiah, rupiah } from '#contract/base/money.ts';
import { newId } from '#server/infra/ids.ts';
import type { Tx } from '#server/infra/postgres/database.ts';
import { json } from '#server/infra/postgres/sql.ts';

/** `amount` is `quantity × price`, negative for credits. */
export type InvoiceLine = { text: string; quantity: number; price: Rupiah; amount: Rupiah };

type Issue = {
  accountId: string;
  invoiceId: string;
  kind: 'plan';
  title: string;
  lines: readonly InvoiceLine[];
  periodStart?: Date;
  periodEnd?: Date;
  subject: { type: 'charge'; id: string };
  dueAt?: Date;
  at: Date;
};

/**
 * Issues an invoice of a plan, open and without a number. Its lines sum to its base; it carries no PPN unless its own
 * top-up brings it (docs/money.md#invoices).
 *
 * @param tx sees all accounts.
 * @throws PostgresError a violation of `invoice_subject` when the subject has an invoice.
 */
export async function issueInvoice(tx: Tx, invoice: Issue): Promise<void> {
  const { accountId, invoiceId, kind, title, lines, subject, at } = invoice;
  await tx`
    select issue_invoice(
      ${accountId}, ${invoiceId}, ${kind}, ${title}, ${json(lines)}, 0, 0, ${subject.type},
      ${subject.id}, ${invoice.periodStart ?? null}, ${invoice.periodEnd ?? null},
      ${invoice.dueAt ?? null}, ${at}
    )`;
}

/**
 * Marks the invoice as paid from the saldo and returns its number. Call it last in the transaction: others wait for the
 * next number until COMMIT.
 *
 * @param tx sees all accounts.
 * @throws PostgresError `BL010` when it is not open.
 */
export async function settleInvoice(
  tx: Tx,
  { accountId, invoiceId, at }: { accountId: string; invoiceId: string; at: Date },
): Promise<string> {
  const [settled] = await tx<{ number: string }[]>`
    select settle_invoice(${accountId}, ${invoiceId}, ${at}, 'saldo') as number`;
  if (!settled) throw new Error('settle_invoice returned no row');
  return settled.number;
}

/**
 * Voids the invoice; a void one stays void. Money of a top-up made for it stays as saldo.
 *
 * @param tx sees all accounts.
 * @throws PostgresError `BL010` when it is neither open nor void.
 */
export async function voidInvoice(
  tx: Tx,
  {
    accountId,
    invoiceId,
    at,
    note,
  }: { accountId: string; invoiceId: string; at: Date; note: string },
): Promise<void> {
  await tx`select void_invoice(${accountId}, ${invoiceId}, ${at}, ${note})`;
}

type CreditNote = {
  accountId: string;
  invoiceId: string;
  amount: Rupiah;
  /** PPN within the amount, which the caller takes off `liab:ppn`; none if absent. */
  ppn?: Rupiah;
  reason: string;
  at: Date;
};

/**
 * Issues a credit note for a paid invoice, numbered `CN/…`; the invoice does not change. The caller moves the money.
 * Call it last in the transaction.
 *
 * @param tx sees all accounts.
 * @throws PostgresError `BL010` when the invoice is not paid, `BL012` when the credit notes would exceed the amount
 *   paid.
 */
export async function issueCreditNote(
  tx: Tx,
  { accountId, invoiceId, amount, ppn = rupiah(0), reason, at }: CreditNote,
): Promise<{ creditNoteId: string; number: string }> {
  const creditNoteId = newId();
  const [issued] = await tx<{ number: string }[]>`
    select issue_credit_note(
      ${accountId}, ${creditNoteId}, ${invoiceId}, ${amount}, ${ppn}, ${reason}, ${at}
    ) as number`;
  if (!issued) throw new Error('issue_credit_note returned no row');
  return { creditNoteId, number: issued.number };
}
