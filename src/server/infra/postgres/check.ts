import { setTimeout as pause } from 'node:timers/promises';
import { type Sql, isTransient } from './database.ts';
import { ConnectionLost, READ_ONLY } from './driver/errors.ts';
import type { Log } from '#server/infra/observability/log.ts';
import { StartError } from '#server/infra/start-error.ts';

/** Beyond this, one-time codes, leases and signatures would be judged wrongly. */
export const CLOCKS_APART_MS_MAX = 2_000;
export const VERSION_MIN = 150_000;

export type DatabaseFacts = {
  version: number;
  superuser: boolean;
  role: string;
  name: string;
  owns: boolean;
  writable: boolean;
  fsync: string;
  synchronous_commit: string;
  full_page_writes: string;
  encoding: string;
  now: Date;
};

/**
 * Refuses a database that is unreachable, older than 15, not UTF-8, with a wrong clock, read-only, or owned by
 * another role; in production also a superuser role or a server that is not durable (docs/threats.md, T49).
 *
 * @throws StartError with one sentence on what to change.
 */
export async function checkDatabase(
  sql: Sql,
  { production, now = Date.now }: { production: boolean; now?: () => number },
): Promise<void> {
  const before = now();
  const facts = await readDatabaseFacts(sql);
  const after = now();
  if (facts.version < VERSION_MIN) {
    const version = Math.floor(facts.version / 10_000);
    throw new StartError(`The database is PostgreSQL ${version}; Kabari needs 15 or newer.`);
  }
  if (facts.encoding !== 'UTF8') {
    throw new StartError(
      `The database is encoded as ${facts.encoding}; make it with encoding UTF8.`,
    );
  }
  const theirs = facts.now.getTime();
  const apart = Math.max(before - theirs, theirs - after);
  if (apart > CLOCKS_APART_MS_MAX) {
    throw new StartError(
      `The clocks of this machine and the database are ${Math.round(apart / 1_000)} s apart; set them (NTP) and start again.`,
    );
  }
  if (!facts.writable) {
    throw new StartError(takesNoWrites(facts.name));
  }
  if (!facts.owns) {
    throw new StartError(
      `The role ${facts.role} may not make tables in the database ${facts.name}; run this as an administrator, then start again: ALTER DATABASE ${facts.name} OWNER TO ${facts.role};`,
    );
  }
  if (production) refuseUnsafe(facts);
}

const takesNoWrites = (name: string): string =>
  `The database ${name} takes no writes (a standby, or set to read-only); let DATABASE_URL name one that does.`;

function refuseUnsafe(facts: DatabaseFacts): void {
  if (facts.superuser) {
    throw new StartError(
      'DATABASE_URL enters as a superuser, who sees the rows of all accounts; use a role that only owns the database.',
    );
  }
  for (const name of ['fsync', 'synchronous_commit'] as const) {
    if (facts[name] === 'off') {
      throw new StartError(
        `The database has ${name} off and may lose what it confirmed; turn it on.`,
      );
    }
  }
}

/** @throws StartError if the database does not answer, with the reason. */
export async function readDatabaseFacts(sql: Sql): Promise<DatabaseFacts> {
  try {
    const [facts] = await sql<DatabaseFacts[]>`
      select current_setting('server_version_num')::int as version,
             (select rolsuper from pg_roles where rolname = current_user) as superuser,
             quote_ident(current_user) as role,
             quote_ident(current_database()) as name,
             has_database_privilege(current_database(), 'create')
               and coalesce(has_schema_privilege(to_regnamespace('public')::oid, 'create'), false) as owns,
             current_setting('transaction_read_only') = 'off' as writable,
             current_setting('fsync') as fsync,
             current_setting('synchronous_commit') as synchronous_commit,
             current_setting('full_page_writes') as full_page_writes,
             current_setting('server_encoding') as encoding,
             clock_timestamp() as now`;
    if (!facts) throw new Error('the database answers nothing');
    return facts;
  } catch (error) {
    throw new StartError(unreachable(sql, error), { cause: error });
  }
}

/** True if waiting may help: not for a refused password, a standby, or a pooler's refusal. */
function isAway(error: unknown): boolean {
  const cause = error instanceof StartError ? error.cause : error;
  const isLost = cause instanceof ConnectionLost && isTransient(cause);
  return isLost && !/^(?:28|08P01$|25006$)/.test(cause.code);
}

const RETRY_MS = 1_000;
const LINE_MS = 60_000;

/** Repeats a repeatable step of a start while the database is away. */
export type UntilReachable = <T>(step: () => Promise<T>) => Promise<T>;

/**
 * Retries steps of a start while the database is away, which may start minutes after the application. Logs once a
 * minute.
 *
 * @returns a function that runs a step; it throws the step's other errors, and AbortError once aborted.
 */
export function waitForDatabase({
  log,
  signal,
  againMs = RETRY_MS,
}: {
  log: Log;
  signal: AbortSignal;
  againMs?: number;
}): UntilReachable {
  let nextLine = 0;
  return async (step) => {
    for (;;) {
      try {
        return await step();
      } catch (error) {
        if (!isAway(error)) throw error;
        if (performance.now() >= nextLine) {
          const reason = error instanceof Error ? error.message : String(error);
          log.warn({ reason }, 'the database is away: the start waits for it');
          nextLine = performance.now() + LINE_MS;
        }
      }
      await pause(againMs, undefined, { signal });
    }
  };
}

/** Other connections of the application to this database. */
export async function countOthers(owner: Sql): Promise<number> {
  const [row] = await owner<{ others: number }[]>`
    select count(*)::int as others from pg_stat_activity
    where datname = current_database() and application_name like 'kabari %'
      and pid <> pg_backend_pid()`;
  return row?.others ?? 0;
}

const isUnprovenCertificate = (code: string): boolean =>
  /^(?:ERR_TLS_\w+|CERT_\w+|\w*SELF_SIGNED_CERT\w*|UNABLE_TO_(?:GET_ISSUER_CERT|VERIFY_LEAF)\w*)$/.test(
    code,
  );

/** Why the database is unreachable; never contains the password. */
function unreachable(sql: Sql, error: unknown): string {
  const { hosts, database, user, tls } = sql.place;
  const place = hosts.map(({ host, port }) => `${host}:${port}`).join(',');
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === READ_ONLY) return takesNoWrites(database);
  if (code === '3D000')
    return `The database ${database} does not exist on ${place}; create it first.`;
  if (code === '28P01' || /role .* does not exist/.test(String(error)))
    return `The database on ${place} refuses the role ${user} or its password.`;
  if (code.startsWith('28')) {
    const encrypted = tls
      ? ''
      : ' If it takes encrypted connections only (hostssl), add ?sslmode=require to the address.';
    return `The database on ${place} has no rule in pg_hba.conf that lets the role ${user} into ${database} from this machine.${encrypted}`;
  }
  if (/does not support SSL/.test(String(error)))
    return `The database on ${place} has no TLS; turn it on there (ssl = on), or take sslmode out of the address.`;
  if (isUnprovenCertificate(code))
    return `The certificate of the database on ${place} cannot be verified (${code}); name its authority in NODE_EXTRA_CA_CERTS, or use sslmode=require, which encrypts without verifying.`;
  if (code === '53300')
    return `The database on ${place} takes no more connections; raise max_connections there, or end some.`;
  const why = isTransient(error) || code === 'ENOTFOUND' ? code : String(error);
  return `The database on ${place} cannot be reached (${why}); check DATABASE_URL.`;
}
