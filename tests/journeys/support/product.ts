import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { constants, setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../../..');
const START_MS_MAX = 60_000;

/** The whole product as `npm start` runs it: a process of its own, on a free port. */
export type Product = {
  /** `http://localhost:…`, without a slash at its end. */
  address: string;
  /** What the first start wrote to a file, because nobody sees a terminal here. */
  operator: { phone: string; password: string };
  /** Its log so far. */
  log: () => string;
  stop: () => Promise<void>;
};

/**
 * Starts the product with an empty data folder, its own PostgreSQL and the simulated phones.
 *
 * @param settings environment variables beside those of journeys.
 * @param yields whether it lets everything else on the machine go first: in life a server is another machine.
 * @throws Error when the web app is not built; with what it printed, when it does not open.
 */
export async function startProduct(
  settings: Record<string, string> = {},
  { yields = false } = {},
): Promise<Product> {
  if (!existsSync(join(root, 'dist/index.html'))) {
    throw new Error('The web app is not built; run `npm run build`.');
  }
  const folder = await mkdtemp(join(tmpdir(), 'kabari-journey-'));
  const env = {
    PATH: process.env['PATH'],
    TZ: 'UTC',
    NODE_ENV: 'development',
    PORT: '0',
    KABARI_DATA: folder,
    SIMULATOR: 'on',
    // Late is what the machine makes it: browsers and other tests run beside it.
    BUSY_DELAY_MS: '0',
    // Everybody of a file comes from one address, and however long the file takes.
    RATE_AUTH_PER_ADDRESS: '100000',
    OTP_DAILY_PER_ADDRESS: '100000',
    LOG_LEVEL: 'warn',
    NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/code'),
    ...settings,
  };
  const child = spawn(process.execPath, ['--disable-proto=delete', 'src/server/main.ts'], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // Its PostgreSQL takes over what it has.
  if (yields && child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
  const orphaned = () => void child.kill();
  process.once('exit', orphaned);
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => lines.push(text));
  }
  const output = () => lines.join('');
  const stop = async () => {
    await end(child);
    process.off('exit', orphaned);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await opened(child, output);
    const found = (pattern: RegExp) => pattern.exec(output())?.[1] ?? '';
    return {
      address: found(/Kabari runs: (\S+)/),
      operator: await operatorIn(found(/operator signs in stands in (\S+),/)),
      log: output,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function operatorIn(path: string): Promise<Product['operator']> {
  const [, phone = '', password = ''] =
    /phone +(\d+)\s+password +(\S+)/.exec(await readFile(path, 'utf8')) ?? [];
  return { phone, password };
}

async function opened(child: ChildProcess, output: () => string): Promise<void> {
  const open = Promise.withResolvers<void>();
  const look = () => {
    if (/Kabari runs: \S+\n[\s\S]*\n\n/.test(output())) open.resolve();
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

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  await gone;
}
