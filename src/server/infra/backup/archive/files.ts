import { createHmac } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { link, mkdir, opendir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { type Room, type Sum, readPart, readSum, writePart } from './part.ts';
import { type BackupKey, hidingKey } from './seal.ts';
import { inside } from './tar.ts';
import { BackupError } from './trouble.ts';

export type FileEntry = { name: string } & Sum;

/**
 * Excluded from backups: the database, which has its own part; PostgreSQL's programs; state of a running process;
 * archives that can be requested again; and unfinished uploads, which browsers restart. Everything else in a data
 * folder is included.
 */
const excluded =
  /^(postgres(\.half|\.log(\.1)?)?|postgresql-.*|socket|lock(\..*)?|backups|exports|uploads|first-operator\.txt|\.trial.*)$/;

/** Content-addressed files never change: those in the previous backup are hard-linked. */
const isNamedByContents = (name: string): boolean => /(^|\/)[0-9a-f]{64}$/.test(name);

/** The names of all files to back up, relative to the data folder. */
export async function* filesOf(dataFolder: string, within = ''): AsyncGenerator<string> {
  const folder = await opendir(join(dataFolder, within)).catch(missing);
  if (!folder) return;
  for await (const { name } of folder) {
    if (within === '' && excluded.test(name)) continue;
    const path = within === '' ? name : `${within}/${name}`;
    const found = await stat(join(dataFolder, path)).catch(missing);
    if (found?.isDirectory()) yield* filesOf(dataFolder, path);
    else if (found?.isFile()) yield path;
  }
}

function missing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
}

/** The path of a file in a backup: its own name, or, under a key, an HMAC that hides it. */
export function placeOf(name: string, key: BackupKey | undefined): string {
  if (!key) return `data/${name}`;
  const hidden = createHmac('sha256', hidingKey(key)).update(name).digest('hex');
  return `data/${hidden.slice(0, 2)}/${hidden}`;
}

type CopyOptions = {
  dataFolder: string;
  folder: string;
  previous: string | undefined;
  key: BackupKey | undefined;
  room: Room;
  signal: AbortSignal;
};

/**
 * Hard-links content-addressed files that are intact in the previous backup; every backup is complete by itself.
 *
 * @param which content-addressed files are on disk before a row names them; the others repeat data of the database.
 */
export async function* copyFiles(
  options: CopyOptions,
  which: 'named by their contents' | 'others',
): AsyncGenerator<FileEntry> {
  const isLasting = which === 'named by their contents';
  for await (const name of filesOf(options.dataFolder)) {
    options.signal.throwIfAborted();
    if (isNamedByContents(name) !== isLasting) continue;
    const linked = isLasting ? await linkFile(options, name) : undefined;
    const entry = linked ?? (await copyFile(options, name));
    if (entry) yield entry;
  }
}

async function linkFile(
  { folder, previous, key }: CopyOptions,
  name: string,
): Promise<FileEntry | undefined> {
  if (previous === undefined) return undefined;
  const place = placeOf(name, key);
  const path = join(folder, place);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  try {
    await link(join(previous, place), path);
  } catch {
    return undefined;
  }
  const sum = await readFileOf(folder, name, key, readSum).catch(() => undefined);
  if (sum && name.endsWith(sum.sha256)) return { name, ...sum };
  await rm(path, { force: true });
  return undefined;
}

async function copyFile(
  { dataFolder, folder, key, room, signal }: CopyOptions,
  name: string,
): Promise<FileEntry | undefined> {
  const source = createReadStream(join(dataFolder, name));
  const form = { name, key, isCompressed: false, room, signal };
  const place = join(folder, placeOf(name, key));
  try {
    const { plain } = await writePart(place, source, form);
    const read = await readFileOf(folder, name, key, readSum);
    if (read.sha256 !== plain.sha256) {
      throw new BackupError('damaged', `${place} is not what was written to it.`);
    }
    return { name, ...plain };
  } catch (error) {
    const { code, path } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' || path !== join(dataFolder, name)) throw error;
    await rm(place, { force: true });
    return undefined;
  }
}

export const readFileOf = <T>(
  folder: string,
  name: string,
  key: BackupKey | undefined,
  take: (contents: Readable) => Promise<T>,
): Promise<T> =>
  readPart(join(folder, placeOf(name, key)), { name, key, isCompressed: false }, take);

export const lineOf = ({ name, bytes, sha256 }: FileEntry): string =>
  `${sha256} ${bytes} ${JSON.stringify(name)}\n`;

export async function* entriesOf(list: Readable): AsyncGenerator<FileEntry> {
  for await (const line of createInterface({ input: list, crlfDelay: Infinity })) {
    const [, sha256 = '', bytes, name] = /^([0-9a-f]{64}) (\d+) (".*")$/.exec(line) ?? [];
    if (name === undefined) throw new BackupError('damaged', 'The list of files is damaged.');
    yield { name: inside(JSON.parse(name) as string), bytes: Number(bytes), sha256 };
  }
}
