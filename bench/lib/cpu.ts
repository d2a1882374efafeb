import { readFile } from 'node:fs/promises';

/** CPU milliseconds used by an installation: the application's processes, and PostgreSQL's. */
export type Cpu = { appMs: number; postgresMs: number };

/** A tick of `/proc/<pid>/stat`: 10 ms on every Linux that Node runs on. */
const TICK_MS = 10;

/** CPU milliseconds of a process itself, and of its children that have ended. */
async function usedMs(pid: number): Promise<{ own: number; ended: number }> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The name in brackets may contain spaces, so fields are counted after it, from the third.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ms = (first: number) => (Number(fields[first]) + Number(fields[first + 1])) * TICK_MS;
  return { own: ms(11), ended: ms(13) };
}

/** CPU milliseconds a process has used so far (user and system), from /proc; Linux only. */
export const cpuMs = async (pid: number): Promise<number> => (await usedMs(pid)).own;

/**
 * CPU milliseconds of a postmaster, its current backends, and the ended ones; Linux only. If a backend ends during the
 * reading, everything is read again, so that it counts once.
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

/** CPU milliseconds spent outside this process, including steal time of the host; Linux only. */
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

export const cpuBetween = (before: Cpu, after: Cpu): Cpu => ({
  appMs: after.appMs - before.appMs,
  postgresMs: after.postgresMs - before.postgresMs,
});

export async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}
