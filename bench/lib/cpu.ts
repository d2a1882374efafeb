import { readFile } from 'node:fs/promises';

/** CPU milliseconds that an installation has used: the application's processes, and PostgreSQL's. */
export type Cpu = { appMs: number; postgresMs: number };

/** A tick of `/proc/<pid>/stat`: 10 ms on every Linux that Node runs on. */
const TICK_MS = 10;

/** Milliseconds of a process itself, and of its children that have ended. */
async function usedMs(pid: number): Promise<{ own: number; ended: number }> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The name, in brackets, may hold blanks: fields are counted from behind it, beginning with the third.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ms = (first: number) => (Number(fields[first]) + Number(fields[first + 1])) * TICK_MS;
  return { own: ms(11), ended: ms(13) };
}

/** CPU milliseconds a process has used so far (user and system), from /proc; Linux only. */
export const cpuMs = async (pid: number): Promise<number> => (await usedMs(pid)).own;

/**
 * CPU milliseconds of a postmaster, of the backends it has now, and of those that ended before; Linux only.
 * A backend that ends while it is read is counted once: then everything is read anew.
 */
export async function postgresCpuMs(postmaster: number): Promise<number> {
  for (;;) {
    const { own, ended } = await usedMs(postmaster);
    const words = await readFile(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8');
    const pids = words.split(' ').filter((word) => word !== '');
    const living = await Promise.all(pids.map((pid) => cpuMs(Number(pid)).catch(() => undefined)));
    if (living.every((ms) => ms !== undefined)) {
      return living.reduce((sum, ms) => sum + ms, own + ended);
    }
  }
}

/**
 * CPU milliseconds that this machine has spent outside this process, also what its host gave to other machines
 * meanwhile; Linux only.
 */
export async function elsewhereMs(): Promise<number> {
  const stat = await readFile('/proc/stat', 'utf8');
  const [, user, nice, system, , , irq, softirq, steal] = stat.split(/\s+/, 9).map(Number);
  const ticks = [user, nice, system, irq, softirq, steal].reduce<number>(
    (sum, one) => sum + (one ?? 0),
    0,
  );
  const own = process.cpuUsage();
  return ticks * TICK_MS - (own.user + own.system) / 1000;
}

/** What was used between two readings. */
export const cpuBetween = (before: Cpu, after: Cpu): Cpu => ({
  appMs: after.appMs - before.appMs,
  postgresMs: after.postgresMs - before.postgresMs,
});

/** Resident megabytes of a process. */
export async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}
