import {
  PASSWORD_SECONDS,
  type Act,
  type Caller,
  type InputOf,
  type OperatorRole,
  type OutputOf,
  type PageOf,
  type LimitClass,
  type RecentPassword,
} from '#contract/base/act.ts';
import type { Role } from '#contract/accounts.ts';
import { setTimeout as pause } from 'node:timers/promises';
import { Refusal } from '#contract/base/refusals.ts';
import { untilNone } from '#server/infra/account-data.ts';
import { type Sql, retrying, type Tx } from '#server/infra/postgres/database.ts';
import { type SealedColumn, type Secrets, hmac } from '#server/infra/security/secrets.ts';
import { json } from '#server/infra/postgres/sql.ts';
import { newId } from '#server/infra/ids.ts';

export type Person = {
  kind: 'person';
  accountId: string;
  userId: string;
  sessionId: string;
  role: Role;
  /** Empty for customers. */
  operatorRoles: readonly OperatorRole[];
  /** Set if the session has given a second factor, at its start or later. */
  secondFactor?: true;
  /** The account is suspended; only acts with `whileSuspended` may be called. */
  isSuspended?: boolean;
};
export type Nobody = { kind: 'nobody' };

export type Reauth = {
  inOwnBrowser: boolean;
  /** Seconds since the user signed in or entered the password in this browser; infinite if never. */
  secondsAgo: number;
};

/** True if the password was given lately enough for an act of this kind. */
export const isRecent = ({ secondsAgo }: Reauth, kind: RecentPassword): boolean =>
  secondsAgo < PASSWORD_SECONDS[kind];

type CallerOf<By extends Caller> = By extends 'public' ? Person | Nobody : Person;

export type Call<By extends Caller = Caller> = {
  caller: CallerOf<By>;
  /** The browser's idempotency key for a mutation; a new UUID if none was sent. */
  key: string;
  /** The caller's address as reported by the trusted proxies. */
  ip: string;
  agent: string;
  /** Identifies the browser by its cookie; '' for portals on another origin. */
  device: string;
  requestId: string;
};

export type FrameSink = {
  /** Buffers may be shared with other sinks. @returns false if the sink is full until `resume`. */
  write(frames: Buffer): boolean;
  /** Called when no more frames come, but not after `cancel`. */
  end(): void;
};

export type Subscription = {
  resume(): void;
  cancel(): void;
};

/** The result of a streaming act: writes frames to the sink until cancelled. */
export type FrameSource = (sink: FrameSink) => Subscription;

/** The result of an act: a page of rows for a list. */
export type ResultOf<A extends Act> = A['list'] extends undefined
  ? OutputOf<A>
  : PageOf<OutputOf<A>>;

export type ActHandler = {
  act: Act;
  handle: (call: Call, input: never) => Promise<unknown> | FrameSource;
};

export function handle<A extends Act>(
  act: A,
  handle: (call: Call<A['by']>, input: InputOf<A>) => Promise<ResultOf<A>>,
): ActHandler {
  return { act, handle };
}

export function handleStream<A extends Act>(
  act: A,
  handle: (call: Call<A['by']>, input: InputOf<A>) => FrameSource,
): ActHandler {
  return { act, handle };
}

/** An idempotent mutation: the same person and key mean the same call. */
export type KeyedCall = {
  person: string;
  key: string;
  act: string;
  /** The canonical input: equal requests have equal text. */
  input: string;
};

/** `keep` is false if a repeat with the same key must run again. */
export type Outcome = { status: number; body: string; keep: boolean };

export type IdempotencyStore = {
  /**
   * Runs `work` for the first call with its key; a repeat gets the first answer.
   *
   * @throws Refusal `idempotency_conflict` if the key was used for another request, and `request_in_flight` if the
   *   first call is still running after 5 seconds.
   */
  once(call: KeyedCall, work: () => Promise<Outcome>): Promise<Outcome>;
};

const WAIT_MS = 5_000;
/** A call without an answer after this long died with its process; longer than any act may take. */
const ABANDONED_SECONDS = 30;
const RETRY_SECONDS = 2;

const contextOf = ({ person, key }: Pick<KeyedCall, 'person' | 'key'>): string =>
  `idempotent_responses ${person} ${key}`;

export const sealedAnswers: SealedColumn = {
  table: 'idempotent_responses',
  column: 'sealed',
  key: ['person', 'key'],
  context: ({ person = '', key = '' }) => contextOf({ person, key }),
};

/**
 * Encrypts answers, because some hold a session token; keeps them for 24 hours. A call whose process died may run
 * again after 30 seconds; its act detects committed work by the same key. Fails closed without the database.
 */
export function openIdempotencyStore(
  allAccountsSql: Sql,
  secrets: Secrets,
  report: (trouble: unknown) => void,
): IdempotencyStore {
  const claim = async (call: KeyedCall, hash: Buffer): Promise<boolean> => {
    const claimed = await allAccountsSql`
      insert into idempotent_responses as kept (person, key, act, input_hash)
      values (${call.person}, ${call.key}, ${call.act}, ${hash})
      on conflict (person, key) do update set created_at = excluded.created_at
        where kept.status is null and kept.input_hash = excluded.input_hash
          and excluded.created_at - kept.created_at > make_interval(secs => ${ABANDONED_SECONDS})
      returning key`;
    return claimed.length === 1;
  };

  const first = async (call: KeyedCall, hash: Buffer): Promise<Outcome | undefined> => {
    const [row] = await allAccountsSql<
      { hash: Buffer; status: number | null; sealed: Buffer | null }[]
    >`
      select input_hash as hash, status, sealed from idempotent_responses
      where person = ${call.person} and key = ${call.key}`;
    if (!row) return undefined;
    if (!row.hash.equals(hash)) throw new Refusal('idempotency_conflict', {});
    if (row.status === null || row.sealed === null) return undefined;
    const body = secrets.open(row.sealed, contextOf(call));
    if (!body) throw new Error('idempotent_responses: an answer does not open');
    return { status: row.status, body: body.toString('utf8'), keep: true };
  };

  const keep = async (call: KeyedCall, { status, body }: Outcome): Promise<void> => {
    await allAccountsSql`
      update idempotent_responses set status = ${status}, sealed = ${secrets.seal(body, contextOf(call))}
      where person = ${call.person} and key = ${call.key}`;
  };

  const forget = async ({ person, key }: KeyedCall): Promise<void> => {
    await allAccountsSql`
      delete from idempotent_responses where person = ${person} and key = ${key} and status is null`;
  };

  return {
    async once(call, work) {
      const hash = hmac(secrets.key('pepper'), 'act input', call.act, call.input);
      const until = performance.now() + WAIT_MS;
      for (let waitMs = 20; !(await claim(call, hash)); waitMs = Math.min(waitMs * 2, 250)) {
        const answered = await first(call, hash);
        if (answered) return answered;
        if (performance.now() > until) {
          throw new Refusal('request_in_flight', { seconds: RETRY_SECONDS });
        }
        await pause(waitMs);
      }
      const outcome = await work().catch(async (error: unknown) => {
        await forget(call).catch(report);
        throw error;
      });
      await retrying(() => (outcome.keep ? keep(call, outcome) : forget(call))).catch(report);
      return outcome;
    },
  };
}

/** Deletes answers older than a day, in transactions of bounded size. @returns how many. */
export async function pruneAnswers(allAccountsSql: Sql): Promise<number> {
  let forgotten = 0;
  await untilNone(async (limit) => {
    const { count } = await allAccountsSql`
      delete from idempotent_responses where (person, key) in (
        select person, key from idempotent_responses
        where created_at < statement_timestamp() - interval '24 hours'
        order by created_at, person, key limit ${limit})`;
    forgotten += count;
    return count;
  });
  return forgotten;
}

export async function deleteAnswers(allAccountsSql: Sql, people: readonly string[]): Promise<void> {
  await allAccountsSql`delete from idempotent_responses where person = any(${[...people]}::text[])`;
}

type AuditLine = {
  /** Undefined if the caller is anonymous and no account is known. */
  accountId: string | undefined;
  actor: string;
  act: string;
  /** `ok`, or the refusal's code. */
  outcome: string;
  ip: string;
  requestId: string;
  /** Ids only, never user content. */
  facts: Readonly<Record<string, string>>;
};

export type Audit = { write(line: AuditLine): Promise<void> };

/** The account id of audit entries for calls without a session; no account has it. */
export const NOBODY = '00000000-0000-0000-0000-000000000000';

/** The append-only audit log, a hash chain per account (docs/threats.md, T26). */
export const openAudit = (allAccountsSql: Sql): Audit => ({
  async write(line) {
    await allAccountsSql`
      select write_audit(${line.accountId ?? NOBODY}, ${newId()}, ${line.actor}, ${line.act},
        ${line.outcome}, ${line.ip}, ${line.requestId}, ${json(line.facts)})`;
  },
});

const LINES_AT_ONCE = 2_000;

/**
 * Removes addresses and facts from the entries of a closed account; the entries remain.
 *
 * @throws PostgresError 42501 if the account is not closed.
 */
export async function eraseAudit(allAccountsSql: Sql, accountId: string): Promise<void> {
  for (let n = LINES_AT_ONCE; n > 0;) {
    const [erased] = await allAccountsSql<{ n: number }[]>`
      select erase_audit(${accountId}, ${LINES_AT_ONCE}) as n`;
    n = erased?.n ?? 0;
  }
}

/** Removes the addresses of anonymous callers from entries older than seven days. */
export async function eraseAnonymousAudit(allAccountsSql: Sql): Promise<void> {
  for (let n = LINES_AT_ONCE; n > 0;) {
    const [erased] = await allAccountsSql<
      { n: number }[]
    >`select erase_anonymous_audit(${LINES_AT_ONCE}) as n`;
    n = erased?.n ?? 0;
  }
}

/** At most `max` hits of a subject per window of `windowSeconds`; windows of a day are WIB days. */
export type Limit = { scope: string; subject: string; max: number; windowSeconds: number };

const WIB_SECONDS = 7 * 3600;

/**
 * Counts one hit in each limit that is not full, on all nodes, by the database's clock. If one is full, roll back: then
 * refused hits cost nothing, and an exhausted limit of one caller cannot use up shared ones. Throws on database errors,
 * so that they never let a call pass.
 *
 * @returns the first full limit and the seconds until its window ends, or `undefined`.
 */
export async function hit(
  tx: Tx,
  limits: readonly Limit[],
): Promise<{ limit: Limit; seconds: number } | undefined> {
  const counting = limits
    .filter(({ max }) => max > 0)
    .toSorted((a, b) => (a.scope + a.subject < b.scope + b.subject ? -1 : 1))
    .map(async (limit) => ({ limit, taken: await count(tx, limit) }));
  const counted = await Promise.all(counting);
  const full = limits.find(
    (limit) => !counted.some((one) => one.limit === limit && one.taken.count > 0),
  );
  return full && { limit: full, seconds: await secondsLeft(tx, full.windowSeconds) };
}

const count = (tx: Tx, { scope, subject, max, windowSeconds }: Limit) => tx`
  insert into limit_counters as counted (scope, subject, window_start, hits)
  values (${scope}, ${subject},
    to_timestamp(
      floor((extract(epoch from clock_timestamp()) + ${WIB_SECONDS}) / ${windowSeconds}::int)
        * ${windowSeconds}::int - ${WIB_SECONDS}),
    1)
  on conflict (scope, subject, window_start) do update set hits = counted.hits + 1
    where counted.hits < ${max}::int`;

async function secondsLeft(tx: Tx, windowSeconds: number): Promise<number> {
  const [row] = await tx<{ left: number }[]>`
    select ceil(${windowSeconds}::int - mod(
      extract(epoch from clock_timestamp()) + ${WIB_SECONDS}, ${windowSeconds}::int))::int as left`;
  return Math.max(1, row?.left ?? windowSeconds);
}

/** Hits of a subject in the windows that began within the last `seconds`. */
export async function hitsWithin(
  sql: Sql | Tx,
  { scope, subject, seconds }: { scope: string; subject: string; seconds: number },
): Promise<number> {
  const [row] = await sql<{ hits: number }[]>`
    select coalesce(sum(hits), 0)::int as hits from limit_counters
    where scope = ${scope} and subject = ${subject}
      and window_start > clock_timestamp() - make_interval(secs => ${seconds})`;
  return row?.hits ?? 0;
}

/** Hits of a day that a limit leaves; its window is a day or shorter. */
export async function hitsLeft(
  sql: Sql | Tx,
  { windowSeconds: seconds, max, ...of }: Limit,
): Promise<number> {
  return Math.max(0, max - (await hitsWithin(sql, { ...of, seconds })));
}

/** Hits of a scope in windows begun in the last `seconds`: in total, and of the top subject. */
export async function hitsOfScope(
  sql: Sql | Tx,
  { scope, seconds }: { scope: string; seconds: number },
): Promise<{ sum: number; most: number }> {
  const [row] = await sql<{ sum: number; most: number }[]>`
    select coalesce(sum(hits), 0)::int as sum, coalesce(max(hits), 0)::int as most
    from limit_counters
    where scope = ${scope} and window_start > clock_timestamp() - make_interval(secs => ${seconds})`;
  return row ?? { sum: 0, most: 0 };
}

/**
 * Deletes the counters of subjects, such as erased users and their addresses.
 *
 * @param scopes only these; all if absent.
 */
export async function forgetHits(
  sql: Sql | Tx,
  subjects: readonly string[],
  scopes?: readonly string[],
): Promise<void> {
  const only = scopes ? [...scopes] : null;
  await sql`
    delete from limit_counters where subject = any(${[...subjects]}::text[])
      and (${only}::text[] is null or scope = any(${only}::text[]))`;
}

/** Blocks a subject for `seconds` from now, or until `forgetHits`. */
export async function block(
  sql: Sql | Tx,
  { scope, subject, seconds }: { scope: string; subject: string; seconds: number },
): Promise<void> {
  await sql`
    insert into limit_counters (scope, subject, window_start, hits)
    values (${scope}, ${subject}, clock_timestamp() + make_interval(secs => ${seconds}), 1)`;
}

/** 0 if the subject is not blocked. */
export async function blockedSeconds(
  sql: Sql | Tx,
  { scope, subject }: { scope: string; subject: string },
): Promise<number> {
  const [row] = await sql<{ seconds: number | null }[]>`
    select ceil(extract(epoch from max(window_start) - clock_timestamp()))::int as seconds
    from limit_counters where scope = ${scope} and subject = ${subject}`;
  return Math.max(0, row?.seconds ?? 0);
}

/** Deletes counters whose window ended two days ago. */
export async function sweepHits(allAccountsSql: Sql): Promise<void> {
  await allAccountsSql`
    delete from limit_counters where window_start < statement_timestamp() - interval '2 days'`;
}

/** A user is identified by the user id, an anonymous caller by the address. */
type Asker = { ip: string; person?: string | undefined };

export type Limiter = {
  /** @throws Refusal `too_many_requests` with the seconds to wait. */
  allow(limitClass: LimitClass, asker: Asker): Promise<void>;
};

type Pace = { burst: number; perSecond: number };
const paces: Record<'read' | 'write' | 'scan', Pace> = {
  read: { burst: 100, perSecond: 20 },
  write: { burst: 40, perSecond: 5 },
  // 30 a minute (docs/threats.md, T39); a page that polls every two seconds stays within it.
  scan: { burst: 30, perSecond: 0.5 },
};
const AUTH_WINDOW_SECONDS = 600;
/** A network (/24, /64) may make this many times the calls of one address. */
const NETWORK_FACTOR = 10;

/**
 * `auth` and `otp` are counted in the database, per address and network, on all nodes; the others by this process.
 *
 * @param authMax calls of the classes `auth` and `otp` from one address in ten minutes.
 */
export function openLimiter(allAccountsSql: Sql, { authMax }: { authMax: number }): Limiter {
  const bucket = openBuckets();
  return {
    async allow(limitClass, { ip, person }) {
      if (limitClass === 'auth' || limitClass === 'otp') {
        const window = { windowSeconds: AUTH_WINDOW_SECONDS, scope: `door_${limitClass}` };
        const full = await hitAtomically(allAccountsSql, [
          { ...window, subject: ip, max: authMax },
          { ...window, subject: networkOf(ip), max: authMax * NETWORK_FACTOR },
        ]);
        if (full) throw new Refusal('too_many_requests', { seconds: full.seconds });
        return;
      }
      const subject = limitClass === 'scan' ? ip : (person ?? ip);
      const seconds = bucket(`${limitClass} ${subject}`, paces[limitClass]);
      if (seconds > 0) throw new Refusal('too_many_requests', { seconds });
    },
  };
}

/** `hit` in its own transaction, which is rolled back if a limit is full. */
export async function hitAtomically(
  allAccountsSql: Sql,
  limits: readonly Limit[],
): Promise<{ limit: Limit; seconds: number } | undefined> {
  try {
    await allAccountsSql.begin(async (tx) => {
      const full = await hit(tx, limits);
      if (full) throw new Full(full);
    });
    return undefined;
  } catch (error) {
    if (error instanceof Full) return error.full;
    throw error;
  }
}

class Full extends Error {
  readonly full: { limit: Limit; seconds: number };

  constructor(full: { limit: Limit; seconds: number }) {
    super('a limit is full');
    this.full = full;
  }
}

const BUCKETS_MAX = 50_000;

/**
 * Token buckets of this process: each call takes a token and gets the seconds to wait (0 if none). Full buckets are
 * evicted when there are too many; eviction never grants more than a burst.
 */
export function openBuckets(
  nowMs: () => number = () => performance.now(),
): (subject: string, pace: Pace) => number {
  const buckets = new Map<string, { left: number; at: number }>();
  return (subject, { burst, perSecond }) => {
    const now = nowMs();
    const before = buckets.get(subject) ?? { left: burst, at: now };
    const left = Math.min(burst, before.left + ((now - before.at) / 1000) * perSecond);
    buckets.delete(subject);
    if (buckets.size >= BUCKETS_MAX) buckets.delete(buckets.keys().next().value ?? '');
    buckets.set(subject, { left: left < 1 ? left : left - 1, at: now });
    return left < 1 ? Math.ceil((1 - left) / perSecond) : 0;
  };
}

/** The network of an address for rate limits: /24 of IPv4, /64 of IPv6. */
export function networkOf(ip: string): string {
  const mapped = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i.exec(ip)?.[1] ?? ip;
  if (!mapped.includes(':')) return `${mapped.split('.').slice(0, 3).join('.')}.0/24`;
  const [front = '', back] = (mapped.split('%')[0] ?? '').split('::');
  const head = front.split(':').filter(Boolean);
  const tail = back === undefined ? [] : back.split(':').filter(Boolean);
  const zeros = Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => '0');
  const groups = [...head, ...(back === undefined ? [] : zeros), ...tail].slice(0, 4);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}
