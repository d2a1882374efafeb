import type pg from 'pg';
import { type Host, hostsOf, readBareStartup } from '#server/infra/postgres/address.ts';

/**
 * For whom a pool works. `tenant` sees the account named by `app.account` and nothing before it is
 * named; `all accounts` sees all; `owner` is the database's owner, for migrations only.
 */
export type As = 'tenant' | 'all accounts' | 'owner';

/** The roles that the application works as; the policies of row-level security say what each sees. */
export const ROLES: Record<Exclude<As, 'owner'>, string> = {
  tenant: 'kabari_app',
  'all accounts': 'kabari_all',
};

export type PoolOptions = {
  /** Connections at most. */
  max: number;
  as: As;
  /** How the server lists the connections: `application_name`. */
  name: string;
};

const STATEMENT_TIMEOUT_MS: Record<As, number> = {
  tenant: 3_000,
  'all accounts': 60_000,
  owner: 0,
};
const LOCK_TIMEOUT_MS = 3_000;
const IDLE_IN_TRANSACTION_MS = 10_000;
const CONNECT_TIMEOUT_MS = 5_000;
const KEEP_ALIVE_MS = 10_000;

/** A setting whose only use is to see whether settings of the start-up message arrive. */
export const STARTUP_MARK = 'app.startup';

/** Words of an address that mean the connection and not the session: libpq's, and ours. */
const notSettings =
  /^(?:host|port|user|password|dbname|ssl\w*|connect_timeout|keepalives\w*|channel_binding|gss\w*|target_session_attrs|kabari_\w+|application_name|client_encoding|options)$/;

/** The settings in libpq's `options`: `-c name=value` and `--name=value`, blanks in them behind a `\\`. */
const optionsIn = (words: string): [string, string][] =>
  [...words.matchAll(/(?:^|\s)(?:-c\s*|--)([\w.]+)=((?:\\.|[^\s\\])*)/gs)].map(
    ([, name = '', value = '']) => [name, value.replaceAll(/\\(.)/gs, '$1')],
  );

/** The settings that an address asks for. */
function askedIn(url: string): Record<string, string> {
  const { searchParams } = new URL(url);
  const single = [...searchParams].filter(([name]) => !notSettings.test(name));
  return Object.fromEntries([...single, ...optionsIn(searchParams.get('options') ?? '')]);
}

/** How long a statement of a pool may take: what the address asks for in milliseconds, or what fits its work. */
export function statementMsOf(url: string, as: As): number {
  const asked = askedIn(url)['statement_timeout'] ?? '';
  return as !== 'owner' && /^\d{1,9}$/.test(asked) ? Number(asked) : STATEMENT_TIMEOUT_MS[as];
}

/** The settings every session of a pool begins with. */
function settingsOf(url: string, as: As): Record<string, string> {
  return {
    ...askedIn(url),
    [STARTUP_MARK]: 'on',
    TimeZone: 'UTC',
    // What the server writes is read as these write it, whatever the database is set to.
    DateStyle: 'ISO',
    bytea_output: 'hex',
    // Short statements only: compiling them costs more than it gives, on servers that would.
    jit: 'off',
    statement_timeout: String(statementMsOf(url, as)),
    lock_timeout: String(as === 'owner' ? 0 : LOCK_TIMEOUT_MS),
    idle_in_transaction_session_timeout: String(as === 'owner' ? 0 : IDLE_IN_TRANSACTION_MS),
    ...(as !== 'owner' && { role: ROLES[as] }),
    // SQL functions that run as the owner ask for it (`sees_all`).
    ...(as === 'all accounts' && { 'app.account': '*' }),
  };
}

/** Settings as the start-up message carries them: there, `RESET` cannot undo them. */
const startupOptions = (settings: Record<string, string>): string =>
  Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value.replaceAll(/[\\\s]/g, '\\$&')}`)
    .join(' ');

/** What a session begins with unless its pool says otherwise, whoever had it before at a pooler. */
const pooledDefaults = { role: 'none', 'app.account': '' };

const quoted = (word: string): string => `'${word.replaceAll("'", "''")}'`;

/** The same settings as a statement, for a pooler that takes none with the start-up message. */
function settingsStatement(settings: Record<string, string>): string {
  const calls = Object.entries({ ...pooledDefaults, ...settings })
    .filter(([name]) => name !== STARTUP_MARK)
    .map(([name, value]) => `set_config(${quoted(name)}, ${quoted(value)}, false)`);
  return `select ${calls.join(', ')}`;
}

/** As PostgreSQL's own clients read `sslmode`, without the modes that may fall back to plain text. */
function tlsOf(asked: URLSearchParams): { rejectUnauthorized: boolean } | false {
  const mode = asked.get('sslmode') ?? asked.get('ssl') ?? 'disable';
  if (mode === 'disable' || mode === 'false') return false;
  return { rejectUnauthorized: mode.startsWith('verify') || mode === 'true' };
}

/** Where an address leads, without the password. */
export type Place = {
  hosts: readonly Host[];
  user: string;
  database: string;
  /** True when connections are encrypted. */
  tls: boolean;
};

export function placeOf(url: string): Place {
  const { username, pathname, searchParams } = new URL(url);
  return {
    hosts: hostsOf(url),
    user: decodeURIComponent(username),
    database: decodeURIComponent(pathname.slice(1)),
    tls: tlsOf(searchParams) !== false,
  };
}

/** How long making a connection may take: libpq's `connect_timeout` in seconds, 0 for ever; 5 s without it. */
function connectMsOf(url: string): number {
  const seconds = new URL(url).searchParams.get('connect_timeout') ?? '';
  return /^\d{1,6}$/.test(seconds) ? Number(seconds) * 1_000 : CONNECT_TIMEOUT_MS;
}

/** What pg is told of a single connection, to the first server of an address. */
export function clientConfig(url: string, as: As, name: string): pg.ClientConfig {
  const { bare, driverUrl } = readBareStartup(url);
  const { hosts, user, database } = placeOf(driverUrl);
  const { password, searchParams } = new URL(driverUrl);
  return {
    ...(hosts[0] ?? { host: 'localhost', port: 5432 }),
    ...(user !== '' && { user }),
    database,
    // As a function: without a password pg would look for one in the home folder.
    password: () => decodeURIComponent(password),
    ssl: tlsOf(searchParams),
    application_name: `kabari ${name}`,
    ...(!bare && { options: startupOptions(settingsOf(driverUrl, as)) }),
    connectionTimeoutMillis: connectMsOf(driverUrl),
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  };
}

/** The statement that gives a session its settings, where the start-up message may not. */
export function sessionStatement(url: string, as: As): string | undefined {
  const { bare, driverUrl } = readBareStartup(url);
  return bare ? settingsStatement(settingsOf(driverUrl, as)) : undefined;
}
