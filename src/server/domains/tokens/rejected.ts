import type { Refusal } from '#contract/base/refusals.ts';
import {
  type RejectedFacts,
  type RejectedCall,
  REJECTED_DAYS,
  listRejectedCalls,
} from '#contract/token-access.ts';
import { PAGE_SIZE, type InputOf, type PageOf } from '#contract/base/act.ts';
import { publicId } from '#contract/base/ids.ts';
import { handle } from '#server/infra/acts.ts';
import { type Sql, asAccount } from '#server/infra/postgres/database.ts';
import { identifier, json } from '#server/infra/postgres/sql.ts';
import { requireToken } from '#server/domains/tokens/row.ts';
import { createHash } from 'node:crypto';
import { withEachAccount } from '#server/infra/postgres/distribution/scope.ts';

const FIELDS_MAX = 5;
const PATH_MAX = 80;

/** Field names of the API; other text may contain data of the caller. */
const isFieldName = (name: string): boolean =>
  /^[A-Za-z][A-Za-z0-9_.-]{0,39}$/.test(name) && !/\d{5}/.test(name);

/** The facts of a refusal to store: numbers, and texts of ours. */
export function storedFacts({ facts }: Pick<Refusal, 'facts'>): RejectedFacts {
  const given = facts as Readonly<Record<string, unknown>>;
  const text = (name: string) => {
    const value = given[name];
    return typeof value === 'string' && value.length <= PATH_MAX ? { [name]: value } : {};
  };
  const figure = (name: string) => (typeof given[name] === 'number' ? { [name]: given[name] } : {});
  const { fields } = given;
  const names =
    typeof fields === 'object' && fields !== null
      ? Object.keys(fields)
          .slice(0, FIELDS_MAX)
          .map((name) => (isFieldName(name) ? name : '…'))
      : [];
  return {
    ...(names.length > 0 && { fields: [...new Set(names)] }),
    ...text('scope'),
    ...text('day'),
    ...text('allow'),
    ...text('what'),
    ...text('status'),
    ...figure('limit'),
    ...figure('seconds'),
    ...figure('required'),
    ...figure('available'),
  };
}

/** The path to store for a call to no known endpoint: its words, without possible ids, numbers or keys. */
export function storedPath(url: string): string {
  const [path = ''] = url.split('?', 1);
  const words = path
    .split('/')
    .map((word) =>
      word === '' || /^(?:v\d{1,2}(?:\.\d)?|[A-Za-z][A-Za-z_.-]{0,23})$/.test(word) ? word : '…',
    );
  return words.join('/').slice(0, PATH_MAX);
}

export const listRejectedCallsHandler = ({ sql }: { sql: Sql }) =>
  handle(listRejectedCalls, ({ caller }, input) => rejectedCallsOf(sql, caller.accountId, input));

type CallRow = Omit<RejectedCall, 'token'> & { token_id: string; name: string };

function rejectedCallsOf(
  sql: Sql,
  accountId: string,
  { page = 0, sort_by = 'last_at', sort_type, token_id, code }: InputOf<typeof listRejectedCalls>,
): Promise<PageOf<RejectedCall>> {
  return asAccount(sql, accountId, async (tx) => {
    if (token_id !== undefined) await requireToken(tx, accountId, token_id, { alsoDeleted: true });
    const direction = sort_type === 'asc' ? tx`asc` : tx`desc`;
    const found = tx`
      r.account_id = ${accountId}
      and r.last_at > clock_timestamp() - make_interval(days => ${REJECTED_DAYS})
      and (${token_id ?? null}::uuid is null or r.token_id = ${token_id ?? null})
      and (${code ?? null}::text is null or r.code = ${code ?? null})`;
    const [rows, [count]] = await Promise.all([
      tx<CallRow[]>`
        select encode(r.fingerprint, 'hex') || extract(epoch from r.hour)::bigint as id, r.token_id,
          t.name, r.dialect, r.method, r.path, r.code, r.status, r.address, r.facts, r.calls,
          r.first_at, r.last_at
        from rejected_calls r join tokens t using (account_id, token_id)
        where ${found}
        order by ${identifier(`r.${sort_by}`)} ${direction}, r.last_at desc, r.fingerprint
        limit ${PAGE_SIZE} offset ${page * PAGE_SIZE}`,
      tx<{ total: number }[]>`select count(*) as total from rejected_calls r where ${found}`,
    ]);
    return {
      rows: rows.map(({ token_id: id, name, ...row }) => ({
        ...row,
        token: { id: publicId('token', id), name },
      })),
      total: count?.total ?? 0,
    };
  });
}

const ROWS_AT_ONCE = 5_000;

/** Deletes expired rejected calls; run by the clean-up job. */
export async function pruneRejectedCalls(allAccountsSql: Sql): Promise<void> {
  let erased = ROWS_AT_ONCE;
  while (erased === ROWS_AT_ONCE) {
    const { count } = await allAccountsSql`
      delete from rejected_calls where ctid = any(array(
        select ctid from rejected_calls
        where last_at < clock_timestamp() - make_interval(days => ${REJECTED_DAYS})
        limit ${ROWS_AT_ONCE}))`;
    erased = count;
  }
}

export type Rejection = {
  accountId: string;
  tokenId: string;
  dialect: string;
  method: string;
  path: string;
  code: string;
  status: number;
  address: string;
  facts: RejectedFacts;
};

export type RejectionRecorder = {
  /** Runs in the background, so that no refusal waits for it. */
  record(rejection: Rejection): void;
  close(): Promise<void>;
};

type Pending = Rejection & { calls: number };

/** New kinds of rejected calls per token and minute; more of the same kind are only counted. */
const KINDS_PER_MINUTE = 20;
const ROWS_MAX = 1_000;
const PENDING_MAX = 2_000;
const WRITE_DELAY_MS = 1_000;
const MINUTE_MS = 60_000;

type Options = {
  allAccountsSql: Sql;
  report: (error: unknown) => void;
  /** A monotonic clock, in milliseconds. */
  clockMs?: () => number;
};

/**
 * Groups equal refused calls and writes them a second later. Bounded in every direction: kinds per token and minute,
 * pending kinds, rows per account.
 */
export function openRejectionRecorder({
  allAccountsSql,
  report,
  clockMs = () => performance.now(),
}: Options): RejectionRecorder {
  let pending = new Map<string, Pending>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();
  const isNew = openMinuteLimit(clockMs);

  const write = () => {
    timer = undefined;
    const batch = [...pending.entries()].sort(([a], [b]) => (a < b ? -1 : 1));
    pending = new Map();
    if (batch.length > 0) {
      writing = writing.then(() => writeRejections(allAccountsSql, batch).catch(report));
    }
  };

  return {
    record(rejection) {
      const kind = kindOf(rejection);
      const known = pending.get(kind);
      if (known) {
        known.calls += 1;
        known.facts = rejection.facts;
      } else {
        if (pending.size >= PENDING_MAX || !isNew(rejection.tokenId, kind)) return;
        pending.set(kind, { ...rejection, calls: 1 });
      }
      timer ??= setTimeout(write, WRITE_DELAY_MS).unref();
    },
    async close() {
      clearTimeout(timer);
      write();
      await writing;
    },
  };
}

function openMinuteLimit(clockMs: () => number): (tokenId: string, kind: string) => boolean {
  let minute = -1;
  let kinds = new Map<string, Set<string>>();
  return (tokenId, kind) => {
    const now = Math.floor(clockMs() / MINUTE_MS);
    if (now !== minute) [minute, kinds] = [now, new Map()];
    let of = kinds.get(tokenId);
    if (!of) kinds.set(tokenId, (of = new Set()));
    if (of.has(kind)) return true;
    if (of.size >= KINDS_PER_MINUTE) return false;
    of.add(kind);
    return true;
  };
}

const kindOf = (one: Rejection): string =>
  [
    one.accountId,
    one.tokenId,
    one.dialect,
    one.method,
    one.path,
    one.code,
    one.address,
    one.facts.scope ?? '',
    ...(one.facts.fields ?? []),
  ].join('\n');

const fingerprintOf = (kind: string): Buffer =>
  createHash('sha256').update(kind).digest().subarray(0, 16);

/** Adds the calls to the rows of the hour, for existing tokens; keeps the newest rows of an account. */
async function writeRejections(
  allAccountsSql: Sql,
  batch: readonly (readonly [string, Pending])[],
): Promise<void> {
  const rows = batch.map(([kind, one]) => ({
    ...one,
    fingerprint: fingerprintOf(kind).toString('hex'),
  }));
  await withEachAccount(rows, (some) => addRows(allAccountsSql, some));
}

type NewRow = Pending & { fingerprint: string };

async function addRows(allAccountsSql: Sql, rows: readonly NewRow[]): Promise<void> {
  await allAccountsSql`
    insert into rejected_calls as r (
      account_id, token_id, hour, fingerprint, dialect, method, path, code, status, address, facts, calls,
      first_at, last_at
    )
    select t.account_id, t.token_id, date_trunc('hour', clock_timestamp()), decode(n.fingerprint, 'hex'),
      n.dialect, n.method, n.path, n.code, n.status, n.address, n.facts, n.calls,
      clock_timestamp(), clock_timestamp()
    from jsonb_to_recordset(${json(rows)}::jsonb) as n(
      "accountId" uuid, "tokenId" uuid, fingerprint text, dialect text, method text, path text, code text,
      status int, address text, facts jsonb, calls int
    )
    join tokens t on t.account_id = n."accountId" and t.token_id = n."tokenId"
    order by t.account_id, t.token_id, n.fingerprint
    on conflict (account_id, token_id, hour, fingerprint) do update
    set calls = r.calls + excluded.calls, facts = excluded.facts, status = excluded.status,
      last_at = excluded.last_at`;
  const accounts = [...new Set(rows.map(({ accountId }) => accountId))];
  await allAccountsSql`
    delete from rejected_calls r using (
      select o.* from unnest(${accounts}::uuid[]) as a(account_id) cross join lateral (
        select account_id, token_id, hour, fingerprint from rejected_calls
        where account_id = a.account_id
        order by last_at desc offset ${ROWS_MAX}
      ) o
    ) old
    where r.account_id = old.account_id and r.token_id = old.token_id and r.hour = old.hour
      and r.fingerprint = old.fingerprint`;
}
