import { publicId } from '#contract/base/ids.ts';
import { wibMidnight } from '#contract/base/time.ts';
import { AUDIT_COUNT_MAX, type AuditOutcome } from '#contract/operator/audit.ts';
import type { Fragment, Sql, Tx } from '#server/infra/postgres/database.ts';

/** Which lines; days are those of WIB, both included. */
export type AuditFilter = {
  from?: string | undefined;
  to?: string | undefined;
  act_name?: string | undefined;
  user_id?: string | undefined;
  account_id?: string | undefined;
  outcome?: AuditOutcome | undefined;
};

/** A line as it is stored. */
export type StoredLine = {
  account_id: string;
  audit_id: string;
  seq: number;
  hash: string;
  at: Date;
  actor: string;
  act: string;
  outcome: string;
  ip: string;
  request: string;
  facts: Record<string, string>;
  erased: boolean;
};

const DAY_MS = 86_400_000;

type Place = { limit: number; skip?: number; before?: string };

/**
 * So many lines of a filter, the newest first, after some or before one. A range of time is a range of ids,
 * so every part is read along an index.
 */
export const auditLines = (
  sql: Sql,
  filter: AuditFilter,
  place: Place,
): Promise<readonly StoredLine[]> => planned(sql, (tx) => linesIn(tx, filter, place));

/** A page of the lines, and how many there are: at most `AUDIT_COUNT_MAX`, beyond which nobody counts. */
export const auditPage = (
  sql: Sql,
  filter: AuditFilter,
  place: Place,
): Promise<{ lines: readonly StoredLine[]; total: number }> =>
  planned(sql, async (tx) => {
    const [lines, total] = await Promise.all([linesIn(tx, filter, place), countIn(tx, filter)]);
    return { lines, total };
  });

/** Each filter is planned for its own values: a person has a hundred lines, an act a hundred thousand. */
const planned = <T>(sql: Sql, work: (tx: Tx) => Promise<T>): Promise<T> =>
  sql.begin(async (tx) => {
    await tx`select set_config('plan_cache_mode', 'force_custom_plan', true)`;
    return work(tx);
  });

async function linesIn(
  tx: Tx,
  filter: AuditFilter,
  { limit, skip = 0, before }: Place,
): Promise<readonly StoredLine[]> {
  const until = before === undefined ? tx`true` : tx`audit_id < ${before}`;
  const parts = partsOf(
    tx,
    filter,
    (where) => tx`(select * from audit_log where ${where} and ${until}
      order by audit_id desc limit ${skip + limit})`,
  );
  return tx<StoredLine[]>`
    select account_id, audit_id, seq, encode(hash, 'hex') as hash, at, actor, act, outcome, ip, request,
      facts, salt is null as erased
    from (${parts}) lines order by audit_id desc limit ${limit} offset ${skip}`;
}

async function countIn(tx: Tx, filter: AuditFilter): Promise<number> {
  const parts = partsOf(
    tx,
    filter,
    (where) => tx`(select audit_id from audit_log where ${where}
      order by audit_id desc limit ${AUDIT_COUNT_MAX})`,
  );
  const [counted] = await tx<{ n: number }[]>`
    select count(*)::int as n from (select 1 from (${parts}) lines limit ${AUDIT_COUNT_MAX}) counted`;
  return counted?.n ?? 0;
}

/** The filter's lines; of a customer also what operators did for them, which another chain has. */
function partsOf(
  sql: Tx,
  { account_id: accountId, ...filter }: AuditFilter,
  select: (where: Fragment) => Fragment,
): Fragment {
  const where = conditionsOf(sql, filter);
  if (accountId === undefined) return select(where);
  const named = publicId('account', accountId);
  return sql`
    ${select(sql`account_id = ${accountId} and ${where}`)}
    union all
    ${select(sql`about = ${named} and account_id <> ${accountId} and ${where}`)}`;
}

function conditionsOf(
  sql: Tx,
  { from, to, act_name: act, user_id, outcome }: Omit<AuditFilter, 'account_id'>,
): Fragment {
  const since = from === undefined ? undefined : wibMidnight(from);
  const end = to === undefined ? undefined : new Date(wibMidnight(to).getTime() + DAY_MS);
  return sql`
    ${since ? sql`audit_id >= uuid_floor(${since})` : sql`true`}
    and ${end ? sql`audit_id < uuid_floor(${end})` : sql`true`}
    and ${act === undefined ? sql`true` : sql`act = ${act}`}
    and ${user_id === undefined ? sql`true` : sql`actor = ${user_id}`}
    and ${outcome === undefined ? sql`true` : outcome === 'ok' ? sql`outcome = 'ok'` : sql`outcome <> 'ok'`}`;
}
