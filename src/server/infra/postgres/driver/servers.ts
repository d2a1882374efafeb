import type { Socket } from 'node:net';
import pg from 'pg';
import {
  type Host,
  hostsOf,
  targetSessionOf,
  type TargetSession,
} from '#server/infra/postgres/address.ts';
import { clientConfig, type PoolOptions } from './client.ts';
import { READ_ONLY } from './errors.ts';

/**
 * The servers that an address names, and the one in the required state: the primary, or a standby. Shared by all
 * pools and listeners of an address.
 */
export type Servers = {
  /** If unknown, all servers are queried at once. @throws why none is available. */
  find: () => Promise<Host>;
  hostOf: (client: object) => Host | undefined;
  connected: (client: object, host: Host) => void;
  /** Reports a session in the wrong state: the servers are queried again. */
  doubt: () => void;
  /**
   * @param onMoved called when the current server changes.
   * @returns unregisters the member; the servers are watched while there are members.
   */
  join: (onMoved: (current: Host) => void) => () => void;
  target: TargetSession;
};

/** Interval of checks, and the number of missing answers after which a server is given up. */
const ASK_MS = 1_000;
const MISSING_MAX = 3;
const SEARCH_PAUSE_MS = 200;
/** After a first failure the others have this long: one of them may be off the network. */
const OTHERS_MS = 1_000;

const shared = new Map<string, Servers>();

export function serversOf(url: string): Servers {
  const known = shared.get(url);
  if (known) return known;
  const made = hostsOf(url).length > 1 ? watchServers(url) : oneServer(url);
  shared.set(url, made);
  return made;
}

function oneServer(url: string): Servers {
  const [host = { host: 'localhost', port: 5432 }] = hostsOf(url);
  let members = 0;
  return {
    find: async () => host,
    hostOf: () => host,
    connected: () => undefined,
    doubt: () => undefined,
    join: () => {
      members++;
      return () => void (--members === 0 && shared.delete(url));
    },
    target: targetSessionOf(url),
  };
}

function watchServers(url: string): Servers {
  const watch = new ServerWatch(url);
  return {
    find: () => watch.find(),
    hostOf: (client) => watch.places.get(client),
    connected: (client, host) => void watch.places.set(client, host),
    doubt: () => watch.doubt(),
    join: (onMoved) => watch.join(onMoved),
    target: targetSessionOf(url),
  };
}

class ServerWatch {
  readonly places = new WeakMap<object, Host>();
  readonly #url: string;
  readonly #hosts: readonly Host[];
  readonly #members = new Set<{ onMoved: (current: Host) => void }>();
  #current: { host: Host; client: pg.Client; timer: NodeJS.Timeout } | undefined;
  #last: Host | undefined;
  readonly #asked = new Map<Host, Promise<void>>();
  #search: Promise<Host> | undefined;
  #trouble: Error | undefined;

  constructor(url: string) {
    this.#url = url;
    this.#hosts = hostsOf(url);
  }

  find(): Promise<Host> {
    if (this.#current) return Promise.resolve(this.#current.host);
    this.#search ??= this.#ask().finally(() => (this.#search = undefined));
    return this.#search;
  }

  doubt(): void {
    if (this.#current) this.#forget(this.#current.client);
  }

  join(onMoved: (current: Host) => void): () => void {
    const member = { onMoved };
    this.#members.add(member);
    return () => {
      this.#members.delete(member);
      if (this.#members.size > 0) return;
      shared.delete(this.#url);
      if (this.#current) this.#forget(this.#current.client);
    };
  }

  async #ask(): Promise<Host> {
    this.#trouble = undefined;
    const found = Promise.withResolvers<void>();
    for (const host of this.#hosts) {
      if (this.#asked.has(host)) continue;
      const asking = this.#askOne(host)
        .catch((error: unknown) => {
          // A server in the wrong state says more than one that does not answer.
          if (this.#trouble && !isUnfit(error)) return;
          this.#trouble = error instanceof Error ? error : new Error(String(error));
        })
        .finally(() => this.#asked.delete(host));
      this.#asked.set(host, asking);
    }
    const all = [...this.#asked.values()];
    for (const one of all) void one.then(() => this.#current && found.resolve());
    await Promise.race([
      found.promise,
      Promise.all(all),
      Promise.race(all).then(() => sleep(OTHERS_MS)),
    ]);
    if (this.#current) return this.#current.host;
    throw this.#trouble ?? new Error('none of the servers answers');
  }

  async #askOne(host: Host): Promise<void> {
    const client = new pg.Client({ ...clientConfig(this.#url, 'owner', 'watch'), ...host });
    client.on('error', () => this.#forget(client));
    client.on('end', () => this.#forget(client));
    const state = readState(client);
    try {
      await client.connect();
      refuseUnfit(targetSessionOf(this.#url), await state());
    } catch (error) {
      client.connection.stream.destroy();
      throw error;
    }
    if (this.#current || this.#members.size === 0) client.connection.stream.destroy();
    else this.#adopt(host, client, state);
  }

  #adopt(host: Host, client: pg.Client, state: () => Promise<SessionState>): void {
    (client.connection.stream as Socket).unref();
    let missing = 0;
    let isPending = false;
    const timer = setInterval(() => {
      if (isPending && ++missing >= MISSING_MAX) return this.#forget(client);
      if (isPending) return;
      isPending = true;
      client
        .query('select 1')
        .then(async () => {
          isPending = false;
          missing = 0;
          refuseUnfit(targetSessionOf(this.#url), await state());
        })
        .catch(() => this.#forget(client));
    }, ASK_MS);
    timer.unref();
    this.#current = { host, client, timer };
    const hasMoved = this.#last !== undefined && this.#last !== host;
    this.#last = host;
    if (hasMoved) for (const { onMoved } of this.#members) onMoved(host);
  }

  #forget(client: pg.Client): void {
    if (this.#current?.client !== client) return;
    clearInterval(this.#current.timer);
    this.#current = undefined;
    client.connection.stream.destroy();
    void this.#seek();
  }

  async #seek(): Promise<void> {
    while (!this.#current && this.#members.size > 0) {
      await this.find().catch(() => undefined);
      if (!this.#current) await sleep(SEARCH_PAUSE_MS);
    }
  }
}

type SessionState = { isStandby: boolean; isReadOnly: boolean };

/** Uses the server's own reports; queries it behind a pooler that does not pass them on. */
function readState(client: pg.Client): () => Promise<SessionState> {
  const reported = new Map<string, string>();
  client.connection.on('parameterStatus', ({ parameterName, parameterValue }) =>
    reported.set(parameterName, parameterValue),
  );
  return async () => {
    const standby = reported.get('in_hot_standby');
    if (standby !== undefined) {
      const isStandby = standby === 'on';
      return { isStandby, isReadOnly: reported.get('default_transaction_read_only') === 'on' };
    }
    const { rows } = await client.query<SessionState>(
      `select pg_is_in_recovery() as "isStandby", current_setting('transaction_read_only') = 'on' as "isReadOnly"`,
    );
    return rows[0] ?? { isStandby: false, isReadOnly: false };
  };
}

const isUnfit = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === READ_ONLY;

function refuseUnfit(target: TargetSession, { isStandby, isReadOnly }: SessionState): void {
  const isFit = target === 'standby' ? isStandby : target === 'any' || !(isStandby || isReadOnly);
  if (isFit) return;
  const words = target === 'standby' ? 'the server is no standby' : 'the server takes no writes';
  throw Object.assign(new Error(words), { code: READ_ONLY });
}

/**
 * A pg client that connects to the current server, with an error listener for its whole life. Fails to connect if the
 * session is in the wrong state.
 */
export function createClientClass(
  servers: Servers,
  url: string,
  { as, name }: Pick<PoolOptions, 'as' | 'name'>,
): new () => pg.Client {
  return class extends pg.Client {
    readonly #state: () => Promise<SessionState>;
    constructor() {
      super(clientConfig(url, as, name));
      this.on('error', () => undefined);
      this.#state = readState(this);
    }
    override connect(): Promise<pg.Client>;
    override connect(callback: (error: Error) => void): void;
    override connect(callback?: (error: Error) => void): Promise<pg.Client> | void {
      const connected = this.#connect();
      if (!callback) return connected.then(() => this);
      // oxlint-disable-next-line promise/no-callback-in-promise -- pg's own pool asks for one.
      connected.then(() => callback(undefined as never), callback);
    }
    async #connect(): Promise<void> {
      const found = await servers.find();
      if (this.connection.stream.destroyed) throw new Error('the connection was given up');
      Object.assign(this, found);
      await super.connect();
      servers.connected(this, found);
      if (servers.target === 'any') return;
      try {
        refuseUnfit(servers.target, await this.#state());
      } catch (error) {
        servers.doubt();
        this.connection.stream.destroy();
        throw error;
      }
    }
  };
}

const sleep = (ms: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, ms).unref());
