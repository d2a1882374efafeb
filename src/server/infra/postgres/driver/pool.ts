import pg from 'pg';
import { socketFolderOf, readBareStartup } from '#server/infra/postgres/address.ts';
import { type Client, Connection, type ParameterTypes } from './connection.ts';
import { ConnectionLost, isOutdated } from './errors.ts';
import type { Compiled } from './compile.ts';
import type { Row, Rows } from './rows.ts';

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
/** How long a statement may wait for a connection; 0 for ever. */
const CHECKOUT_TIMEOUT_MS: Record<As, number> = {
  tenant: 30_000,
  'all accounts': 60_000,
  owner: 0,
};
const LOCK_TIMEOUT_MS = 3_000;
const IDLE_IN_TRANSACTION_MS = 10_000;
const CONNECT_TIMEOUT_MS = 5_000;
const KEEP_ALIVE_MS = 10_000;
/** What the server is given beyond its own statement timeout before the connection counts as lost. */
const SILENCE_MS = 2_000;
/** Statements that one connection may have under way. */
const PIPELINE_MAX = 100;
const FIRST_RECONNECT_MS = 50;
const LONGEST_RECONNECT_MS = 500;

/** A setting whose only use is to see whether settings of the start-up message arrive. */
export const STARTUP_MARK = 'app.startup';

/** Words of an address that mean the connection and not the session: libpq's, and ours. */
const notSettings =
  /^(?:host|port|user|password|dbname|ssl\w*|connect_timeout|keepalives\w*|channel_binding|gss\w*|target_session_attrs|application_name|client_encoding|options)$/;

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
function statementMsOf(url: string, as: As): number {
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
    // Policies of the version before ask for it.
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
export type Place = { hosts: readonly string[]; port: number; user: string; database: string };

function placeOf(url: string): Place {
  const { hostname, port, username, pathname } = new URL(url);
  const folder = socketFolderOf(url)?.host;
  return {
    hosts: folder === undefined ? hostname.replaceAll(/^\[|\]$/g, '').split(',') : [folder],
    port: Number(port || 5432),
    user: decodeURIComponent(username),
    database: decodeURIComponent(pathname.slice(1)),
  };
}

/** How long making a connection may take: libpq's `connect_timeout` in seconds, 0 for ever; 5 s without it. */
function connectMsOf(url: string): number {
  const seconds = new URL(url).searchParams.get('connect_timeout') ?? '';
  return /^\d{1,6}$/.test(seconds) ? Number(seconds) * 1_000 : CONNECT_TIMEOUT_MS;
}

/** What pg is told of a single connection; the same for pools and for listening. */
export function clientConfig(url: string, as: As, name: string): pg.ClientConfig {
  const { bare, driverUrl } = readBareStartup(url);
  const { hosts, port, user, database } = placeOf(driverUrl);
  const { password, searchParams } = new URL(driverUrl);
  return {
    host: hosts[0] ?? 'localhost',
    port,
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

/** A client of pg for one connection, with an error listener for as long as it lives. */
function createClientClass(url: string, { as, name }: PoolOptions): typeof pg.Client {
  const { hosts } = placeOf(readBareStartup(url).driverUrl);
  let turn = 0;
  return class extends pg.Client {
    constructor() {
      const host = hosts[turn++ % hosts.length] ?? 'localhost';
      super({ ...clientConfig(url, as, name), host });
      this.on('error', () => undefined);
    }
  };
}

/** A pool of connections; all that is decided about pg's behaviour is decided here. */
export class Pool {
  readonly place: Place;
  readonly #pool: pg.Pool;
  readonly #connections = new Map<pg.PoolClient, Connection>();
  readonly #clients = new WeakMap<Connection, pg.PoolClient>();
  readonly #max: number;
  /** Connections that work outside of transactions, and for how many. */
  readonly #shared = new Map<Connection, number>();
  #failures = 0;
  #retryAt = 0;
  #users = 0;
  #ended: Promise<void> | undefined;
  #unused = Promise.withResolvers<void>();

  constructor(url: string, options: PoolOptions) {
    const { as, max } = options;
    this.#max = max;
    const { driverUrl } = readBareStartup(url);
    this.place = placeOf(driverUrl);
    const statement = sessionStatement(url, as);
    const statementMs = statementMsOf(driverUrl, as);
    this.#pool = new pg.Pool({
      max,
      Client: createClientClass(url, options),
      // Waiting for a connection included; to connect, a client has a limit of its own.
      connectionTimeoutMillis: CHECKOUT_TIMEOUT_MS[as],
      idleTimeoutMillis: 0,
      ...(statement !== undefined && {
        onConnect: (client: pg.ClientBase) => client.query(statement) as unknown as void,
      }),
    });
    const types: ParameterTypes = new Map();
    const silenceMs = statementMs === 0 ? 0 : statementMs + SILENCE_MS;
    this.#pool.on('connect', (client) => {
      const connection = new Connection(client as unknown as Client, types, silenceMs);
      this.#connections.set(client, connection);
      this.#clients.set(connection, client);
    });
    this.#pool.on('remove', (client) => this.#connections.delete(client));
    // An idle connection that ends has been taken out of the pool already.
    this.#pool.on('error', () => undefined);
  }

  /**
   * Runs one statement in its own transaction. When all connections are taken, those that work outside of
   * transactions take it as well, unless somebody waits for a connection.
   */
  async run(compiled: Compiled): Promise<Rows<Row>> {
    const connection = this.#join() ?? (await this.#share());
    try {
      return await connection.execute(compiled);
    } catch (error) {
      if (!isOutdated(error)) throw error;
      return await connection.execute(compiled);
    } finally {
      this.#part(connection);
    }
  }

  /** Runs a text, of any number of statements, on a connection of its own. */
  async runScript(compiled: Compiled): Promise<Rows<Row>> {
    const connection = await this.acquire();
    try {
      return await connection.execute(compiled, { isScript: true });
    } finally {
      this.release(connection);
    }
  }

  /** A connection that others use, when there is no other to be had and nobody waits for one. */
  #join(): Connection | undefined {
    if (this.#ended || this.#pool.waitingCount > 0 || this.#pool.idleCount > 0) return undefined;
    if (this.#pool.totalCount < this.#max) return undefined;
    let least: Connection | undefined;
    let fewest = PIPELINE_MAX;
    for (const [connection, users] of this.#shared) {
      if (users >= fewest || connection.isDoubtful) continue;
      least = connection;
      fewest = users;
    }
    if (!least) return undefined;
    this.#users++;
    this.#shared.set(least, fewest + 1);
    return least;
  }

  async #share(): Promise<Connection> {
    const connection = await this.acquire();
    connection.isShared = true;
    this.#shared.set(connection, 1);
    return connection;
  }

  #part(connection: Connection): void {
    const users = (this.#shared.get(connection) ?? 1) - 1;
    if (users > 0) {
      this.#shared.set(connection, users);
      this.#leave();
    } else {
      this.#shared.delete(connection);
      connection.isShared = false;
      this.release(connection);
    }
  }

  /**
   * A connection for its caller alone.
   *
   * @throws ConnectionLost `not sent` when there is none in time.
   */
  async acquire(): Promise<Connection> {
    if (this.#ended) {
      throw Object.assign(new Error('the pool is closed'), { code: 'CONNECTION_ENDED' });
    }
    this.#users++;
    try {
      const pauseMs = this.#retryAt - performance.now();
      if (pauseMs > 0 && this.#pool.idleCount === 0) await sleep(pauseMs);
      return await this.#connect();
    } catch (error) {
      this.#leave();
      throw error;
    }
  }

  #connect(): Promise<Connection> {
    return new Promise((resolve, reject) => {
      this.#pool.connect((error, client) => {
        const connection = client && this.#connections.get(client);
        if (connection) {
          this.#failures = 0;
          this.#retryAt = 0;
          resolve(connection);
        } else {
          this.#backOff();
          reject(new ConnectionLost(error, 'not sent'));
        }
      });
    });
  }

  /** After a failure the next tries wait, longer each time: a server that starts is not overrun. */
  #backOff(): void {
    if (this.#retryAt > performance.now()) return;
    const longestMs = Math.min(FIRST_RECONNECT_MS * 2 ** this.#failures++, LONGEST_RECONNECT_MS);
    this.#retryAt = performance.now() + longestMs * (0.5 + Math.random() / 2);
  }

  /** Gives a connection back; one in doubt is destroyed. */
  release(connection: Connection): void {
    const client = this.#clients.get(connection);
    const isSound =
      !connection.isDoubtful && !connection.isLost && connection.transactionStatus === 'I';
    client?.release(!isSound);
    if (!isSound) connection.destroy();
    this.#leave();
  }

  #leave(): void {
    this.#users--;
    if (this.#users === 0 && this.#ended) this.#unused.resolve();
  }

  /**
   * Closes the pool when what was asked of it is done.
   *
   * @param timeout seconds after which what is still under way is cut off.
   */
  end({ timeout }: { timeout?: number } = {}): Promise<void> {
    this.#ended ??= this.#end(timeout);
    return this.#ended;
  }

  async #end(timeoutSeconds: number | undefined): Promise<void> {
    if (this.#users === 0) this.#unused.resolve();
    const cutOff = () => {
      for (const connection of this.#connections.values()) connection.destroy();
      this.#unused.resolve();
    };
    const timer =
      timeoutSeconds === undefined ? undefined : setTimeout(cutOff, timeoutSeconds * 1_000);
    // Asked here, not before: only now does `#leave` know of the end.
    await Promise.resolve();
    await this.#unused.promise;
    clearTimeout(timer);
    await this.#pool.end();
  }
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
