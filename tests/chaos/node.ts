import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { codeCache, serverEntry } from '#tests/support/app/code-cache.ts';

export type Node = {
  name: string;
  address: () => string | undefined;
  pid: () => number | undefined;
  start: () => Promise<void>;
  /** Sends SIGKILL to its whole process group. @returns true if something was alive. */
  kill: () => Promise<boolean>;
  /** Suspends it (SIGSTOP); it does not answer meanwhile, and does not notice. */
  freeze: () => void;
  thaw: () => void;
  /** Stops it gracefully. @returns its exit code; null if it had to be killed. */
  stop: () => Promise<number | null>;
  deaths: string[];
  output: readonly string[];
};

const shiftedClock = join(import.meta.dirname, 'faults/shifted-clock.mjs');
const START_MS_MAX = 60_000;
const STOP_MS_MAX = 40_000;
const LINES_KEPT = 40;

type Running = { child: ChildProcess; exit: Promise<number | null>; expected: boolean };

export function openNode(name: string, env: Readonly<Record<string, string>>): Node {
  let running: Running | undefined;
  let address: string | undefined;
  let isFrozen = false;
  const deaths: string[] = [];
  const output: string[] = [];

  const postAndCount = (words: string) => {
    output.push(...words.trimEnd().split('\n'));
    output.splice(0, Math.max(0, output.length - LINES_KEPT));
  };
  const start = async () => {
    const child = spawn(
      process.execPath,
      ['--disable-proto=delete', '--import', shiftedClock, serverEntry],
      {
        env: {
          PATH: process.env['PATH'] ?? '',
          NODE_COMPILE_CACHE: codeCache,
          PORT: '0',
          LOG_LEVEL: 'warn',
          ...env,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
        detached: true,
      },
    );
    const { promise: exit, resolve: exited } = Promise.withResolvers<number | null>();
    const { promise: open, resolve: opened, reject } = Promise.withResolvers<void>();
    const mine: Running = { child, exit, expected: false };
    running = mine;
    const leave = () => signalGroup(child, 'SIGKILL');
    process.once('exit', leave);
    child.stdout.setEncoding('utf8').on('data', (words: string) => {
      postAndCount(words);
      const found = /Kabari runs: http:\/\/localhost:(\d+)/.exec(words)?.[1];
      if (found === undefined) return;
      if (running === mine) address = `http://127.0.0.1:${found}`;
      opened();
    });
    child.stderr.setEncoding('utf8').on('data', postAndCount);
    child.on('close', (code, signal) => {
      process.off('exit', leave);
      if (running === mine) address = undefined;
      if (!mine.expected)
        deaths.push(`${name} died by itself (${code ?? signal}): ${output.join('\n')}`);
      exited(code);
      // A kill during the start is no failure.
      if (mine.expected) opened();
      else reject(new Error(deaths.at(-1)));
    });
    const late = setTimeout(
      () => reject(new Error(`${name} did not open in a minute: ${output.join('\n')}`)),
      START_MS_MAX,
    );
    await open.finally(() => clearTimeout(late));
    // Only now: a node with such a wrong clock does not start.
    if (env['CHAOS_CLOCK_SECONDS'] && !mine.expected) child.kill('SIGUSR2');
  };
  const kill = async () => {
    const hit = running;
    if (!hit || hit.child.exitCode !== null || hit.child.signalCode !== null) return false;
    hit.expected = true;
    address = undefined;
    signalGroup(hit.child, 'SIGKILL');
    await hit.exit;
    return true;
  };
  const stop = async () => {
    const last = running;
    if (!last || last.child.exitCode !== null || last.child.signalCode !== null) return null;
    last.expected = true;
    last.child.kill('SIGTERM');
    const late = setTimeout(() => signalGroup(last.child, 'SIGKILL'), STOP_MS_MAX);
    return last.exit.finally(() => clearTimeout(late));
  };
  const signal = (which: 'SIGSTOP' | 'SIGCONT') => {
    if (running) signalGroup(running.child, which);
    isFrozen = which === 'SIGSTOP';
  };
  return {
    name,
    address: () => (isFrozen ? undefined : address),
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
    pid: () => running?.child.pid,
    start,
    kill,
    stop,
    deaths,
    output,
  };
}

function signalGroup({ pid, exitCode, signalCode }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
