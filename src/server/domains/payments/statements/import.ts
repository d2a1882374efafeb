import { Refusal } from '#contract/base/refusals.ts';
import {
  type StatementReport,
  type StatementLine as ReportLine,
  type StatementOutcome,
  STATEMENT_ROWS_SHOWN,
} from '#contract/operator/payments.ts';
import {
  type IdentifiedLine,
  type LineOutcome,
  inAccountOfLine,
  storeLine,
  twinOf,
  NEAR,
  awaitsLine,
  identifiedLine,
  fitsReservation,
} from '#server/domains/payments/bank.ts';
import { type OperatorTies, tiesOf } from '#server/domains/accounts/accounts.ts';
import {
  type Limits,
  givenAlone,
  lockAlone,
  needsTwo,
} from '#server/domains/payments/topups/four-eyes.ts';
import type { DayBalance } from './balances.ts';
import {
  readWhole,
  underLockOfAll,
  withEachAccount,
} from '#server/infra/postgres/distribution/scope.ts';
import type { Config } from '#server/infra/config.ts';
import { newId } from '#server/infra/ids.ts';
import { type Sql, type Tx, retrying } from '#server/infra/postgres/database.ts';
import { json } from '#server/infra/postgres/sql.ts';
import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { publicId } from '#contract/base/ids.ts';
import { civilDate } from '#contract/base/time.ts';
import { statementFormats } from './columns.ts';
import {
  type CreditLine,
  LINES_MAX,
  type NoStatement,
  type Reading,
  type Statement,
  type StatementLine,
  statementSteps,
} from './parse.ts';

export type Uploader = { accountId: string; userId: string };

export type StatementDeps = {
  allAccountsSql: Sql;
  config: Pick<Config, 'BANK_NUMBER' | 'FOUR_EYES_ABOVE' | 'FOUR_EYES_DAY_ABOVE'>;
  now: () => Date;
  uploads: {
    /** @throws Refusal `upload_gone` */
    read(owner: Uploader, uploadId: string, purpose: 'statement'): Promise<{ bytes: Buffer }>;
    revert(owner: Uploader, uploadId: string): Promise<void>;
  };
};

type ImportRequest = Uploader & { uploadId: string };

/** Reports what an import would do. Writes nothing. @throws Refusal `upload_gone`, and those of `readStatement`. */
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
 * Imports a statement: each paying line in its own transaction, lines for an operator in batches of some hundred. Safe
 * to repeat after an interruption; a line counts once. Deletes the file at the end, because it names all payers.
 *
 * @param asked.sha256 of the previewed file.
 * @throws Refusal `upload_gone`, `statement_imported`, `statement_changed`, and all refusals of `readStatement`.
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
  // A concurrent repeat may have deleted it already.
  await uploads.revert(owner, uploadId).catch((error: unknown) => {
    if (!(error instanceof Refusal)) throw error;
  });
  return report;
}

/**
 * Reports an earlier import whose file is deleted, to a caller whose first answer was lost.
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

async function storeAll(sql: Sql, work: Work): Promise<Judged[]> {
  const { statement, judged, at, operatorId, importId } = work;
  const done = [...judged];
  let waiting: { index: number; stored: IdentifiedLine }[] = [];
  const flush = async () => {
    const added = await storeUnmatched(
      sql,
      waiting.map(({ stored }) => stored),
      { at, importId },
    );
    for (const { index, stored } of waiting) {
      if (!added.has(stored.hash)) done[index] = { ...(done[index] as Judged), outcome: 'known' };
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
    // Other gifts of the operator count too; above the limit, the line waits for another operator.
    done[index] = { ...one, outcome: 'near' };
    waiting.push({ index, stored });
  }
  await flush();
  return done;
}

class LimitReached extends Error {}

/**
 * Stores a line and pays with it within the limit of one operator, in one transaction under the operator's lock. The
 * payee is determined only now: other lines of the import may have begun to wait.
 *
 * @returns `limit` when the sum exceeds the limit; then this call stores no line.
 */
async function storeWithin(
  sql: Sql,
  { at, ties, config }: Work,
  stored: IdentifiedLine,
): Promise<LineOutcome | 'limit'> {
  const pay = () =>
    inAccountOfLine(sql, stored, async (tx) => {
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

/** Stores lines that wait for an operator. @returns the hashes of those that were not stored before. */
async function storeUnmatched(
  sql: Sql,
  lines: readonly IdentifiedLine[],
  { at, importId }: { at: Date; importId: string },
): Promise<ReadonlySet<string>> {
  if (lines.length === 0) return new Set();
  // In one order, so that concurrent imports do not deadlock.
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

type ReadLine = { line: StatementLine; stored: IdentifiedLine | undefined };

type ReadStatement = Statement & { sha256: string; read: readonly ReadLine[] };

/**
 * Reads a statement of our account.
 *
 * @throws Refusal `statement_unknown`, `bank_statement_too_long`, `statement_other_account`, `statement_unbalanced`.
 */
async function readStatement(
  bytes: Uint8Array,
  { bank, at }: { bank: string; at: Date },
): Promise<ReadStatement> {
  const statement = await parseInSteps(bytes, { bank, today: civilDate(at) });
  if ('no' in statement) {
    if (statement.no === 'unknown') throw new Refusal('statement_unknown', {});
    if (statement.no === 'unbalanced')
      throw new Refusal('statement_unbalanced', { line: statement.line });
    if (statement.no === 'too long')
      throw new Refusal('bank_statement_too_long', { limit: LINES_MAX });
    throw new Refusal('statement_other_account', { account: statement.account, ours: bank });
  }
  const read: ReadLine[] = [];
  for (const [index, line] of statement.lines.entries()) {
    if (index % LINES_AT_ONCE === LINES_AT_ONCE - 1) await setImmediate();
    read.push({ line, stored: line.kind === 'credit' ? storedOf(bank, line) : undefined });
  }
  return { ...statement, read, sha256: createHash('sha256').update(bytes).digest('hex') };
}

const LINES_AT_ONCE = 500;

/** Parses in steps, because a long file would block the event loop. */
async function parseInSteps(bytes: Uint8Array, reading: Reading): Promise<Statement | NoStatement> {
  const steps = statementSteps(bytes, reading);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await setImmediate();
  }
}

const storedOf = (bank: string, line: CreditLine): IdentifiedLine => {
  const { amount, description, reference, place, at } = line;
  return identifiedLine(bank, { amount, sender: description, reference, place, at });
};

type RelatedTopup = { topupId: string; accountName: string; accountId?: string };

type Judged = {
  line: StatementLine;
  outcome: StatementOutcome;
  topup: RelatedTopup | undefined;
  twinOf?: string;
};

type Judging = {
  at: Date;
  ties: OperatorTies;
  /** Limits of one operator: a file can be forged like a reference. */
  config: Limits;
};

/**
 * The outcome of an import, line by line in the order of the file. Reads only. A payment above the limit of one
 * operator waits for another one, as `near`.
 */
async function judge(
  sql: Sql,
  { read }: ReadStatement,
  { at, ties, config }: Judging,
): Promise<Judged[]> {
  const credits = read.flatMap(({ stored }) => stored ?? []);
  const [known, twins, reserved, near, given] = await Promise.all([
    knownOf(sql, credits),
    twinsOf(sql, credits),
    reservedFor(sql, credits, at),
    openTotals(sql, credits[0]?.bank ?? ''),
    givenAlone(sql, { ties, at }),
  ]);
  const paid = new Set<string>();
  return read.map(({ line, stored }): Judged => {
    if (line.kind !== 'credit' || !stored) {
      return { line, outcome: line.kind === 'credit' ? 'kept' : line.kind, topup: undefined };
    }
    const before = known.get(stored.hash);
    if (before) return { line, outcome: 'known', topup: before.topup };
    known.set(stored.hash, { topup: undefined });
    const promise = reserved.get(stored.hash);
    const topup = promise ?? nearest(near, stored);
    const twinOf = twins.get(stored.hash);
    if (twinOf !== undefined) return { line, outcome: 'twin', topup, twinOf };
    if (!promise || promise.status === 'rejected') {
      return { line, outcome: topup ? 'near' : 'kept', topup };
    }
    const isSecond = paid.has(promise.topupId) || (promise.status === 'paid' && !promise.awaits);
    if (!isSecond && promise.status !== 'paid') {
      const { accountId } = promise;
      const { amount } = stored;
      if (needsTwo(config, { accountId, amount }, given)) return { line, outcome: 'near', topup };
      given.byAccount.set(accountId, amount + (given.byAccount.get(accountId) ?? 0));
      given.total += amount;
    }
    paid.add(promise.topupId);
    if (isSecond) return { line, outcome: 'second', topup };
    return { line, outcome: promise.status === 'paid' ? 'joins' : 'pays', topup };
  });
}

const slices = <T>(all: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(all.length / LINES_AT_ONCE) }, (_, at) =>
    all.slice(at * LINES_AT_ONCE, (at + 1) * LINES_AT_ONCE),
  );

async function knownOf(
  sql: Sql,
  lines: readonly IdentifiedLine[],
): Promise<Map<string, { topup: RelatedTopup | undefined }>> {
  const known = new Map<string, { topup: RelatedTopup | undefined }>();
  for (const slice of slices(lines)) {
    const rows = await sql<{ hash: string; topup_id: string | null; name: string | null }[]>`
      select l.hash, l.topup_id, a.name from bank_lines l
      left join accounts a on a.account_id = l.account_id
      where l.hash = any(${slice.map(({ hash }) => hash)}::text[])`;
    for (const { hash, topup_id, name } of rows) {
      const topup = topup_id === null ? undefined : { topupId: topup_id, accountName: name ?? '' };
      known.set(hash, { topup });
    }
  }
  return known;
}

/** Known lines with the same day and amount, by the hashes of both: the same money, or a second payment. */
async function twinsOf(
  sql: Sql,
  lines: readonly IdentifiedLine[],
): Promise<ReadonlyMap<string, string>> {
  const twins = new Map<string, string>();
  for (const slice of slices(lines)) {
    const rows = await sql<{ hash: string; twin: string }[]>`
      select hash, twin from (
        select l.hash, ${twinOf(sql, newId())} as twin
        from unnest(
          ${slice.map(({ hash }) => hash)}::text[], ${slice.map(({ bank }) => bank)}::text[],
          ${slice.map(({ amount }) => amount)}::bigint[],
          ${slice.map((line) => line.at)}::timestamptz[]
        ) as l (hash, bank, amount, at)
      ) judged where twin is not null`;
    for (const { hash, twin } of rows) twins.set(hash, twin);
  }
  return twins;
}

type ReservedTopup = RelatedTopup & {
  accountId: string;
  status: string;
  awaits: boolean;
};

/** The top-ups that lines would pay automatically, by the rule of `storeLine`. */
async function reservedFor(
  sql: Sql,
  lines: readonly IdentifiedLine[],
  at: Date,
): Promise<Map<string, ReservedTopup>> {
  const promised = new Map<string, ReservedTopup>();
  for (const slice of slices(lines)) {
    const bank = slice[0]?.bank ?? '';
    const held = await sql<{ accountId: string; amount: number }[]>`
      select account_id as "accountId", amount from reserved_transfers
      where bank = ${bank} and amount = any(${slice.map(({ amount }) => amount)}::bigint[])`;
    const holders = new Map(held.map(({ accountId, amount }) => [amount, accountId]));
    const theirs = slice.flatMap((line) => {
      const accountId = holders.get(line.amount);
      return accountId === undefined ? [] : [{ ...line, accountId }];
    });
    const rows = await withEachAccount(theirs, (some) => reservationOf(sql, { bank, at }, some));
    for (const { hash, ...rest } of rows) promised.set(hash, rest);
  }
  return promised;
}

type Held = Omit<ReservedTopup, 'awaits'> & { hash: string; amount: number };

async function reservationOf(
  sql: Sql,
  { bank, at }: { bank: string; at: Date },
  lines: readonly IdentifiedLine[],
): Promise<(ReservedTopup & { hash: string })[]> {
  const held = await sql<Held[]>`
    select l.hash, l.amount, topups.topup_id as "topupId", a.account_id as "accountId",
      a.name as "accountName", topups.status
    from unnest(
      ${lines.map(({ hash }) => hash)}::text[], ${lines.map(({ amount }) => amount)}::bigint[],
      ${lines.map((line) => line.at)}::timestamptz[]
    ) as l (hash, amount, at)
    join reserved_transfers r on r.bank = ${bank} and r.amount = l.amount
    join topups using (account_id, topup_id)
    join accounts a on a.account_id = topups.account_id
    where topups.created_at <= ${at}
      and ${fitsReservation(sql, sql`(l.at at time zone 'Asia/Jakarta')::date`)}`;
  const awaiting = await sql<{ topup_id: string; amount: number }[]>`
    select p.topup_id, p.amount from provider_payments p
    where p.provider = 'bank' and p.account_id = any(${held.map((one) => one.accountId)}::uuid[])
      and p.topup_id = any(${held.map((one) => one.topupId)}::uuid[]) and ${awaitsLine(sql)}`;
  return held.map(({ amount, ...one }) => ({
    ...one,
    awaits: awaiting.some((paid) => paid.topup_id === one.topupId && paid.amount === amount),
  }));
}

type OpenTotal = RelatedTopup & { total: number; since: Date };

const OPEN_MAX = 5_000;

async function openTotals(sql: Sql, bank: string): Promise<readonly OpenTotal[]> {
  return sql<OpenTotal[]>`
    select t.topup_id as "topupId", a.name as "accountName", t.total,
      t.created_at - interval '1 day' as since
    from topups t join accounts a using (account_id)
    where t.status in ('pending', 'review') and t.bank_number = ${bank}
    order by t.total limit ${OPEN_MAX}`;
}

/** The open top-up nearest to a line, by the rule of the candidates offered to operators. */
function nearest(
  open: readonly OpenTotal[],
  { amount, at }: IdentifiedLine,
): RelatedTopup | undefined {
  let [low, high] = [0, open.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((open[middle]?.total ?? 0) < amount) low = middle + 1;
    else high = middle;
  }
  const off = (one: OpenTotal) => Math.abs(one.total - amount);
  const [best] = open
    .slice(Math.max(0, low - 1), low + 1)
    .filter((one) => off(one) <= NEAR && at >= one.since)
    .sort((one, other) => off(one) - off(other));
  return best;
}

const order: readonly StatementOutcome[] = [
  'pays',
  'joins',
  'second',
  'twin',
  'unreadable',
  'near',
  'kept',
  'known',
  'pending',
  'debit',
];

function reportOf(statement: ReadStatement, judged: readonly Judged[]): StatementReport {
  const counts = Object.fromEntries(order.map((outcome) => [outcome, 0])) as Record<
    StatementOutcome,
    number
  >;
  let pays = 0;
  for (const { line, outcome } of judged) {
    counts[outcome] += 1;
    if (outcome === 'pays' && line.kind === 'credit') pays += line.amount;
  }
  const shown = order
    .flatMap((outcome) => judged.filter((one) => one.outcome === outcome))
    .slice(0, STATEMENT_ROWS_SHOWN)
    .sort((one, other) => one.line.number - other.line.number);
  return {
    sha256: statement.sha256,
    format: statementFormats[statement.format],
    account: statement.account ?? null,
    period: statement.period ?? null,
    counts,
    pays,
    lines: shown.map(reportLine),
    left_out: judged.length - shown.length,
  };
}

const reportLine = ({ line, outcome, topup }: Judged): ReportLine => ({
  number: line.number,
  outcome,
  day: line.kind === 'unreadable' ? null : (line.day ?? null),
  amount: 'amount' in line ? line.amount : null,
  description: line.description,
  topup: topup ? { id: publicId('topup', topup.topupId), account_name: topup.accountName } : null,
  reason: line.kind === 'unreadable' ? line.reason : null,
});
