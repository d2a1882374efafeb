import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** An application in a process of its own, behind HTTP. */
export type Served = { address: string; pid: number; close(): Promise<void> };

const STARTING_MS_MAX = 30_000;

/**
 * Starts `main.ts` on a database, on a free port, with what `env` says beside.
 *
 * @throws Error with what it wrote when it does not come up within 30 s.
 */
export async function serve(databaseUrl: string, env: Record<string, string>): Promise<Served> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'kabari-served-'));
  const main = join(import.meta.dirname, '../../src/server/main.ts');
  const child = spawn(process.execPath, ['--disable-proto=delete', main], {
    env: {
      ...process.env,
      DATABASE_URL: databaseUrl,
      KABARI_DATA: dataFolder,
      PORT: '0',
      LOG_LEVEL: 'error',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const close = async () => {
    child.kill('SIGTERM');
    await gone;
    await rm(dataFolder, { recursive: true, force: true });
  };
  const output: string[] = [];
  const address = await new Promise<string | undefined>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      createInterface(stream).on('line', (line) => {
        output.push(line);
        const found = /https?:\/\/localhost:\d+/.exec(line);
        if (found) resolve(found[0]);
      });
    }
    void gone.then(() => resolve(undefined));
    setTimeout(() => resolve(undefined), STARTING_MS_MAX).unref();
  });
  if (address === undefined || child.pid === undefined) {
    await close();
    throw new Error(`the application did not start:\n${output.join('\n')}`);
  }
  return { address, pid: child.pid, close };
}
