import { type InvoiceKind, type InvoiceStatus } from '#contract/billing/invoices.ts';
import type { Sql } from '#server/infra/postgres/database.ts';

/** What anybody may know who has the QR of a document: that it is real, and enough to compare it. */
export type VerifiedDocument = {
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
export async function findVerified(
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
export const maskName = (name: string): string =>
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
