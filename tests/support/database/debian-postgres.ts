import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { chownSync, existsSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { endProcess } from '#tests/support/end-process.ts';
import { waitFor } from '#tests/support/wait-for.ts';

const versions = '/usr/lib/postgresql';

/** Programs of Debian's oldest PostgreSQL from 15 on; `undefined` if none is installed. */
const programs = existsSync(versions)
  ? readdirSync(versions)
      .filter((version) => Number(version) >= 15)
      .toSorted()
      .map((version) => join(versions, version, 'bin'))
      .find((bin) => existsSync(join(bin, 'initdb')))
  : undefined;

export const hasDebianPostgres = programs !== undefined;

export async function startDebianPostgres(): Promise<{ url: string; stop: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'kabari-debian-'));
  const data = join(folder, 'data');
  const who = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {};
  if (who.uid !== undefined && who.gid !== undefined) chownSync(folder, who.uid, who.gid);
  const run = { ...who, cwd: folder, env: { LC_ALL: 'C' }, stdio: 'ignore' } as const;
  execFileSync(
    join(programs ?? '', 'initdb'),
    ['-D', data, '-U', 'postgres', '-E', 'UTF8', '--locale=C', '--auth=trust', '--no-sync'],
    run,
  );
  const settings = [`unix_socket_directories=${folder}`, 'listen_addresses=', 'fsync=off'];
  const server = spawn(
    join(programs ?? '', 'postgres'),
    ['-D', data, ...settings.flatMap((one) => ['-c', one])],
    run,
  );
  const ready = () =>
    spawnSync(join(programs ?? '', 'pg_isready'), ['-q', '-h', folder]).status === 0;
  await waitFor(() => expect(ready()).toBe(true));
  return {
    url: `postgres://postgres@${encodeURIComponent(folder)}/postgres`,
    stop: async () => {
      await endProcess(server, 'SIGINT');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const idOf = (flag: string): number =>
  Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
