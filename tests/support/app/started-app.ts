import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { test as base } from '#tests/support/database/database.ts';
import { codeCache, serverEntry } from '#tests/support/app/code-cache.ts';
import { waitFor } from '#tests/support/wait-for.ts';

export type Started = {
  child: ChildProcess;
  out: () => string;
  err: () => string;
  exit: Promise<number | null>;
};

/** Starts the application as a separate process; leftovers are ended after the test. */
export const test = base.extend<{
  folder: string;
  start: (env?: Record<string, string>, how?: How) => Started;
}>({
  // oxlint-disable-next-line no-empty-pattern -- Vitest reads which fixtures a fixture asks for.
  folder: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'kabari-main-'));
    await use(folder);
    await rm(folder, { recursive: true, force: true });
  },
  start: async ({ db, folder }, use) => {
    const started: Started[] = [];
    await use((env = {}, how = {}) => {
      const one = startContainer(how, {
        DATABASE_URL: db.wholeUrl,
        KABARI_DATA: folder,
        PORT: '0',
        HEALTH_PORT: '0',
        ...env,
      });
      started.push(one);
      return one;
    });
    for (const { child } of started) child.kill('SIGKILL');
    await Promise.all(started.map(({ exit }) => exit));
  },
});

type How = {
  /** A terminal, as for a person; otherwise a pipe, as for a service. */
  terminal?: boolean;
  descriptors?: number;
  main?: string;
};

export const hasScript = process.platform === 'linux' && existsSync('/usr/bin/script');

function startContainer(
  { terminal, descriptors, main = serverEntry }: How,
  env: Record<string, string>,
): Started {
  const bare = [process.execPath, '--disable-proto=delete', main];
  const given =
    descriptors === undefined
      ? bare
      : ['/bin/sh', '-c', `ulimit -n ${descriptors}; exec "$0" "$@"`, ...bare];
  const [program = '', ...rest] = terminal
    ? ['/usr/bin/script', '--quiet', '--return', '--command', given.join(' '), '/dev/null']
    : given;
  const child = spawn(program, rest, {
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: codeCache,
      SIMULATOR_SPEED: '0',
      BUSY_DELAY_MS: '0',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (words: string) => (out += words));
  child.stderr.setEncoding('utf8').on('data', (words: string) => (err += words));
  const exit = once(child, 'close').then(([code]) => code as number | null);
  return { child, out: () => out, err: () => err, exit };
}

export async function addressOf(app: Started): Promise<string> {
  return waitFor(() => {
    const found = /Kabari runs: (http:\/\/localhost:\d+)/.exec(app.out())?.[1];
    if (!found) throw new Error(`not open: ${app.out()} ${app.err()}`);
    return found.replace('localhost', '127.0.0.1');
  });
}
export const ended = async (app: Started) => ({ code: await app.exit, err: app.err() });

export const oneSentence = (about: RegExp) => ({
  code: 1,
  err: expect.toSatisfy((words: string) => about.test(words) && !/\n.|^\s+at /m.test(words)),
});
