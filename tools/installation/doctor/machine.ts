import { access, constants, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { FREE_BYTES_MIN, freeBytes } from '#server/infra/observability/disk.ts';
import { type Finding, megabytes, ok, warning, wrong } from './finding.ts';

const ROOM_BYTES = 2_000_000_000;

/** The data folder must be writable by us, and not readable by others. */
export async function dataFolder(folder: string): Promise<Finding> {
  const found = await stat(folder).catch(() => undefined);
  if (!found?.isDirectory()) {
    return wrong(
      `There is no data folder ${folder}.`,
      'Set KABARI_DATA to the folder of the start, or run npm start.',
    );
  }
  const isOurs = await access(folder, constants.R_OK | constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
  if (!isOurs) {
    return wrong(
      `The data folder ${folder} cannot be written by this user.`,
      'Run this as the user that runs Kabari.',
    );
  }
  const mode = found.mode & 0o777;
  return process.platform === 'win32' || (mode & 0o066) === 0
    ? ok(`The data folder is ${folder}.`)
    : wrong(
        `Other users of this machine may read the data folder (${mode.toString(8)}).`,
        `chmod go-rw ${folder}`,
      );
}

export async function disk(
  of: string,
  folder: string,
  room: () => Promise<number> = () => freeBytes(folder),
): Promise<Finding> {
  const free = await room();
  const says = `The disk of ${of} (${folder}) has ${megabytes(free)} free.`;
  if (free < FREE_BYTES_MIN) return wrong(says, 'Free some of it: nothing new is accepted.');
  return free < ROOM_BYTES ? warning(says, 'Free some of it, or let it grow.') : ok(says);
}

/** A file with the first admin's password should be deleted. */
export async function firstPassword(folder: string): Promise<Finding> {
  const path = join(folder, 'first-operator.txt');
  const found = await stat(path).catch(() => undefined);
  return found
    ? warning(
        `The first operator has not signed in yet: their password stands in ${path}.`,
        'Sign in at /operator and change it; the file goes by itself.',
      )
    : ok('No password lies in the data folder.');
}

/** A key file must be readable by its owner only. */
export async function keyFile(path: string): Promise<Finding> {
  const found = await stat(path).catch(() => undefined);
  if (!found) return wrong(`BACKUP_KEY_FILE ${path} is not there.`, 'Put the key back there.');
  return process.platform === 'win32' || (found.mode & 0o077) === 0
    ? ok('Backups are encrypted.')
    : wrong(`Other users of this machine may read ${path}.`, `chmod 600 ${path}`);
}

type Listening = {
  host: string;
  port: number;
  /** A process holds the data folder. */
  isRunning: boolean;
  ask?: (url: string) => Promise<Response>;
};

const ASK_MS_MAX = 3_000;

/** Whether the application answers where it should, or could listen there. */
export async function listening({
  host,
  port,
  isRunning,
  ask = askFor,
}: Listening): Promise<Finding> {
  if (port === 0) return ok('PORT is 0: any free one is taken.');
  // A wildcard address is checked at localhost.
  const at = ['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host;
  const place = at.includes(':') ? `[${at}]` : at;
  const answer = await ask(`http://${place}:${port}/readyz`).catch(() => undefined);
  if (!answer) {
    if (!isRunning) return freeOrTaken(at, port);
    return wrong(`The application runs and does not answer on port ${port}.`, 'Look into its log.');
  }
  const { checks } = ((await answer.json().catch(() => undefined)) ?? {}) as {
    checks?: Record<string, string>;
  };
  if (!checks) {
    return wrong(
      `Something else than Kabari answers on port ${port}.`,
      'Stop it, or choose another PORT.',
    );
  }
  const failing = Object.keys(checks).filter((name) => checks[name] !== 'ok');
  return failing.length === 0
    ? ok(`The application answers on port ${port}, and is ready.`)
    : wrong(
        `The application answers on port ${port}, and is not ready: ${failing.join(', ')}.`,
        'Its log says why.',
      );
}

const askFor = (url: string) => fetch(url, { signal: AbortSignal.timeout(ASK_MS_MAX) });

function freeOrTaken(host: string, port: number): Promise<Finding> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) =>
      resolve(
        error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND'
          ? wrong(`HOST ${host} is no address of this machine.`, 'Use 127.0.0.1 or 0.0.0.0.')
          : wrong(`Port ${port} is taken by another program.`, 'Stop it, or choose another PORT.'),
      ),
    );
    server.listen(port, host, () =>
      server.close(() =>
        resolve(
          warning(`The application does not run; port ${port} is free.`, 'Start it: npm start'),
        ),
      ),
    );
  });
}
