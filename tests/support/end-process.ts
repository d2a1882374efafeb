import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/**
 * Ends a child process, and waits until it has ended. One that did not start, or has ended already, is left alone:
 * nobody would tell of its end a second time.
 *
 * @param group whether all that it has started ends with it: of a child that was started `detached`.
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
