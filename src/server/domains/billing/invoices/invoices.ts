import { type ActHandler, handle } from '#server/infra/acts.ts';
import type { InvoicesDeps } from '#server/domains/billing/deps.ts';
import { type Sql, type Tx, asAccount } from '#server/infra/postgres/database.ts';
import { type Secrets, hmac, sameBytes } from '#server/infra/security/secrets.ts';
import { getInvoiceHandler, listInvoicesHandler } from './read.ts';
import {
  type BillingProfile,
  getBillingProfile,
  saveBillingProfile,
  type InvoiceKind,
  type InvoiceStatus,
  payInvoice,
  invoicePdf as invoicePdfAct,
} from '#contract/billing.ts';
import type { InputOf } from '#contract/base/act.ts';
import { type Rupiah, rupiah } from '#contract/base/money.ts';
import { Refusal } from '#contract/base/refusals.ts';
import {
  type Topup,
  type TopupMethod,
  STATEMENT_PDF_MAX,
  exportSaldo,
  mutationKindLabel,
  type MutationKind,
  type EntryKind,
  entryKindLabel,
} from '#contract/saldo.ts';
import { findInvoice, invoiceOf } from './row.ts';
import { Readable } from 'node:stream';
import { WIB, formatDate, wibMidnight } from '#contract/base/time.ts';
import { statementPdf, type StatementRow } from './pdf/statement-pdf.ts';
import { csvOf, timeInWib } from '#server/infra/csv.ts';
import { semaphore } from '#server/infra/semaphore.ts';
import { publicId } from '#contract/base/ids.ts';
import { inPages } from '#server/infra/account-data.ts';
import { createHash } from 'node:crypto';
import { signed, verifySigned } from '#server/infra/security/signed-link.ts';
import { invoicePdf } from './pdf/invoice-pdf.ts';

type Address = { id: string; key: string };

export type Invoices = {
  acts: (ports: PayPorts) => readonly ActHandler[];
  documents: {
    verify: (address: Address) => { accountId: string; fileId: string } | undefined;
    open: (accountId: string, invoiceId: string) => Promise<ServedDocument | undefined>;
  };
  openStatement: (address: Address) => Promise<ServedStatement | undefined>;
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

/** Public facts of a document, for anybody who has its QR code: enough to compare it with the paper. */
type VerifiedDocument = {
  kind: InvoiceKind;
  status: InvoiceStatus;
  number: string | null;
  issuedAt: Date;
  total: number;
  seller: string;
  /** Masked: only the beginning of each word. */
  buyer: string;
  corrects: string | null;
  creditNotes: readonly { number: string; total: number; issuedAt: Date }[];
};

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

/** `Toko Ani` → `To•• An•`: holders of the document recognize the name, others do not learn it. */
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

type PayPorts = {
  /** @throws Refusal `saldo_short`, `wallet_frozen`, `account_suspended`, `invoice_closed`. */
  payPlanInvoice: (which: { accountId: string; invoiceId: string }) => Promise<void>;
  /** Creates a top-up for an invoice, like `topup_create`; repeating the key returns the same top-up. */
  placeTopup: (request: {
    accountId: string;
    key: string;
    base: Rupiah;
    method: TopupMethod;
    invoiceId: string;
  }) => Promise<Topup>;
};

const payInvoiceHandler = (deps: InvoicesDeps & { ports: PayPorts }) =>
  handle(payInvoice, ({ caller: { accountId }, key }, input) =>
    payOne(deps, { accountId, key }, input),
  );

/**
 * Pays an open invoice of a plan: from the saldo at once, or through a top-up created for it.
 *
 * @throws Refusal `not_found`, `invoice_closed` when it does not wait for a payment, and those of the ports.
 */
async function payOne(
  { sql, ports }: { sql: Sql; ports: PayPorts },
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

/** One long document at a time, because drawing uses a whole CPU. */
const inTurn = semaphore(1, 20);

type ServedStatement = { name: string; stream: Readable };

/** Returns a signed link to a statement. Refuses one that is too long for a PDF here, not behind the link. */
const exportSaldoHandler = (deps: InvoicesDeps) =>
  handle(exportSaldo, ({ caller: { accountId } }, input) => linkOf(deps, accountId, input));

async function linkOf(
  { sql, secrets, now }: InvoicesDeps,
  accountId: string,
  { from, to, kind, format }: InputOf<typeof exportSaldo>,
) {
  if (to < from) {
    throw new Refusal('input_invalid', {
      fields: { to: 'Tanggal akhir mendahului tanggal awal.' },
    });
  }
  const query = { from, to, kind, format };
  if (format === 'pdf') {
    const range = await rangeOf(sql, accountId, query);
    if (await isLongerThan(sql, accountId, { range, kind, max: STATEMENT_PDF_MAX })) {
      throw new Refusal('statement_too_long', { limit: STATEMENT_PDF_MAX });
    }
  }
  const link = signStatement(secrets, { accountId, query }, now().getTime() + LINK_MS);
  return { url: `/statements/${link}`, filename: fileNameOf(query) };
}

const fileNameOf = ({ from, to, format }: StatementClaim['query']): string =>
  `mutasi-saldo-${from}-${to}.${format}`;

/** The statement of a signed address; undefined if the signature is invalid or expired. */
async function openStatement(
  { sql, secrets, now }: InvoicesDeps,
  address: { id: string; key: string },
): Promise<ServedStatement | undefined> {
  const at = now();
  const claim = verifyStatement(secrets, address, at.getTime());
  if (!claim) return undefined;
  const { accountId, query } = claim;
  const range = await rangeOf(sql, accountId, query);
  const name = fileNameOf(query);
  const which = { range, kind: query.kind };
  if (query.format === 'csv') {
    return { name, stream: Readable.from(csvOf(csvRows(sql, accountId, which))) };
  }
  const [holder] = await asAccount(
    sql,
    accountId,
    (tx) => tx<{ name: string }[]>`select name from accounts where account_id = ${accountId}`,
  );
  const facts = {
    holder: holder?.name ?? '',
    period: `${dayWords(query.from)} – ${dayWords(query.to)}`,
    only: query.kind === undefined ? null : mutationKindLabel[query.kind],
    opening: range.opening,
    closing: range.closing,
    madeAt: at,
  };
  const bytes = await inTurn(() => statementPdf(facts, statementRows(sql, accountId, which)));
  return { name, stream: Readable.from([bytes]) };
}

const dayWords = (day: string): string => formatDate(`${day}T12:00:00+07:00`, WIB);

type CsvRow = Readonly<Record<string, string | number>>;

const edge = (kind: string, amount: number): CsvRow => ({
  nomor: '',
  waktu_wib: '',
  jenis: kind,
  keterangan: '',
  nilai: '',
  saldo: amount,
});

async function* csvRows(
  sql: Sql,
  accountId: string,
  which: { range: Range; kind: StatementClaim['query']['kind'] },
): AsyncGenerator<CsvRow> {
  yield edge('Saldo awal', which.range.opening);
  for await (const row of statementRows(sql, accountId, which)) {
    yield {
      nomor: row.seq,
      waktu_wib: timeInWib(row.at),
      jenis: row.kind,
      keterangan: row.text,
      nilai: row.amount,
      saldo: row.after,
    };
  }
  yield edge('Saldo akhir', which.range.closing);
}

type StatementClaim = {
  accountId: string;
  query: StatementQuery & { format: 'csv' | 'pdf' };
};

const ID_BYTES = 16;
const EXPIRY_BYTES = 4;
const MAC_BYTES = 32;
const ID_LENGTH_MAX = 300;

function signStatement(
  secrets: Secrets,
  { accountId, query }: StatementClaim,
  endsMs: number,
): string {
  const { from, to, kind = '', format } = query;
  const id = Buffer.from(JSON.stringify([from, to, kind, format])).toString('base64url');
  const expiry = Buffer.alloc(EXPIRY_BYTES);
  expiry.writeUInt32BE(Math.floor(endsMs / 1000));
  const claim = Buffer.concat([Buffer.from(accountId.replaceAll('-', ''), 'hex'), expiry]);
  return `${id}?k=${Buffer.concat([claim, macOf(secrets, id, claim)]).toString('base64url')}`;
}

/** Undefined if the signature is invalid or expired. */
function verifyStatement(
  secrets: Secrets,
  { id, key }: { id: string; key: string },
  nowMs: number,
): StatementClaim | undefined {
  const bytes = Buffer.from(key, 'base64url');
  if (id.length > ID_LENGTH_MAX || bytes.length !== ID_BYTES + EXPIRY_BYTES + MAC_BYTES) {
    return undefined;
  }
  const claim = bytes.subarray(0, -MAC_BYTES);
  if (!sameBytes(macOf(secrets, id, claim), bytes.subarray(-MAC_BYTES))) return undefined;
  if (claim.readUInt32BE(ID_BYTES) * 1000 <= nowMs) return undefined;
  const hex = claim.toString('hex', 0, ID_BYTES);
  const accountId = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  // The signature proves that `signStatement` wrote this.
  const [from, to, kind, format] = JSON.parse(Buffer.from(id, 'base64url').toString()) as [
    string,
    string,
    NonNullable<StatementQuery['kind']> | '',
    'csv' | 'pdf',
  ];
  return { accountId, query: { from, to, kind: kind === '' ? undefined : kind, format } };
}

const macOf = (secrets: Secrets, id: string, claim: Buffer) =>
  hmac(secrets.key('links'), 'statement', id, claim);

/** Filter of entries: these days in WIB, both included, and this kind only. */
type StatementQuery = { from: string; to: string; kind?: MutationKind | undefined };

/** Entries `(after, last]` of a wallet, with the available saldo before and after them. */
type Range = { after: number; last: number; opening: number; closing: number };

const DAY_MS = 86_400_000;

function rangeOf(sql: Sql, accountId: string, { from, to }: StatementQuery): Promise<Range> {
  const until = new Date(wibMidnight(to).getTime() + DAY_MS);
  return asAccount(sql, accountId, async (tx) => {
    const [range] = await tx<Range[]>`
      with places as (
        select entries_before(${accountId}, ${wibMidnight(from)}) as after,
          entries_before(${accountId}, ${until}) as last
      )
      select after, greatest(after, last) as last,
        coalesce((select available_after from wallet_entries
          where account_id = ${accountId} and seq = after), 0) as opening,
        coalesce((select available_after from wallet_entries
          where account_id = ${accountId} and seq = greatest(after, last)), 0) as closing
      from places`;
    if (!range) throw new Error('a statement without a range');
    return range;
  });
}

/** Customers see a hold and its release as one kind: the cost of messages. */
const kindsOf = (kind: MutationKind | undefined): readonly EntryKind[] | null => {
  if (kind === undefined) return null;
  return kind === 'hold' ? ['hold', 'release'] : [kind];
};

/** Entries that changed the available saldo. A capture does not: its amount already left with the hold. */
const entryCondition = (
  tx: Tx,
  accountId: string,
  { range, kind }: { range: Range; kind: MutationKind | undefined },
) => {
  const kinds = kindsOf(kind);
  return tx`account_id = ${accountId} and seq > ${range.after} and seq <= ${range.last}
    and d_available <> 0 ${kinds === null ? tx`` : tx`and kind = any(${[...kinds]}::text[])`}`;
};

type Which = { range: Range; kind: MutationKind | undefined };

async function isLongerThan(
  sql: Sql,
  accountId: string,
  { max, ...which }: Which & { max: number },
): Promise<boolean> {
  const [found] = await asAccount(
    sql,
    accountId,
    (tx) => tx<{ n: number }[]>`
      select count(*) as n from (
        select from wallet_entries where ${entryCondition(tx, accountId, which)} limit ${max + 1}
      ) counted`,
  );
  return (found?.n ?? 0) > max;
}

type Entry = {
  seq: number;
  created_at: Date;
  kind: EntryKind;
  d_available: number;
  available_after: number;
  n_items: number;
  ref_type: string;
  ref_id: string;
  memo: string | null;
};

async function* statementRows(
  sql: Sql,
  accountId: string,
  which: Which,
): AsyncGenerator<StatementRow> {
  const entries = inPages<Entry>(
    { sql, accountId },
    (tx, last, limit) => tx<Entry[]>`
      select seq, created_at, kind, d_available, available_after, n_items, ref_type, ref_id, memo
      from wallet_entries
      where ${entryCondition(tx, accountId, which)} and seq > ${last?.seq ?? 0}
      order by seq limit ${limit}`,
  );
  for await (const entry of entries) {
    yield {
      seq: entry.seq,
      at: entry.created_at,
      kind: entryKindLabel[entry.kind],
      text: textOf(entry),
      amount: entry.d_available,
      after: entry.available_after,
    };
  }
}

const ofMessages: ReadonlySet<EntryKind> = new Set(['hold', 'release', 'correction']);

function textOf({ kind, n_items, ref_type, ref_id, memo }: Entry): string {
  if (ref_type === 'topup') return publicId('topup', ref_id);
  if (memo !== null) return memo;
  return ofMessages.has(kind) ? `${n_items} pesan` : '';
}

const LINK_MS = 10 * 60_000;

type ServedDocument = {
  fileId: string;
  name: string;
  mime: string;
  sizeBytes: number;
  stream(span?: { start: number; end: number }): Promise<Readable>;
};

const documentNameOf = (number: string): string => `${number.replaceAll('/', '-')}.pdf`;

const invoicePdfHandler = ({ sql, secrets, now }: InvoicesDeps) =>
  handle(invoicePdfAct, async ({ caller: { accountId } }, { invoice_id: invoiceId }) => {
    const row = await asAccount(sql, accountId, (tx) => findInvoice(tx, { accountId, invoiceId }));
    if (row.status !== 'paid' || row.number === null) throw new Refusal('invoice_unpaid', {});
    const ends = now().getTime() + LINK_MS;
    const link = signed(secrets, 'invoice', { accountId, id: invoiceId }, ends);
    return { url: `/invoices/${link}`, filename: documentNameOf(row.number) };
  });

/** Returns the document of a signed address; undefined if the signature is invalid or expired. */
function verifyDocument(
  { secrets, now }: Pick<InvoicesDeps, 'secrets' | 'now'>,
  address: { id: string; key: string },
): { accountId: string; fileId: string } | undefined {
  const link = verifySigned(secrets, 'invoice', address, now().getTime());
  return link && { accountId: link.accountId, fileId: link.id };
}

type DocumentRef = { accountId: string; invoiceId: string };

/** The document of a paid invoice, rendered once and stored: its bytes never change. Undefined if there is none. */
async function openDocument(
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
    name: documentNameOf(row.number),
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
