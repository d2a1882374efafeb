import { backoff } from '#server/infra/backoff.ts';
import pg from 'pg';
import { type Host, readBareStartup } from '#server/infra/postgres/address.ts';
import {
  type As,
  type Place,
  type PoolOptions,
  placeOf,
  sessionStatement,
  statementMsOf,
} from './client.ts';
import { type Client, Connection, type ParameterTypes } from './connection.ts';
import { ConnectionLost, isOutdated } from './errors.ts';
import type { Compiled } from './compile.ts';
import { type Servers, createClientClass, serversOf } from './servers.ts';
import type { Row, Rows } from './rows.ts';

/** Grace beyond the server's own statement timeout before the connection counts as lost. */
const SILENCE_MS = 2_000;
/** The longest wait of a statement for a connection; 0: no limit. */
const CHECKOUT_TIMEOUT_MS: Record<As, number> = {
  tenant: 30_000,
  'all accounts': 60_000,
  owner: 0,
};
const PIPELINE_MAX = 100;
const RECONNECT_MS = { first: 50, max: 500 };

/** A pool of connections; the only place that configures pg. */
export class Pool {
  readonly place: Place;
  readonly #pool: pg.Pool;
  readonly #connections = new Map<pg.PoolClient, Connection>();
  readonly #clients = new WeakMap<Connection, pg.PoolClient>();
  readonly #max: number;
  readonly #servers: Servers;
  readonly #leaveServers: () => void;
  readonly #shared = new Map<Connection, number>();
  #failures = 0;
  #retryAt = 0;
  #users = 0;
  #waitedMs = 0;
  #ended: Promise<void> | undefined;
  #unused = Promise.withResolvers<void>();

  constructor(url: string, options: PoolOptions) {
    const { as, max } = options;
    this.#max = max;
    const { driverUrl } = readBareStartup(url);
    this.place = placeOf(driverUrl);
    this.#servers = serversOf(url);
    this.#leaveServers = this.#servers.join((current) => this.#leaveOthers(current));
    const statement = sessionStatement(url, as);
    const statementMs = statementMsOf(driverUrl, as);
    this.#pool = new pg.Pool({
      max,
      Client: createClientClass(this.#servers, url, options),
      // Includes the wait for a connection; connecting has its own limit.
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
    // An idle connection that ends was already removed from the pool.
    this.#pool.on('error', () => undefined);
  }

  /**
   * Runs one statement in its own transaction. If all connections are taken, it joins one that is used outside of
   * transactions, unless another caller waits for a connection.
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

  async runScript(compiled: Compiled): Promise<Rows<Row>> {
    const connection = await this.acquire();
    try {
      return await connection.execute(compiled, { isScript: true });
    } finally {
      this.release(connection);
    }
  }

  /** The total time that callers have waited for connections, including failed waits. */
  get waitedSeconds(): number {
    return this.#waitedMs / 1_000;
  }

  /** A connection shared with others, if none is free and no caller waits for one. */
  #join(): Connection | undefined {
    if (this.#ended || this.#pool.waitingCount > 0 || this.#pool.idleCount > 0) return undefined;
    if (this.#pool.totalCount < this.#max) return undefined;
    let least: Connection | undefined;
    let fewest = PIPELINE_MAX;
    for (const [connection, users] of this.#shared) {
      if (users >= fewest || connection.mustClose) continue;
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

  /** An exclusive connection. @throws ConnectionLost `not sent` if none is free in time. */
  async acquire(): Promise<Connection> {
    if (this.#ended) {
      throw Object.assign(new Error('the pool is closed'), { code: 'CONNECTION_ENDED' });
    }
    this.#users++;
    const began = performance.now();
    try {
      const pauseMs = this.#retryAt - performance.now();
      if (pauseMs > 0 && this.#pool.idleCount === 0) await sleep(pauseMs);
      return await this.#connect();
    } catch (error) {
      this.#leave();
      throw error;
    } finally {
      this.#waitedMs += performance.now() - began;
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

  #leaveOthers(current: Host): void {
    for (const [client, connection] of this.#connections) {
      if (this.#servers.hostOf(client) !== current) connection.destroy();
    }
  }

  /** Pauses grow after failures, to avoid overrunning a server that starts. */
  #backOff(): void {
    if (this.#retryAt > performance.now()) return;
    this.#failures += 1;
    const longestMs = backoff(this.#failures, RECONNECT_MS);
    this.#retryAt = performance.now() + longestMs * (0.5 + Math.random() / 2);
  }

  /** Returns a connection to the pool; destroys one in doubt. */
  release(connection: Connection): void {
    const client = this.#clients.get(connection);
    const isSound =
      !connection.mustClose && !connection.isLost && connection.transactionStatus === 'I';
    client?.release(!isSound);
    if (!isSound) connection.destroy();
    this.#leave();
  }

  #leave(): void {
    this.#users--;
    if (this.#users === 0 && this.#ended) this.#unused.resolve();
  }

  /** @param timeout seconds after which pending work is cut off. */
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
    // Checked here and not earlier: only now does `#leave` know of the end.
    await Promise.resolve();
    await this.#unused.promise;
    clearTimeout(timer);
    await this.#pool.end();
    this.#leaveServers();
  }
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
