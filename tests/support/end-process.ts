import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/**
 * Ends a child process, and waits until it has ended. Ignores one that did not start or has ended already, because its
 * exit event would never come.
 * @param group whether all its children end with it; requires a child started `detached`.
 */
export async function endProcess(
  child: ChildProcess,
  signal: NodeJS.Signals = 'SIGTERM',
  { group = false } = {},
): Promise<void> {
  const { pid } = child;
  if (pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  process.kill(group ? -pid : pid, signal);
  await gone;
}
