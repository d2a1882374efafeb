import { execFileSync } from 'node:child_process';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { StartError } from '#server/infra/start-error.ts';

type Holder = { pid: number; since: string };

/** A string that no other process with the same PID shares; `undefined` if there is no process. */
function startTimeOf(pid: number): string | undefined {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return undefined;
  }
  try {
    if (process.platform === 'linux') {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      if (fields[0] === 'Z') return undefined;
      const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
      return `${boot} ${fields[19]}`;
    }
    if (process.platform === 'win32') return hostname();
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
}

function holderOf(file: string): Holder | undefined {
  try {
    const { pid, since } = JSON.parse(readFileSync(file, 'utf8')) as Partial<Holder>;
    return typeof pid === 'number' && typeof since === 'string' ? { pid, since } : undefined;
  } catch {
    return undefined;
  }
}

const isAlive = (holder: Holder | undefined): holder is Holder =>
  holder !== undefined && startTimeOf(holder.pid) === holder.since;

/**
 * Locks a folder by a file made with `link`, which is atomic. A dead holder's lock is first moved aside, and put back
 * if another process had already replaced it.
 *
 * @throws StartError if another living process holds the folder.
 */
export function holdFolder(folder: string): { release(): void } {
  const file = join(folder, 'lock');
  const mine = `${file}.${process.pid}`;
  const self: Holder = { pid: process.pid, since: startTimeOf(process.pid) ?? '' };
  writeFileSync(mine, JSON.stringify(self), { mode: 0o600 });
  try {
    for (let tries = 0; tries < 10; tries++) {
      if (linked(mine, file)) return { release: () => release(file, self) };
      const holder = holderOf(file);
      if (isAlive(holder)) {
        throw new StartError(
          `Kabari already runs on ${folder} (process ${holder.pid}); stop it first, or set KABARI_DATA to another folder.`,
        );
      }
      setAside(file, `${mine}.old`);
    }
    throw new StartError(`${file} could not be taken; several starts are fighting for it.`);
  } finally {
    rmSync(mine, { force: true });
  }
}

export const isHeld = (folder: string): boolean => isAlive(holderOf(join(folder, 'lock')));

function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Moves a dead holder's lock away; puts it back if its holder turns out to be alive. */
function setAside(file: string, aside: string): void {
  try {
    renameSync(file, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  if (isAlive(holderOf(aside))) linked(aside, file);
  rmSync(aside, { force: true });
}

function release(file: string, self: Holder): void {
  const holder = holderOf(file);
  if (holder?.pid === self.pid && holder.since === self.since) rmSync(file, { force: true });
}
