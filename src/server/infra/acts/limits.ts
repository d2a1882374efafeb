import type { LimitClass } from '#contract/base/act.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';

/**
 * At most `max` hits of a subject in each window of so many seconds; windows of a day are WIB days.
 */
export type Limit = { scope: string; subject: string; max: number; windowSeconds: number };

const WIB_SECONDS = 7 * 3600;

/**
 * Counts one hit in every limit, on every node, by the database's clock; all or none.
 *
 * Inside a transaction that is rolled back when this says no, refused hits cost nothing: an
 * exhausted limit of one caller cannot use up the shared ones. Trouble with the database is thrown,
 * never a yes.
 *
 * @returns the first limit that was full and the seconds until its window ends, or `undefined`.
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

/** No row where the window is full. */
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

/** Hits of a subject in the windows that began within the last so many seconds. */
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

/** Hits of all subjects of a scope in the windows that began within so many seconds, and of the fullest one. */
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
 * Forgets what was counted of subjects: of people who are gone, and of the addresses they came from.
 *
 * @param scopes only these; all without it.
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

/** Stops a subject for so many seconds from now, until `forgetHits`. */
export async function block(
  sql: Sql | Tx,
  { scope, subject, seconds }: { scope: string; subject: string; seconds: number },
): Promise<void> {
  await sql`
    insert into limit_counters (scope, subject, window_start, hits)
    values (${scope}, ${subject}, clock_timestamp() + make_interval(secs => ${seconds}), 1)`;
}

/** For how many seconds a subject is still stopped by `block`; 0 when it is not. */
export async function blockedSeconds(
  sql: Sql | Tx,
  { scope, subject }: { scope: string; subject: string },
): Promise<number> {
  const [row] = await sql<{ seconds: number | null }[]>`
    select ceil(extract(epoch from max(window_start) - clock_timestamp()))::int as seconds
    from limit_counters where scope = ${scope} and subject = ${subject}`;
  return Math.max(0, row?.seconds ?? 0);
}

/** Forgets counters whose window is two days gone. */
export async function sweepHits(allAccountsSql: Sql): Promise<void> {
  await allAccountsSql`
    delete from limit_counters where window_start < statement_timestamp() - interval '2 days'`;
}

/** Who is asking: a person by their user, anyone else by their address. */
export type Asker = { ip: string; person?: string | undefined };

/** Says whether one more call of a class may go on. */
export type Limiter = {
  /** @throws Refusal `too_many_requests` with the seconds to wait. */
  allow(limitClass: LimitClass, asker: Asker): Promise<void>;
};

type Pace = { burst: number; perSecond: number };
const paces: Record<'read' | 'write' | 'scan', Pace> = {
  read: { burst: 100, perSecond: 20 },
  write: { burst: 40, perSecond: 5 },
  // 30 a minute (docs/threats.md, T39); a page that asks every two seconds stays within it.
  scan: { burst: 30, perSecond: 0.5 },
};
const AUTH_WINDOW_SECONDS = 600;
/** How much more a whole network (/24, /64) may ask than one address of it. */
const NETWORK_FACTOR = 10;

/**
 * The rate limiter of the endpoints. `auth` and `otp` are counted in the database, per address and network,
 * on all nodes together; `read`, `write` and `scan` by this process, per person or address.
 *
 * @param authMax calls of the classes `auth` and `otp` from one address in ten minutes.
 */
export function openLimiter(allAccountsSql: Sql, { authMax }: { authMax: number }): Limiter {
  const bucket = openBuckets();
  return {
    async allow(limitClass, { ip, person }) {
      if (limitClass === 'auth' || limitClass === 'otp') {
        const window = { windowSeconds: AUTH_WINDOW_SECONDS, scope: `door_${limitClass}` };
        const full = await hitOrNothing(allAccountsSql, [
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

/** `hit` in a transaction of its own that leaves no trace when a limit is full. */
export async function hitOrNothing(
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
 * Token buckets of this process: each call takes one, and gets the seconds to wait (0: go on).
 * A full bucket is forgotten when there are too many; forgetting never grants more than a burst.
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

/** The network of an address, as limits see it: /24 of IPv4, /64 of IPv6. */
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
