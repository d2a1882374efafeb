import { type Rupiah, rupiah } from '#contract/base/money.ts';
import { newId } from '#server/infra/ids.ts';
import type { Tx } from '#server/infra/postgres/database.ts';
import { json } from '#server/infra/postgres/sql.ts';

/** A line of an invoice; `amount` is `quantity × price`, negative for what is given back. */
export type InvoiceLine = { text: string; quantity: number; price: Rupiah; amount: Rupiah };

type Issue = {
  accountId: string;
  invoiceId: string;
  kind: 'plan';
  title: string;
  lines: readonly InvoiceLine[];
  periodStart?: Date;
  periodEnd?: Date;
  /** What it is for: one invoice each. */
  subject: { type: 'charge'; id: string };
  dueAt?: Date;
  at: Date;
};

/**
 * Issues an invoice of a plan, open and without a number. Its lines sum to its base; it carries no PPN
 * unless a top-up made for it brings it (docs/money.md#invoices).
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
 * The invoice is paid by what has just left the saldo. Call it last in the transaction: the number it takes
 * keeps others waiting until COMMIT.
 *
 * @param tx sees all accounts.
 * @param paidWith what paid it, where no top-up was made for it; otherwise that top-up's method.
 * @returns its number.
 * @throws PostgresError `BL010` when it is not open.
 */
export async function settleInvoice(
  tx: Tx,
  {
    accountId,
    invoiceId,
    at,
    paidWith,
  }: { accountId: string; invoiceId: string; at: Date; paidWith: 'saldo' | 'gateway' },
): Promise<string> {
  const [settled] = await tx<{ number: string }[]>`
    select settle_invoice(${accountId}, ${invoiceId}, ${at}, ${paidWith}) as number`;
  if (!settled) throw new Error('settle_invoice returned no row');
  return settled.number;
}

/**
 * Nobody has to pay the invoice any more. What a top-up made for it has brought stays saldo.
 *
 * @param tx sees all accounts.
 * @throws PostgresError `BL010` when it is not open.
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
  /** What is given back in all. */
  amount: Rupiah;
  /** What of it is PPN, which the caller takes off `liab:ppn`; none without it. */
  ppn?: Rupiah;
  /** Printed on it. */
  reason: string;
  at: Date;
};

/**
 * A credit note for a paid invoice, numbered `CN/…`; the invoice stays as it is. The money is the caller's
 * to move. Call it last in the transaction.
 *
 * @param tx sees all accounts.
 * @throws PostgresError `BL010` when the invoice is not paid, `BL012` when more would be given back than was
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

type Credit = Omit<CreditNote, 'invoiceId' | 'ppn'> & {
  /** What it was paid with, the newest first. */
  invoiceIds: readonly string[];
};

/**
 * Credits an amount to the invoices it was paid with, the newest first, each by what of its price has not
 * been given back: after a change of plan within a period, the newest is of the difference alone.
 *
 * @param tx sees all accounts, and holds the lock of the wallet, as whoever gives money back does.
 */
export async function creditInvoices(
  tx: Tx,
  { accountId, invoiceIds, amount, reason, at }: Credit,
): Promise<void> {
  const found = await tx<{ invoice_id: string; price: number }[]>`
    select i.invoice_id, least(i.base, i.total - i.ppn) as price
    from unnest(${[...invoiceIds]}::uuid[]) with ordinality as paid(invoice_id, place)
    join invoices i on i.account_id = ${accountId} and i.invoice_id = paid.invoice_id
    where i.status = 'paid' order by paid.place`;
  const given = await tx<{ credits: string; sum: number }[]>`
    select credits, sum(base)::bigint as sum from invoices
    where account_id = ${accountId} and credits = any(${[...invoiceIds]}::uuid[]) group by credits`;
  const before = new Map(given.map(({ credits, sum }) => [credits, sum]));
  let rest: number = amount;
  for (const { invoice_id: invoiceId, price } of found) {
    const part = Math.min(rest, price - (before.get(invoiceId) ?? 0));
    if (part <= 0) continue;
    await issueCreditNote(tx, { accountId, invoiceId, amount: rupiah(part), reason, at });
    rest -= part;
  }
}
