import { onCoordinator } from '#server/infra/postgres/distribution/scope.ts';
import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { FileStore, Span } from '#server/infra/file-store/file-store.ts';
import { scratchFolder } from '#server/infra/file-store/scratch.ts';
import { newId } from '#server/infra/ids.ts';
import { type Sql, type Tx, retrying } from '#server/infra/postgres/database.ts';
import { identifier } from '#server/infra/postgres/sql.ts';

/** Where made files lie. */
export type MadeFilesPlace = {
  store: FileStore;
  /** What their keys begin with: a path that ends with a slash. */
  prefix: string;
  /** Where they are written before they are in the store; created when it is missing. */
  folder: string;
};

/** A place in the store: on disk a file is written beside where it lies then. */
export const placeIn = (store: FileStore, dataFolder: string, prefix: string): MadeFilesPlace => ({
  store,
  prefix,
  folder: store.isShared ? scratchFolder(dataFolder) : join(dataFolder, prefix),
});

/**
 * Files that a worker makes for accounts: each is requested in a row of a table, made under a lease that its worker
 * renews, and begun anew by another worker when that one dies. The table belongs to a domain, and has the columns
 * account_id, export_id, status (`waiting`, `working`, …), progress, tries, owner, lease_until, claimed_at, created_at.
 */
export type MadeFiles = {
  allAccountsSql: Sql;
  table: 'exports' | 'row_exports';
  place: MadeFilesPlace;
  /** How often a worker renews its lease, and writes down how far it is. */
  renewMs: number;
  /** Reacts to an attempt that begins, is given back, or was the last and failed, in the transaction of that. */
  onChanged?: (tx: Tx, file: FileRef) => Promise<void>;
};

/** One requested file, and whose it is. */
export type FileRef = { accountId: string; exportId: string };

/** One attempt to make a file: no two attempts write the same one. */
export type Attempt = { exportId: string; owner: string };

/** A request that a worker has claimed. */
export type Claim = FileRef & Attempt;

/** A worker that has not renewed for so long is dead, and another starts again. */
const LEASE_SECONDS = 60;
const TRIES_MAX = 3;

/**
 * Claims a request that waits, or whose worker died: the oldest of the account that was served longest ago, so that many
 * large files of one hold up no other. Gives up those that were tried three times.
 */
export const claimNext = ({
  allAccountsSql,
  table,
  onChanged,
}: MadeFiles): Promise<Claim | undefined> =>
  allAccountsSql.begin(async (tx) => {
    const failed = await tx<FileRef[]>`
      update ${identifier(table)} set status = 'failed', owner = null
      where status = 'working' and lease_until < clock_timestamp() and tries >= ${TRIES_MAX}
      returning account_id as "accountId", export_id as "exportId"`;
    // A query of its own, which runs once: as a condition it may be asked for each row, and finds another one each time.
    const [claim] = await tx<Claim[]>`
      with next as materialized (
        select account_id, export_id from ${identifier(table)} f
        where status = 'waiting' or (status = 'working' and lease_until < clock_timestamp())
        order by (
          select max(claimed_at) from ${identifier(table)} o where o.account_id = f.account_id
        ) nulls first, created_at
        limit 1 for update skip locked
      )
      update ${identifier(table)} c set status = 'working', progress = 0, tries = tries + 1,
        owner = ${newId()}, claimed_at = clock_timestamp(),
        lease_until = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})
      from next where c.account_id = next.account_id and c.export_id = next.export_id
      returning c.account_id as "accountId", c.export_id as "exportId", c.owner`;
    for (const file of claim ? [...failed, claim] : failed) await onChanged?.(tx, file);
    return claim;
  });

/** Pauses of a give-back that meets a database which is away: some five seconds. */
const GIVE_BACK_TRIES = 9;

/** Lets another worker begin at once with what this one has not finished; the attempt does not count. */
export async function giveBack(
  { allAccountsSql, table, onChanged }: MadeFiles,
  { accountId, exportId, owner }: Claim,
): Promise<void> {
  const give = () =>
    allAccountsSql.begin(async (tx) => {
      const { count } = await tx`
        update ${identifier(table)} set status = 'waiting', owner = null, progress = 0,
          tries = tries - 1, claimed_at = null
        where account_id = ${accountId} and export_id = ${exportId} and owner = ${owner}
          and status = 'working'`;
      if (count > 0) await onChanged?.(tx, { accountId, exportId });
    });
  await retrying(give, { tries: GIVE_BACK_TRIES });
}

/** How a claimed file is made. */
export type Making = {
  /** What the file's name ends with. */
  extension: string;
  /** Writes the file, which is not there yet. What it throws ends the attempt. */
  write: (path: string, signal: AbortSignal) => Promise<void>;
  percent: () => number;
  /** Offers the finished file; false when its request is gone. */
  finish: (sizeBytes: number) => Promise<boolean>;
};

/**
 * Makes a claimed file: written, put into the store whole, and only then offered. Deletes its bytes when that fails, and
 * those of earlier attempts before it begins.
 *
 * @param stop ends it early.
 */
export async function makeFile(
  files: MadeFiles,
  claim: Claim,
  { extension, write, percent, finish }: Making,
  stop: { signal?: AbortSignal; report: (trouble: unknown) => void },
): Promise<void> {
  const { place } = files;
  const { exportId, owner } = claim;
  const part = join(place.folder, nameOf(claim, 'part'));
  await mkdir(place.folder, { recursive: true, mode: 0o700 });
  // Whoever was late may find that another worker has made it meanwhile.
  if (!(await renew(files, claim, 0))) throw new LeaseLost();
  await deleteAttempts(place, exportId, (one) => one.owner !== owner);
  const leaseLost = new AbortController();
  const renewal = setInterval(() => {
    renew(files, claim, percent()).then(
      (isOwner) => isOwner || leaseLost.abort(new LeaseLost()),
      stop.report,
    );
  }, files.renewMs);
  const until = stop.signal ? AbortSignal.any([leaseLost.signal, stop.signal]) : leaseLost.signal;
  try {
    await write(part, until);
    const { size } = await stat(part);
    await place.store.put(place.prefix + nameOf(claim, extension), part, size);
    if (!(await finish(size))) throw new LeaseLost();
  } catch (error) {
    // What cannot be deleted now is swept.
    await deleteAttempts(place, exportId, (one) => one.owner === owner).catch(() => undefined);
    // Streams say that they were aborted, and not why.
    throw until.aborted ? until.reason : error;
  } finally {
    clearInterval(renewal);
    await rm(part, { force: true });
  }
}

/** The request is gone, cancelled, or another worker's: nothing went wrong. */
export class LeaseLost extends Error {
  constructor() {
    super('the file is not wanted from this worker any more');
    this.name = 'LeaseLost';
  }
}

/** Renews the lease; false when the file is not this worker's any more. */
async function renew(
  { allAccountsSql, table }: MadeFiles,
  { accountId, exportId, owner }: Claim,
  percent: number,
): Promise<boolean> {
  const { count } = await allAccountsSql`
    update ${identifier(table)} set progress = ${percent},
      lease_until = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})
    where account_id = ${accountId} and export_id = ${exportId}
      and owner = ${owner} and status = 'working'`;
  return count > 0;
}

const nameOf = ({ exportId, owner }: Attempt, extension: string) =>
  `${exportId}.${owner}.${extension}`;

const attemptName = /^(?<exportId>[0-9a-f-]{36})\.(?<owner>[0-9a-f-]{36})\.(?:zip|csv|xlsx|part)$/;

/** The files of attempts, finished or not: all, or those of one request. */
async function* attemptsIn({ store, prefix }: MadeFilesPlace, exportId?: string) {
  for await (const { key } of store.list(
    `${prefix}${exportId === undefined ? '' : `${exportId}.`}`,
  )) {
    const { exportId: id, owner } = attemptName.exec(key.slice(prefix.length))?.groups ?? {};
    if (id !== undefined && owner !== undefined) yield { key, exportId: id, owner };
  }
}

/** Deletes the files, finished or not, of a request: of all its attempts, or of those that `shouldDelete` selects. */
export async function deleteAttempts(
  place: MadeFilesPlace,
  exportId: string,
  shouldDelete: (attempt: Attempt) => boolean = () => true,
): Promise<void> {
  for await (const { key, ...attempt } of attemptsIn(place, exportId)) {
    if (shouldDelete(attempt)) await place.store.delete(key);
  }
}

/** Deletes every file that is neither offered nor being made. */
export async function sweepAttempts({ allAccountsSql, place, table }: MadeFiles): Promise<void> {
  // The names first: files created after this listing are not among them.
  const attempts = await Array.fromAsync(attemptsIn(place));
  // Of whichever account they are.
  const active = await onCoordinator(
    () => allAccountsSql<{ owner: string }[]>`
      select owner from ${identifier(table)}
      where owner = any(${attempts.map(({ owner }) => owner)}::uuid[])
        and (status = 'ready' or (status = 'working' and lease_until > clock_timestamp()))`,
  );
  const owners = new Set(active.map(({ owner }) => owner));
  for (const { key, owner } of attempts) if (!owners.has(owner)) await place.store.delete(key);
}

/** Erases all files of an account, then its rows: after a crash in between the rows still name the files. */
export async function eraseAttempts(
  { allAccountsSql, place, table }: MadeFiles,
  accountId: string,
): Promise<void> {
  const rows = await allAccountsSql<{ id: string }[]>`
    select export_id as id from ${identifier(table)} where account_id = ${accountId}`;
  for (const { id } of rows) await deleteAttempts(place, id);
  await allAccountsSql`delete from ${identifier(table)} where account_id = ${accountId}`;
}

/** A finished file, as it is served over HTTP. */
export type MadeFile = {
  fileId: string;
  name: string;
  mime: string;
  sizeBytes: number;
  stream(span?: Span): Promise<Readable>;
};

/** A finished file; undefined when the store does not have it whole. */
export async function openAttempt(
  { store, prefix }: MadeFilesPlace,
  { sizeBytes, name, mime, ...attempt }: Attempt & Pick<MadeFile, 'sizeBytes' | 'name' | 'mime'>,
): Promise<MadeFile | undefined> {
  const key = prefix + nameOf(attempt, name.slice(name.lastIndexOf('.') + 1));
  if ((await store.size(key)) !== sizeBytes) return undefined;
  return {
    fileId: attempt.exportId,
    name,
    mime,
    sizeBytes,
    stream: (span) => store.stream(key, span),
  };
}
