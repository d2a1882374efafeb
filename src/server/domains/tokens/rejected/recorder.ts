import { createHash } from 'node:crypto';
import type { RejectedFacts } from '#contract/tokens/rejected.ts';
import { withEachAccount } from '#server/infra/postgres/distribution/scope.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { json } from '#server/infra/postgres/sql.ts';

/** One call that was refused; its token is known. */
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
  /** Keeps a rejected call for its owner: in the background, so that no refusal waits for it. */
  record(rejection: Rejection): void;
  /** Writes what was recorded and stops. */
  close(): Promise<void>;
};

type Pending = Rejection & { calls: number };

/** Kinds of rejected calls that one token may add in a minute; more of the same kind are only counted. */
const KINDS_PER_MINUTE = 20;
/** Rows that an account has, the newest. */
const ROWS_MAX = 1_000;
/** Kinds that wait to be written, of all tokens together. */
const PENDING_MAX = 2_000;
const WRITE_DELAY_MS = 1_000;
const MINUTE_MS = 60_000;

type Options = {
  allAccountsSql: Sql;
  /** Receives errors of writing; nothing is lost but these rows. */
  report: (error: unknown) => void;
  /** Milliseconds that only grow. */
  clockMs?: () => number;
};

/**
 * Collects calls that were refused, those alike together, and writes them a second later. Bounded in every
 * direction: kinds per token and minute, kinds that wait, rows per account.
 */
export function openRejectionRecorder({
  allAccountsSql,
  report,
  clockMs = () => performance.now(),
}: Options): RejectionRecorder {
  let pending = new Map<string, Pending>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();
  const isNew = openMinute(clockMs);

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

/** Whether a token may still bring a kind in the present minute: one of this minute, or one more. */
function openMinute(clockMs: () => number): (tokenId: string, kind: string) => boolean {
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

/** What makes calls alike, of one token. */
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

/** Adds them to what the hour has, for tokens that still are; of an account the newest stay. */
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
