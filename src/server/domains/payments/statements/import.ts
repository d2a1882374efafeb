import { Refusal } from '#contract/base/refusals.ts';
import type { StatementOutcome, StatementReport } from '#contract/operator/money/statements.ts';
import { type IdentifiedLine, inLineAccount, storeLine } from '#server/domains/payments/bank.ts';
import type { Config } from '#server/infra/config.ts';
import { newId } from '#server/infra/ids.ts';
import { type Sql, retrying } from '#server/infra/postgres/database.ts';
import { json } from '#server/infra/postgres/sql.ts';
import {
  type Judged,
  LINES_AT_ONCE,
  type ReadStatement,
  judge,
  readStatement,
  reportOf,
} from './judge.ts';

/** Whose upload it is. */
export type Uploader = { accountId: string; userId: string };

export type StatementDeps = {
  /** Sees every account. */
  allAccountsSql: Sql;
  config: Pick<Config, 'BANK_NUMBER' | 'FOUR_EYES_ABOVE'>;
  now: () => Date;
  uploads: {
    /** @throws Refusal `upload_gone` */
    read(owner: Uploader, uploadId: string, purpose: 'statement'): Promise<{ bytes: Buffer }>;
    /** Forgets an upload with its file. */
    revert(owner: Uploader, uploadId: string): Promise<void>;
  };
};

type ImportRequest = Uploader & { uploadId: string };

/**
 * What an import of a statement would do, line by line. Writes nothing.
 *
 * @throws Refusal `upload_gone`, and all that `readStatement` throws.
 */
export async function previewStatement(
  { allAccountsSql, config, now, uploads }: StatementDeps,
  { uploadId, ...owner }: ImportRequest,
): Promise<StatementReport> {
  const { bytes } = await uploads.read(owner, uploadId, 'statement');
  const at = now();
  const statement = await readStatement(bytes, { bank: config.BANK_NUMBER, at });
  const judging = { at, operatorId: owner.userId, limit: config.FOUR_EYES_ABOVE };
  return reportOf(statement, await judge(allAccountsSql, statement, judging));
}

/**
 * Imports a statement: what a line pays is paid in a transaction of its own, what waits for a person is
 * stored some hundred lines at a time. Broken off at any point it is done again, and a line counts once.
 * At the end the file is forgotten: it names everybody who paid.
 *
 * @param asked.sha256 of the file that was looked at.
 * @throws Refusal `upload_gone`, `statement_changed`, and all that `readStatement` throws.
 */
export async function importStatement(
  deps: StatementDeps,
  { uploadId, sha256, ...owner }: ImportRequest & { sha256: string },
): Promise<StatementReport> {
  const { allAccountsSql, config, now, uploads } = deps;
  const { bytes } = await uploads.read(owner, uploadId, 'statement');
  const at = now();
  const operatorId = owner.userId;
  const statement = await readStatement(bytes, { bank: config.BANK_NUMBER, at });
  if (statement.sha256 !== sha256) throw new Refusal('statement_changed', {});
  const judging = { at, operatorId, limit: config.FOUR_EYES_ABOVE };
  const judged = await judge(allAccountsSql, statement, judging);
  const done = await storeAll(allAccountsSql, { statement, judged, at, operatorId });
  const report = reportOf(statement, done);
  await allAccountsSql`
    insert into bank_statements (statement_id, bank, sha256, format, operator_id, at, outcomes)
    values (
      ${newId()}, ${config.BANK_NUMBER}, ${Buffer.from(sha256, 'hex')}, ${statement.format},
      ${owner.userId}, ${at}, ${json(report.counts)}
    )`;
  await uploads.revert(owner, uploadId);
  return report;
}

type Work = { statement: ReadStatement; judged: readonly Judged[]; at: Date; operatorId: string };

/** Stores the lines in the order of the file, and says what became of each. */
async function storeAll(sql: Sql, { statement, judged, at, operatorId }: Work): Promise<Judged[]> {
  const done = [...judged];
  let waiting: { index: number; stored: IdentifiedLine }[] = [];
  const flush = async () => {
    const fresh = await keepAll(
      sql,
      waiting.map(({ stored }) => stored),
      at,
    );
    for (const { index, stored } of waiting) {
      if (!fresh.has(stored.hash)) done[index] = { ...(done[index] as Judged), outcome: 'known' };
    }
    waiting = [];
  };
  for (const [index, one] of judged.entries()) {
    const read = statement.read[index]?.stored;
    if (!read || one.outcome === 'known') continue;
    const stored = { ...read, importedBy: operatorId };
    if (one.outcome === 'near' || one.outcome === 'kept') {
      waiting.push({ index, stored });
      if (waiting.length === LINES_AT_ONCE) await flush();
      continue;
    }
    const outcome = await inLineAccount(sql, stored, (tx) => storeLine(tx, stored, at));
    done[index] = { ...one, outcome: outcome satisfies StatementOutcome };
  }
  await flush();
  return done;
}

/** Stores lines that wait for a person. @returns the hashes of those that were not there before. */
async function keepAll(
  sql: Sql,
  lines: readonly IdentifiedLine[],
  at: Date,
): Promise<ReadonlySet<string>> {
  if (lines.length === 0) return new Set();
  // In one order, so that two imports at once wait for each other instead of being in each other's way.
  const sorted = [...lines].sort((one, other) => (one.hash < other.hash ? -1 : 1));
  const stored = await retrying(
    () => sql<{ hash: string }[]>`
      insert into bank_lines (
        hash, bank, amount, description, reference, at, received_at, imported_by
      )
      select l.hash, l.bank, l.amount, l.description, l.reference, l.at, ${at}, l.imported_by
      from unnest(
        ${sorted.map(({ hash }) => hash)}::text[], ${sorted.map(({ bank }) => bank)}::text[],
        ${sorted.map(({ amount }) => amount)}::bigint[],
        ${sorted.map(({ sender }) => sender)}::text[],
        ${sorted.map(({ reference }) => reference)}::text[],
        ${sorted.map((line) => line.at)}::timestamptz[],
        ${sorted.map(({ importedBy }) => importedBy ?? null)}::uuid[]
      ) as l (hash, bank, amount, description, reference, at, imported_by)
      on conflict do nothing returning hash`,
  );
  return new Set(stored.map(({ hash }) => hash));
}
