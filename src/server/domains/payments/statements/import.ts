import { Refusal } from '#contract/base/refusals.ts';
import type { StatementReport } from '#contract/operator/money/statements.ts';
import {
  type IdentifiedLine,
  type LineOutcome,
  inLineAccount,
  storeLine,
  twinOf,
} from '#server/domains/payments/bank.ts';
import { type OperatorTies, tiesOf } from '#server/domains/accounts/accounts.ts';
import {
  type Limits,
  givenAlone,
  lockAlone,
  needsTwo,
} from '#server/domains/payments/topups/four-eyes.ts';
import type { DayBalance } from './balances.ts';
import { readWhole, underLockOfAll } from '#server/infra/postgres/distribution/scope.ts';
import type { Config } from '#server/infra/config.ts';
import { newId } from '#server/infra/ids.ts';
import { type Sql, type Tx, retrying } from '#server/infra/postgres/database.ts';
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
  config: Pick<Config, 'BANK_NUMBER' | 'FOUR_EYES_ABOVE' | 'FOUR_EYES_DAY_ABOVE'>;
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
  const judging = { at, ties: await tiesOf(allAccountsSql, owner.userId), config };
  return reportOf(statement, await judge(allAccountsSql, statement, judging));
}

/**
 * Imports a statement: what a line pays is paid in a transaction of its own, what waits for a person is
 * stored some hundred lines at a time. Broken off at any point it is done again, and a line counts once.
 * At the end the file is forgotten: it names everybody who paid.
 *
 * @param asked.sha256 of the file that was looked at.
 * @throws Refusal `upload_gone`, `statement_imported`, `statement_changed`, and all that `readStatement` throws.
 */
export async function importStatement(
  deps: StatementDeps,
  { uploadId, sha256, ...owner }: ImportRequest & { sha256: string },
): Promise<StatementReport> {
  const { allAccountsSql, config, now, uploads } = deps;
  const { bytes } = await uploads
    .read(owner, uploadId, 'statement')
    .catch((error: unknown) => refuseImported(deps, { sha256, operatorId: owner.userId, error }));
  const at = now();
  const operatorId = owner.userId;
  const statement = await readStatement(bytes, { bank: config.BANK_NUMBER, at });
  if (statement.sha256 !== sha256) throw new Refusal('statement_changed', {});
  const judging = { at, ties: await tiesOf(allAccountsSql, operatorId), config };
  const judged = await judge(allAccountsSql, statement, judging);
  const importId = newId();
  const work = { ...judging, statement, judged, operatorId, importId };
  const done = await storeAll(allAccountsSql, work);
  const report = reportOf(statement, done);
  await allAccountsSql.begin(async (tx) => {
    await tx`
      insert into bank_statements (statement_id, bank, sha256, format, operator_id, at, outcomes)
      values (
        ${importId}, ${config.BANK_NUMBER}, ${Buffer.from(sha256, 'hex')}, ${statement.format},
        ${owner.userId}, ${at}, ${json(report.counts)}
      )`;
    await storeBalances(tx, {
      statementId: importId,
      bank: config.BANK_NUMBER,
      days: statement.days,
    });
  });
  // A repeat at the same time may have forgotten it already.
  await uploads.revert(owner, uploadId).catch((error: unknown) => {
    if (!(error instanceof Refusal)) throw error;
  });
  return report;
}

/**
 * The file of an import is forgotten: a repeat whose first answer was lost finds what that one did.
 *
 * @throws Refusal `statement_imported`, or the error itself.
 */
async function refuseImported(
  { allAccountsSql, config }: StatementDeps,
  { sha256, operatorId, error }: { sha256: string; operatorId: string; error: unknown },
): Promise<never> {
  const found = await allAccountsSql`
    select from bank_statements
    where bank = ${config.BANK_NUMBER} and sha256 = ${Buffer.from(sha256, 'hex')}
      and operator_id = ${operatorId}`;
  throw found.length > 0 ? new Refusal('statement_imported', {}) : error;
}

type Balances = { statementId: string; bank: string; days: readonly DayBalance[] };

/** Keeps what a statement says of its days, for the reconciliation. */
async function storeBalances(tx: Tx, { statementId, bank, days }: Balances): Promise<void> {
  await tx`
    insert into bank_balances (statement_id, bank, day, opening_sen, closing_sen, credits, is_last)
    select ${statementId}, ${bank}, d.day, d.opening, d.closing, d.credits, d.is_last
    from unnest(
      ${days.map(({ day }) => day)}::date[],
      ${days.map(({ opening }) => opening?.toString() ?? null)}::bigint[],
      ${days.map(({ closing }) => closing?.toString() ?? null)}::bigint[],
      ${days.map(({ credits }) => credits)}::bigint[],
      ${days.map(({ isLast }) => isLast)}::boolean[]
    ) as d (day, opening, closing, credits, is_last)`;
}

type Work = {
  statement: ReadStatement;
  judged: readonly Judged[];
  at: Date;
  operatorId: string;
  importId: string;
  ties: OperatorTies;
  config: Limits;
};

/** Stores the lines in the order of the file, and says what became of each. */
async function storeAll(sql: Sql, work: Work): Promise<Judged[]> {
  const { statement, judged, at, operatorId, importId } = work;
  const done = [...judged];
  let waiting: { index: number; stored: IdentifiedLine }[] = [];
  const flush = async () => {
    const fresh = await keepAll(
      sql,
      waiting.map(({ stored }) => stored),
      { at, importId },
    );
    for (const { index, stored } of waiting) {
      if (!fresh.has(stored.hash)) done[index] = { ...(done[index] as Judged), outcome: 'known' };
    }
    waiting = [];
  };
  for (const [index, one] of judged.entries()) {
    const read = statement.read[index]?.stored;
    if (!read || one.outcome === 'known') continue;
    const stored = { ...read, importedBy: operatorId, importId };
    if (one.outcome === 'near' || one.outcome === 'kept' || one.outcome === 'twin') {
      waiting.push({ index, stored });
      if (waiting.length === LINES_AT_ONCE) await flush();
      continue;
    }
    const outcome = await storeWithin(sql, work, stored);
    if (outcome !== 'limit') {
      done[index] = { ...one, outcome };
      continue;
    }
    // Gifts of the same operator in the meantime count; above the limit the import waits for another operator.
    done[index] = { ...one, outcome: 'near' };
    waiting.push({ index, stored });
  }
  await flush();
  return done;
}

/** Thrown to undo a payment by a line that exceeds the limit of one operator. */
class LimitReached extends Error {}

/**
 * Stores a line and pays with it what one operator may give alone, in one transaction under the lock of what they give.
 * Its payee is known only now: other lines of the import may have begun to wait.
 *
 * @returns `limit` when the sum exceeds the limit; then the import stores no line.
 */
async function storeWithin(
  sql: Sql,
  { at, ties, config }: Work,
  stored: IdentifiedLine,
): Promise<LineOutcome | 'limit'> {
  const pay = () =>
    inLineAccount(sql, stored, async (tx) => {
      await lockAlone(tx, ties);
      const given = await readWhole({ sql, tx }, (from) => givenAlone(from, { ties, at }));
      const outcome = await storeLine(tx, stored, at);
      if (outcome !== 'pays') return outcome;
      const [paid] = await tx<{ accountId: string }[]>`
        select account_id as "accountId" from bank_lines where hash = ${stored.hash}`;
      const credit = { accountId: paid?.accountId ?? '', amount: stored.amount };
      if (needsTwo(config, credit, given)) throw new LimitReached();
      return outcome;
    });
  try {
    return await underLockOfAll(sql, (tx) => lockAlone(tx, ties), pay);
  } catch (error) {
    if (error instanceof LimitReached) return 'limit';
    throw error;
  }
}

/** Stores lines that wait for a person. @returns the hashes of those that were not there before. */
async function keepAll(
  sql: Sql,
  lines: readonly IdentifiedLine[],
  { at, importId }: { at: Date; importId: string },
): Promise<ReadonlySet<string>> {
  if (lines.length === 0) return new Set();
  // In one order, so that two imports at once wait for each other instead of being in each other's way.
  const sorted = [...lines].sort((one, other) => (one.hash < other.hash ? -1 : 1));
  const stored = await retrying(
    () => sql<{ hash: string }[]>`
      insert into bank_lines (
        hash, bank, amount, description, reference, at, received_at, imported_by, import_id,
        twin_of
      )
      select l.hash, l.bank, l.amount, l.description, l.reference, l.at, ${at}, l.imported_by,
        ${importId}, ${twinOf(sql, importId)}
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
