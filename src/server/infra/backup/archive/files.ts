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

/** A file of the data folder in a backup: its name there, and its contents. */
export type FileEntry = { name: string } & Sum;

/**
 * What of a data folder is not backed up: the database, which comes by itself; PostgreSQL's programs; what only
 * a running process means something to; archives that people can ask for again, and uploads under way, which
 * their browsers begin again. Whatever else lies there is.
 */
const leftOut =
  /^(postgres(\.half|\.log(\.1)?)?|postgresql-.*|socket|lock(\..*)?|backups|exports|uploads|first-operator\.txt|\.trial.*)$/;

/** A file that is named by its contents never changes: where the last backup has it, it is linked. */
const isNamedByContents = (name: string): boolean => /(^|\/)[0-9a-f]{64}$/.test(name);

/** The names of all files that belong to a backup of a data folder, relative to it. */
export async function* filesOf(dataFolder: string, within = ''): AsyncGenerator<string> {
  const folder = await opendir(join(dataFolder, within)).catch(missing);
  if (!folder) return;
  for await (const { name } of folder) {
    if (within === '' && leftOut.test(name)) continue;
    const path = within === '' ? name : `${within}/${name}`;
    const found = await stat(join(dataFolder, path)).catch(missing);
    if (found?.isDirectory()) yield* filesOf(dataFolder, path);
    else if (found?.isFile()) yield path;
  }
}

/** What was erased while it was looked at is no longer there. */
function missing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
}

/** Where a file lies in a backup: by its own name, or, under a key, by one that says nothing. */
export function placeOf(name: string, key: BackupKey | undefined): string {
  if (!key) return `data/${name}`;
  const hidden = createHmac('sha256', hidingKey(key)).update(name).digest('hex');
  return `data/${hidden.slice(0, 2)}/${hidden}`;
}

type CopyOptions = {
  dataFolder: string;
  /** The backup that is being made. */
  folder: string;
  /** The one before it, of the same key. */
  previous: string | undefined;
  key: BackupKey | undefined;
  room: Room;
  signal: AbortSignal;
};

/**
 * Puts the files of a data folder into a backup, one by one, and reads each back from there.
 *
 * A file named by its contents that the previous backup has is the same file of the disk (a hard link), as
 * long as it is whole there: a backup then costs what is new. Every backup is complete by itself.
 *
 * @param which files named by their contents are there before a row names them; others, such as the file of
 *   seals, repeat what the database has.
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

/** Reads a file of a backup by its name in the data folder. */
export const readFileOf = <T>(
  folder: string,
  name: string,
  key: BackupKey | undefined,
  take: (contents: Readable) => Promise<T>,
): Promise<T> =>
  readPart(join(folder, placeOf(name, key)), { name, key, isCompressed: false }, take);

/** An entry as a line of the list. */
export const lineOf = ({ name, bytes, sha256 }: FileEntry): string =>
  `${sha256} ${bytes} ${JSON.stringify(name)}\n`;

/** The entries of a list. */
export async function* entriesOf(list: Readable): AsyncGenerator<FileEntry> {
  for await (const line of createInterface({ input: list, crlfDelay: Infinity })) {
    const [, sha256 = '', bytes, name] = /^([0-9a-f]{64}) (\d+) (".*")$/.exec(line) ?? [];
    if (name === undefined) throw new BackupError('damaged', 'The list of files is damaged.');
    yield { name: inside(JSON.parse(name) as string), bytes: Number(bytes), sha256 };
  }
}
