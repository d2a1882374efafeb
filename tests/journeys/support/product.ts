import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { constants, setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';

import { rupiah } from '#contract/base/money.ts';
import { savePlan } from '#server/domains/billing/billing.ts';
import { newId } from '#server/infra/ids.ts';
import { runningEmbedded } from '#server/infra/embedded-postgres/embedded.ts';
import { openDatabase } from '#server/infra/postgres/database.ts';
import { codeCache, serverEntry } from '#tests/support/app/code-cache.ts';
import { endProcess } from '#tests/support/end-process.ts';

const root = join(import.meta.dirname, '../../..');
const START_MS_MAX = 60_000;

/** The whole product as `npm start` runs it, in its own process on a free port. */
export type Product = {
  /** `http://localhost:…`, without a trailing slash. */
  address: string;
  /** From the file of the first start, because there is no terminal here. */
  operator: { phone: string; password: string };
  log: () => string;
  /** Kills it with SIGKILL, as a power cut would, and restarts it at the same address. */
  killAndRestart: () => Promise<void>;
  stop: () => Promise<void>;
};

export type ProductOptions = {
  /** Whether it runs at low priority: in production a server is another machine. */
  yields?: boolean;
  /**
   * The free plan: as shipped, or (`paying`) without a quota and with tokens for a shop of several branches, so that
   * every message costs, even without another plan.
   */
  freePlan?: 'as it comes' | 'paying' | undefined;
};

/**
 * Starts the product with an empty data folder, its own PostgreSQL and the simulated phones.
 * @param settings environment variables beside those of journeys; with `DATABASE_URL`, that database.
 * @throws Error if the web app is not built; with its output, if it does not open.
 */
export async function startProduct(
  settings: Record<string, string> = {},
  { yields = false, freePlan = 'paying' }: ProductOptions = {},
): Promise<Product> {
  if (!existsSync(join(root, 'dist/index.html'))) {
    throw new Error('The web app is not built; run `npm run build`.');
  }
  const folder = await mkdtemp(join(tmpdir(), 'kabari-journey-'));
  const env: Record<string, string | undefined> & { KABARI_DATA: string } = {
    PATH: process.env['PATH'],
    TZ: 'UTC',
    NODE_ENV: 'development',
    PORT: '0',
    KABARI_DATA: folder,
    SIMULATOR: 'on',
    // Delays come from the machine: browsers and other tests run beside it.
    BUSY_DELAY_MS: '0',
    // All clients of a run share one address.
    RATE_AUTH_PER_ADDRESS: '100000',
    OTP_DAILY_PER_ADDRESS: '100000',
    // `main-job.test.ts` solves a usual captcha.
    CAPTCHA_STEPS: '2',
    LOG_LEVEL: 'warn',
    NODE_COMPILE_CACHE: codeCache,
    ...settings,
  };
  const lines: string[] = [];
  const output = () => lines.join('');
  const run = () => {
    const started = spawn(process.execPath, ['--disable-proto=delete', serverEntry], {
      cwd: root,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    // Its PostgreSQL inherits the priority.
    if (yields && started.pid !== undefined)
      setPriority(started.pid, constants.priority.PRIORITY_LOW);
    for (const stream of [started.stdout, started.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => lines.push(text));
    }
    return started;
  };
  let child = run();
  const orphaned = () => void child.kill();
  process.once('exit', orphaned);
  const stop = async () => {
    await endProcess(child);
    process.off('exit', orphaned);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await opened(child, output);
    if (freePlan === 'paying') {
      await editFreePlan(env['DATABASE_URL'] ?? runningEmbedded(env.KABARI_DATA));
    }
    const found = (pattern: RegExp) => pattern.exec(output())?.[1] ?? '';
    const address = found(/Kabari runs: (\S+)/);
    const killAndRestart = async () => {
      await endProcess(child, 'SIGKILL');
      env['PORT'] = new URL(address).port;
      child = run();
      await opened(child, output);
    };
    return {
      address,
      operator: await operatorIn(found(/operator signs in stands in (\S+),/)),
      log: output,
      killAndRestart,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function editFreePlan(url: string | undefined): Promise<void> {
  if (url === undefined) throw new Error('The product runs without its database.');
  const sql = openDatabase(url, { max: 1, as: 'all accounts', name: 'journeys' });
  const edit = {
    code: 'gratis',
    name: 'Gratis',
    description: 'Bayar per pesan.',
    price: rupiah(0),
    tokens: 20,
    quota: 0,
    overage: rupiah(150),
    isOffered: true,
    operatorId: newId(),
  };
  await sql.begin((tx) => savePlan(tx, { ...edit, at: new Date() }));
  await sql.end({ timeout: 1 });
}

async function operatorIn(path: string): Promise<Product['operator']> {
  const [, phone = '', password = ''] =
    /phone +(\d+)\s+password +(\S+)/.exec(await readFile(path, 'utf8')) ?? [];
  return { phone, password };
}

async function opened(child: ChildProcess, output: () => string): Promise<void> {
  const open = Promise.withResolvers<void>();
  const before = output().length;
  const look = () => {
    if (/Kabari runs: \S+\n[\s\S]*\n\n/.test(output().slice(before))) open.resolve();
  };
  const late = setTimeout(
    () => open.reject(new Error(`The product did not open in time.\n${output()}`)),
    START_MS_MAX,
  );
  child.stdout?.on('data', look);
  child.once('error', open.reject);
  child.once('exit', () => open.reject(new Error(`The product did not start.\n${output()}`)));
  await open.promise.finally(() => clearTimeout(late));
}
