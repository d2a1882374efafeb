import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { freePort } from '#server/infra/embedded-postgres/embedded.ts';

export type AppProcess = {
  port: number;
  pid: number;
  startMs: number;
  stop(): Promise<void>;
};

type Started = { root?: string | undefined; program?: string | undefined };

const repository = join(import.meta.dirname, '../..');
const START_MS_MAX = 30_000;

/**
 * Starts `src/server/main.ts` of a checkout, or another program with its flags, on a free port; waits for its first
 * response.
 */
export async function startApp(
  env: Readonly<Record<string, string>>,
  { root = repository, program = join(root, 'src/server/main.ts') }: Started = {},
): Promise<AppProcess> {
  const port = await freePort();
  const began = performance.now();
  const child = spawn(process.execPath, [...(await flagsOf(root)), program], {
    env: {
      MALLOC_ARENA_MAX: '2',
      PATH: process.env['PATH'],
      // A worker only serves its health port.
      [env['ROLE'] === 'worker' ? 'HEALTH_PORT' : 'PORT']: String(port),
      LOG_LEVEL: 'warn',
      ...env,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  await answers(port, began).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return { port, pid: child.pid ?? 0, startMs: performance.now() - began, stop };
}

/** The Node flags of a checkout; older checkouts that do not name any ran with these. */
export async function flagsOf(root = repository): Promise<readonly string[]> {
  const ready = pathToFileURL(join(root, 'tools/ready.mjs')).href;
  const { flags } = (await import(ready)) as { flags?: readonly string[] };
  return flags ?? ['--disable-proto=delete', '--max-semi-space-size=2'];
}

async function answers(port: number, began: number): Promise<void> {
  while (performance.now() - began < START_MS_MAX) {
    const ok = await fetch(`http://127.0.0.1:${port}/healthz`).then(
      (answer) => answer.ok,
      () => false,
    );
    if (ok) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error('the app did not answer in half a minute');
}
