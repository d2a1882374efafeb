import { Readable } from 'node:stream';
import type { InputOf } from '#contract/base/act.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { WIB, formatDate } from '#contract/base/time.ts';
import { STATEMENT_PDF_MAX, exportSaldo, lineKindLabel } from '#contract/saldo.ts';
import { statementPdf } from '#server/domains/billing/invoices/pdf/statement-pdf.ts';
import { LINK_MS } from '#server/domains/billing/invoices/document.ts';
import { handle } from '#server/infra/acts/act.ts';
import { csvOf } from '#server/infra/csv.ts';
import { type Sql, asAccount } from '#server/infra/postgres/database.ts';
import type { Secrets } from '#server/infra/security/secrets.ts';
import { semaphore } from '#server/infra/semaphore.ts';
import { type StatementClaim, signStatement, verifyStatement } from './link.ts';
import { type Range, isLongerThan, rangeOf, statementRows } from './rows.ts';

export type StatementDeps = { sql: Sql; secrets: Secrets; now: () => Date };

/** One long document at a time: drawing takes a processor. */
const inTurn = semaphore(1, 20);

/** A statement as it is served over HTTP: its length is not known before its end. */
export type ServedStatement = { name: string; stream: Readable };

/** Gives a signed link to a statement; what is too long for a PDF is refused here, not behind the link. */
export const exportSaldoHandler = (deps: StatementDeps) =>
  handle(exportSaldo, ({ caller: { accountId } }, input) => linkOf(deps, accountId, input));

async function linkOf(
  { sql, secrets, now }: StatementDeps,
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

/** The statement of a signed address; undefined when we did not sign it, or its time is over. */
export async function openStatement(
  { sql, secrets, now }: StatementDeps,
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
    only: query.kind === undefined ? null : lineKindLabel[query.kind],
    opening: range.opening,
    closing: range.closing,
    madeAt: at,
  };
  const bytes = await inTurn(() => statementPdf(facts, statementRows(sql, accountId, which)));
  return { name, stream: Readable.from([bytes]) };
}

const dayWords = (day: string): string => formatDate(`${day}T12:00:00+07:00`, WIB);

/** An instant in WIB as every spreadsheet reads it: `2026-11-21 09:05:00`. */
const timeInWib = (at: Date): string =>
  new Date(at.getTime() + 7 * 3_600_000).toISOString().slice(0, 19).replace('T', ' ');

type CsvRow = Readonly<Record<string, string | number>>;

const edge = (kind: string, amount: number): CsvRow => ({
  nomor: '',
  waktu_wib: '',
  jenis: kind,
  keterangan: '',
  nilai: '',
  saldo: amount,
});

/** The rows of a CSV: raw amounts, between the saldo that the days began and ended with. */
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
