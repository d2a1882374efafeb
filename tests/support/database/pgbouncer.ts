import { spawn } from 'node:child_process';
import { chownSync, existsSync, statSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '#server/infra/embedded-postgres/embedded.ts';
import { expect } from 'vitest';
import { endProcess } from '#tests/support/end-process.ts';
import { waitFor } from '#tests/support/wait-for.ts';

const program = process.env['PGBOUNCER'] ?? '/usr/sbin/pgbouncer';

/** Whether Debian's pgbouncer is installed; `npm test` installs it where it may. */
export const hasPgbouncer = existsSync(program);

/**
 * Starts a real pgbouncer in front of a database on a unix socket.
 * @param settings configuration lines beside the required ones, such as `pool_mode`.
 * @returns the same database through it, and its stop function.
 */
export async function startPgbouncer(
  url: string,
  settings: Record<string, string | number>,
): Promise<{ url: string; stop: () => Promise<void> }> {
  const { hostname, username, pathname } = new URL(url);
  const sockets = decodeURIComponent(hostname);
  // It refuses to run as root, and needs access to the server's socket, so it runs as the socket's owner.
  const { uid, gid } = statSync(sockets);
  const folder = await mkdtemp(join(tmpdir(), 'kabari-pgbouncer-'));
  const port = await freePort();
  const lines = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'trust',
    auth_file: join(folder, 'users.txt'),
    ...settings,
  };
  await writeFile(join(folder, 'users.txt'), `"${username}" ""\n`, { mode: 0o644 });
  await writeFile(
    join(folder, 'pgbouncer.ini'),
    `[databases]\n* = host=${sockets} port=5432\n[pgbouncer]\n${Object.entries(lines)
      .map(([name, value]) => `${name} = ${value}\n`)
      .join('')}`,
  );
  if (process.getuid?.() === 0) chownSync(folder, uid, gid);
  const child = spawn(program, ['-q', join(folder, 'pgbouncer.ini')], {
    stdio: 'ignore',
    ...(process.getuid?.() === 0 && { uid, gid }),
  });
  await waitFor(async () => expect(await listens(port)).toBe(true));
  return {
    url: `postgres://${username}@127.0.0.1:${port}${pathname}`,
    stop: async () => {
      await endProcess(child, 'SIGKILL');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
