import type pg from 'pg';
import { type Host, hostsOf, readBareStartup } from '#server/infra/postgres/address.ts';

/**
 * Visibility of rows in a pool. `tenant` sees the account set in `app.account`, and no rows before it is set; `all
 * accounts` sees all; `owner` is the database's owner, for migrations only.
 */
export type As = 'tenant' | 'all accounts' | 'owner';

/** The roles of the application; the policies of row-level security define what each sees. */
export const ROLES: Record<Exclude<As, 'owner'>, string> = {
  tenant: 'kabari_app',
  'all accounts': 'kabari_all',
};

export type PoolOptions = {
  max: number;
  as: As;
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

/** A setting that is only used to detect whether settings of the start-up message arrive. */
export const STARTUP_MARK = 'app.startup';

/** Parameters of an address that are not settings of the session: libpq's, and ours. */
const notSettings =
  /^(?:host|port|user|password|dbname|ssl\w*|connect_timeout|keepalives\w*|channel_binding|gss\w*|target_session_attrs|kabari_\w+|application_name|client_encoding|options)$/;

/** The settings in libpq's `options`: `-c name=value`, `--name=value`, blanks escaped by `\\`. */
const optionsIn = (words: string): [string, string][] =>
  [...words.matchAll(/(?:^|\s)(?:-c\s*|--)([\w.]+)=((?:\\.|[^\s\\])*)/gs)].map(
    ([, name = '', value = '']) => [name, value.replaceAll(/\\(.)/gs, '$1')],
  );

function settingsIn(url: string): Record<string, string> {
  const { searchParams } = new URL(url);
  const single = [...searchParams].filter(([name]) => !notSettings.test(name));
  return Object.fromEntries([...single, ...optionsIn(searchParams.get('options') ?? '')]);
}

/** The address's own timeout in milliseconds, or the default of the pool's role. */
export function statementMsOf(url: string, as: As): number {
  const timeout = settingsIn(url)['statement_timeout'] ?? '';
  return as !== 'owner' && /^\d{1,9}$/.test(timeout) ? Number(timeout) : STATEMENT_TIMEOUT_MS[as];
}

function settingsOf(url: string, as: As): Record<string, string> {
  return {
    ...settingsIn(url),
    [STARTUP_MARK]: 'on',
    TimeZone: 'UTC',
    // The parsers expect these formats, independent of the database's settings.
    DateStyle: 'ISO',
    bytea_output: 'hex',
    // Short statements only: JIT compilation costs more than it saves.
    jit: 'off',
    statement_timeout: String(statementMsOf(url, as)),
    lock_timeout: String(as === 'owner' ? 0 : LOCK_TIMEOUT_MS),
    idle_in_transaction_session_timeout: String(as === 'owner' ? 0 : IDLE_IN_TRANSACTION_MS),
    ...(as !== 'owner' && { role: ROLES[as] }),
    // Checked by SQL functions that run as the owner (`sees_all`).
    ...(as === 'all accounts' && { 'app.account': '*' }),
  };
}

/** Settings as the start-up message carries them: `RESET` cannot undo these. */
const startupOptions = (settings: Record<string, string>): string =>
  Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value.replaceAll(/[\\\s]/g, '\\$&')}`)
    .join(' ');

/** Reset at the start of a session: a pooler may have given it to another client before. */
const pooledDefaults = { role: 'none', 'app.account': '' };

const quoted = (word: string): string => `'${word.replaceAll("'", "''")}'`;

function settingsStatement(settings: Record<string, string>): string {
  const calls = Object.entries({ ...pooledDefaults, ...settings })
    .filter(([name]) => name !== STARTUP_MARK)
    .map(([name, value]) => `set_config(${quoted(name)}, ${quoted(value)}, false)`);
  return `select ${calls.join(', ')}`;
}

/** Like libpq's `sslmode`, without the modes that may fall back to plain text. */
function tlsOf(asked: URLSearchParams): { rejectUnauthorized: boolean } | false {
  const mode = asked.get('sslmode') ?? asked.get('ssl') ?? 'disable';
  if (mode === 'disable' || mode === 'false') return false;
  return { rejectUnauthorized: mode.startsWith('verify') || mode === 'true' };
}

export type Place = {
  hosts: readonly Host[];
  user: string;
  database: string;
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

/** libpq's `connect_timeout` is in seconds, 0 for none; 5 s by default. */
function connectMsOf(url: string): number {
  const seconds = new URL(url).searchParams.get('connect_timeout') ?? '';
  return /^\d{1,6}$/.test(seconds) ? Number(seconds) * 1_000 : CONNECT_TIMEOUT_MS;
}

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

export function sessionStatement(url: string, as: As): string | undefined {
  const { bare, driverUrl } = readBareStartup(url);
  return bare ? settingsStatement(settingsOf(driverUrl, as)) : undefined;
}
