import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { Curve } from 'baileys';
import { type BenchDatabase, openBenchDatabase } from '#bench/lib/bench-database.ts';
import { type Customer as Account, richCustomers } from '#bench/lib/customers.ts';
import { residentMb } from '#bench/lib/cpu.ts';
import { type AppProcess, startApp } from '#bench/lib/server.ts';
import { openAuthStorage, openLeases } from '#server/domains/channels/web/auth.ts';
import { becomeLinked } from '#server/domains/channels/web/sockets/numbers.ts';
import { newId } from '#server/infra/ids.ts';
import { readSecrets } from '#server/infra/security/secrets.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { Customer, sampleSession } from './customer.ts';
import { Logins, mostInSecond } from './logins.ts';
import { type Network, openNetwork } from './network.ts';
import { socketsOf } from './process-figures.ts';
import { type Bundle, messageFrom } from './stanzas.ts';
import { uploadedPhone } from './stored-phone.ts';

export type WorkersWork = {
  idleMs: number;
  known: number;
  /** The number of new customers who write to it; each message is answered. */
  customers: number;
  messagesEach: number;
};

export type WorkerFigures = { phones: number; bytes: number; postgres: number; sockets: number };

export type LoginFigures = {
  count: number;
  /** From the beginning to the first of them and to the last. */
  firstMs: number;
  lastMs: number;
  mostInSecond: number;
};

/** One worker at its moments; `moved` is undefined for the killed worker. */
export type MeasuredWorker = {
  idle: WorkerFigures;
  worked: WorkerFigures;
  moved: WorkerFigures | undefined;
};

export type MeasuredWorkers = {
  single: { idle: WorkerFigures; worked: WorkerFigures };
  workers: readonly MeasuredWorker[];
  /** Connections of the workers and of the web process, as PostgreSQL lists them after the work. */
  listedConnections: number;
  /** The same connections, counted in the processes. */
  heldConnections: number;
  start: LoginFigures;
  move: LoginFigures & { lost: number; neverBack: number };
  /** Phones that logged in although their connection had not ended. */
  unasked: number;
  /** Phones that ever had two connections at once. */
  doubled: number;
};

type Phone = { number: string; account: Account };

const TEXT =
  'Selamat siang, pesanan Anda sudah kami kirim hari ini. Nomor resi menyusul, mohon ditunggu ya.';
const LONG_MS = 15 * 60_000;
/** The bench is both network and customers, so it works for only this many phones at once. */
const PHONES_AT_ONCE = 8;
/** Spare pre-keys of each phone: with fewer the library uploads more. */
const SPARE_PRE_KEYS = 10;

const numbered = (prefix: string, nth: number): string => `${prefix}${`${nth}`.padStart(4, '0')}`;

export async function measureWorkers(
  phones: number,
  workers: number,
  work: WorkersWork,
): Promise<MeasuredWorkers> {
  const database = await openBenchDatabase(4, { isDurable: false });
  const bench = new WorkersBench(database, work);
  try {
    await bench.open();
    return await bench.run(phones, workers);
  } finally {
    await bench.close();
    await database.close();
  }
}

class WorkersBench {
  readonly #database: BenchDatabase;
  readonly #work: WorkersWork;
  readonly #root = Curve.generateKeyPair();
  readonly #bundles = new Map<string, Bundle>();
  readonly #logins = new Logins();
  readonly #apps = new Set<AppProcess>();
  readonly #collected = new Map<AppProcess, string>();
  #network: Network | undefined;
  #web: AppProcess | undefined;
  #sent = 0;

  constructor(database: BenchDatabase, work: WorkersWork) {
    this.#database = database;
    this.#work = work;
  }

  async open(): Promise<void> {
    this.#network = await openNetwork(this.#root, {
      bundles: this.#bundles,
      onLogin: (number) => this.#logins.login(number),
      onLogout: (number) => this.#logins.logout(number),
      onMessage: () => {
        this.#sent += 1;
      },
    });
    this.#web = await this.#startApp({ ROLE: 'web' });
  }

  async close(): Promise<void> {
    await Promise.all([...this.#apps].map((app) => app.stop()));
    await this.#network?.close();
  }

  async run(count: number, workers: number): Promise<MeasuredWorkers> {
    const accounts = await richCustomers(this.#database.allAccountsSql, count + 1);
    const all = accounts.map((account, nth) => ({ number: numbered('62812000', nth), account }));
    const [alone, phones] = [all.slice(count), all.slice(0, count)];
    await this.#link(alone);
    const single = await this.#measureSingle(alone);
    await this.#link(phones);

    // No worker takes a session before all of them run.
    await this.#hold('1 hour');
    const apps: AppProcess[] = [];
    while (apps.length < workers) apps.push(await this.#startWorker());
    this.#logins.restart();
    const startedAt = performance.now();
    await this.#hold('0');
    await this.#untilOpen(phones);
    const start = this.#loginsSince(startedAt);
    say(`${count} phones are connected`);
    await sleep(this.#work.idleMs);
    const idle = await this.#figuresOf(apps);
    await this.#workOf(phones);
    const worked = await this.#figuresOf(apps);
    const listedConnections = await this.#listedConnections();
    const heldByWeb = this.#web ? (await this.#sockets(this.#web)).unix : 0;
    const heldConnections = worked.reduce((sum, { postgres }) => sum + postgres, heldByWeb);

    const [killed, ...others] = apps;
    if (!killed) throw new RangeError('workers: at least two');
    const { move, unasked } = await this.#kill(killed, phones);
    await sleep(this.#work.idleMs);
    const moved = await this.#figuresOf(others);
    return {
      single,
      workers: worked.flatMap((figures, nth) => {
        const before = idle[nth];
        return before ? [{ idle: before, worked: figures, moved: moved[nth - 1] }] : [];
      }),
      listedConnections,
      heldConnections,
      start,
      move,
      unasked,
      doubled: this.#logins.doubled,
    };
  }

  async #measureSingle(alone: readonly Phone[]): Promise<MeasuredWorkers['single']> {
    const app = await this.#startWorker();
    await this.#untilOpen(alone);
    await sleep(this.#work.idleMs);
    const [idle] = await this.#figuresOf([app]);
    await this.#workOf(alone);
    const [worked] = await this.#figuresOf([app]);
    await app.stop();
    this.#apps.delete(app);
    await this.#database.allAccountsSql`delete from web_sessions`;
    if (!idle || !worked) throw new Error('nothing was measured');
    say(`one phone: ${inMb(idle.bytes)} MB, after its messages ${inMb(worked.bytes)} MB`);
    return { idle, worked };
  }

  async #kill(app: AppProcess, phones: readonly Phone[]) {
    this.#logins.restart();
    const killedAt = performance.now();
    process.kill(app.pid, 'SIGKILL');
    await app.stop();
    this.#apps.delete(app);
    await waitFor(() => this.#logins.ended.length > 0);
    const isAway = ({ number }: Phone) => !this.#logins.isOpen(number);
    // Phones that do not come back are counted; the wait is limited.
    await waitFor(() => !phones.some(isAway), { patienceMs: LONG_MS / 3 }).catch(() => undefined);
    return {
      move: {
        ...this.#loginsSince(killedAt),
        lost: this.#logins.ended.length,
        neverBack: phones.filter(isAway).length,
      },
      unasked: this.#logins.unasked,
    };
  }

  #loginsSince(beganAt: number): LoginFigures {
    const { times } = this.#logins;
    return {
      count: times.length,
      firstMs: Math.min(...times) - beganAt,
      lastMs: Math.max(...times) - beganAt,
      mostInSecond: mostInSecond(times),
    };
  }

  async #startApp(env: Readonly<Record<string, string>>): Promise<AppProcess> {
    const app = await startApp({
      DATABASE_URL: this.#database.url,
      KABARI_DATA: join(this.#database.folder, 'application'),
      RATE_API_PER_SECOND: '1000000',
      CHANNEL_WEB: 'on',
      WEB_URL: this.#openNetwork.url,
      ...env,
    });
    this.#apps.add(app);
    return app;
  }

  async #startWorker(): Promise<AppProcess> {
    const collected = join(this.#database.folder, `collected-${newId()}`);
    const preload = new URL('./worker-preload.ts', import.meta.url).href;
    const app = await this.#startApp({
      ROLE: 'worker',
      NODE_OPTIONS: `--import=${preload}`,
      NETWORK_KEY: Buffer.from(this.#root.public).toString('hex'),
      COLLECTED: collected,
    });
    this.#collected.set(app, collected);
    return app;
  }

  get #openNetwork(): Network {
    if (!this.#network) throw new Error('the network is not open');
    return this.#network;
  }

  async #link(phones: readonly Phone[]): Promise<void> {
    const { allAccountsSql } = this.#database;
    const secrets = await readSecrets(allAccountsSql);
    const leases = openLeases(allAccountsSql, newId());
    const session = await sampleSession();
    const preKeys = Array.from({ length: this.#work.customers + SPARE_PRE_KEYS }, () =>
      Curve.generateKeyPair(),
    );
    await eachOf(phones, async ({ number, account: { accountId, tokenId } }, phone) => {
      const numbers = Array.from({ length: this.#work.known }, (_, nth) =>
        numbered(`62813${1_000 + phone}`, nth),
      );
      const { creds, keys, bundle } = uploadedPhone(number, { numbers, session }, preKeys);
      this.#bundles.set(number, bundle);
      await allAccountsSql`
        update tokens set channel = 'web', phone = ${number} where token_id = ${tokenId}`;
      const owned = await leases.begin({ accountId, tokenId, linkId: newId() });
      if (!owned) throw new Error('a session is held already');
      const auth = openAuthStorage({ allAccountsSql, secrets, leases }, owned, () => undefined);
      await auth.writeCreds(creds);
      await auth.writeKeys(keys);
      await leases.whileOwned(owned, async (tx) => {
        await becomeLinked(tx, owned, number);
        await tx`
          update web_numbers set first_linked_at = clock_timestamp() - interval '40 days'
          where account_id = ${accountId} and token_id = ${tokenId}`;
      });
      await leases.release(owned);
    });
    say(`${phones.length} phones are stored`);
  }

  /** Sets how long sessions stay leased to a stopped owner. */
  async #hold(interval: string): Promise<void> {
    await this.#database.allAccountsSql`
      update web_sessions set lease_until = clock_timestamp() + ${interval}::interval`;
  }

  async #untilOpen(phones: readonly Phone[]): Promise<void> {
    await waitFor(() => phones.every(({ number }) => this.#logins.isOpen(number)), {
      patienceMs: LONG_MS,
    });
  }

  async #workOf(phones: readonly Phone[]): Promise<void> {
    const { customers, messagesEach } = this.#work;
    const { allAccountsSql } = this.#database;
    const customersOf = (phone: number) =>
      Array.from({ length: customers }, (_, nth) => numbered(`62857${1_000 + phone}`, nth));
    const received = async () => {
      const [row] = await allAccountsSql<{ count: number }[]>`
        select count(*)::int as count from messages where direction = 'in'`;
      return row?.count ?? 0;
    };
    const messages = phones.length * customers * messagesEach;
    const expected = (await received()) + messages;
    await eachOf(phones, async ({ number }, phone) => {
      for (const from of customersOf(phone)) await this.#write(number, from);
    });
    await waitFor(async () => (await received()) === expected, { patienceMs: LONG_MS });
    say(`${messages} messages were received`);
    const sent = this.#sent + messages;
    for (let nth = 0; nth < messagesEach; nth++) {
      await eachOf(phones, async ({ account }, phone) => {
        for (const to of customersOf(phone)) await this.#answer(account, to);
      });
    }
    await waitFor(() => this.#sent >= sent, { patienceMs: LONG_MS });
    say(`${messages} messages were answered`);
  }

  async #write(number: string, from: string): Promise<void> {
    const network = this.#openNetwork;
    const customer = new Customer(from);
    await customer.meet(network.bundleOf(number));
    // Generating a key takes long. Yield, so that the network answers and phones do not give up on it.
    await setImmediate();
    for (let nth = 0; nth < this.#work.messagesEach; nth++) {
      const id = `3EB0${newId().replaceAll('-', '').slice(-18).toUpperCase()}`;
      const receipt = network.next(id);
      network.deliver(number, messageFrom(from, id, await customer.write(TEXT)));
      const { tag, attrs } = await receipt;
      if (tag !== 'receipt' || attrs['type'] === 'retry') {
        throw new Error(`a phone could not read a message: ${tag} ${attrs['error'] ?? 'retry'}`);
      }
    }
  }

  async #answer({ key }: Account, to: string): Promise<void> {
    const response = await fetch(`http://127.0.0.1:${this.#web?.port}/v1/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ to, text: { body: TEXT } }),
    });
    const body = await response.text();
    if (response.status !== 202) throw new Error(`a message was refused: ${body}`);
  }

  #sockets(app: AppProcess) {
    return socketsOf(app.pid, Number(new URL(this.#openNetwork.url).port));
  }

  /** One process after the other, so that garbage collection does not stop all phones at once. */
  async #figuresOf(apps: readonly AppProcess[]): Promise<WorkerFigures[]> {
    const figures: WorkerFigures[] = [];
    for (const app of apps) {
      const collected = this.#collected.get(app) ?? '';
      rmSync(collected, { force: true });
      process.kill(app.pid, 'SIGUSR2');
      await waitFor(() => existsSync(collected));
      const { all, toPort, unix } = await this.#sockets(app);
      const bytes = (await residentMb(app.pid)) * 2 ** 20;
      figures.push({ phones: toPort, bytes, postgres: unix, sockets: all });
    }
    for (const { phones, bytes, postgres, sockets } of figures) {
      say(`  ${phones} phones, ${inMb(bytes)} MB, ${postgres} to PostgreSQL, ${sockets} sockets`);
    }
    return figures;
  }

  async #listedConnections(): Promise<number> {
    const [row] = await this.#database.owner<{ count: number }[]>`
      select count(*)::int as count from pg_stat_activity
      where datname = current_database() and backend_type = 'client backend'
        and application_name <> 'kabari bench'`;
    return row?.count ?? 0;
  }
}

const inMb = (bytes: number): string => (bytes / 2 ** 20).toFixed(0);

const say = (line: string) => process.stdout.write(`${line}\n`);

async function eachOf<T>(
  all: readonly T[],
  work: (one: T, nth: number) => Promise<void>,
): Promise<void> {
  const rest = all.entries();
  const lane = async () => {
    for (const [nth, one] of rest) await work(one, nth);
  };
  await Promise.all(Array.from({ length: PHONES_AT_ONCE }, lane));
}
