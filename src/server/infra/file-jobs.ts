import { onCoordinator } from '#server/infra/postgres/distribution/scope.ts';
import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { FileStore, Span } from '#server/infra/file-store/file-store.ts';
import { scratchFolder } from '#server/infra/file-store/scratch.ts';
import { newId } from '#server/infra/ids.ts';
import { type Sql, type Tx, retrying } from '#server/infra/postgres/database.ts';
import { identifier } from '#server/infra/postgres/sql.ts';

export type FileJobStorage = {
  store: FileStore;
  /** Key prefix: a path that ends with a slash. */
  prefix: string;
  folder: string;
};

export const fileJobStorage = (
  store: FileStore,
  dataFolder: string,
  prefix: string,
): FileJobStorage => ({
  store,
  prefix,
  folder: store.isShared ? scratchFolder(dataFolder) : join(dataFolder, prefix),
});

/**
 * Generated files, each requested by a row of a domain's table, under a lease that its worker renews. The table needs
 * the columns account_id, export_id, status (`waiting`, `working`, …), progress, tries, owner, lease_until,
 * claimed_at, created_at.
 */
export type FileJobs = {
  allAccountsSql: Sql;
  table: 'exports' | 'row_exports';
  storage: FileJobStorage;
  renewMs: number;
  /** Called in the transaction in which an attempt begins, is given back, or finally fails. */
  onChanged?: (tx: Tx, file: FileRef) => Promise<void>;
};

export type FileRef = { accountId: string; exportId: string };

/** One attempt to generate a file: no two attempts write the same one. */
export type Attempt = { exportId: string; owner: string };

export type Claim = FileRef & Attempt;

/** A worker that has not renewed its lease for this long is dead, and another starts again. */
const LEASE_SECONDS = 60;
const TRIES_MAX = 3;

/**
 * Claims the oldest request that is waiting or whose worker died, of the account that was served longest ago, so that
 * many large files of one account do not block others. Gives up requests after three attempts.
 */
export const claimNext = ({
  allAccountsSql,
  table,
  onChanged,
}: FileJobs): Promise<Claim | undefined> =>
  allAccountsSql.begin(async (tx) => {
    const failed = await tx<FileRef[]>`
      update ${identifier(table)} set status = 'failed', owner = null
      where status = 'working' and lease_until < clock_timestamp() and tries >= ${TRIES_MAX}
      returning account_id as "accountId", export_id as "exportId"`;
    // Materialized to run once: as a condition it may run for each row, and find a different one each time.
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

/** Retries while the database is away: some five seconds in all. */
const GIVE_BACK_TRIES = 9;

/** Lets another worker start at once; the attempt does not count. */
export async function giveBack(
  { allAccountsSql, table, onChanged }: FileJobs,
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

export type Making = {
  extension: string;
  /** Writes the file, which does not exist yet. An error ends the attempt. */
  write: (path: string, signal: AbortSignal) => Promise<void>;
  percent: () => number;
  /** Offers the finished file; false if its request is gone. */
  finish: (sizeBytes: number) => Promise<boolean>;
};

/**
 * Writes the file, stores it, and then offers it. Deletes the bytes of earlier attempts, and its own on failure.
 *
 * @param stop ends it early.
 */
export async function makeFile(
  files: FileJobs,
  claim: Claim,
  { extension, write, percent, finish }: Making,
  stop: { signal?: AbortSignal; report: (trouble: unknown) => void },
): Promise<void> {
  const { storage } = files;
  const { exportId, owner } = claim;
  const part = join(storage.folder, nameOf(claim, 'part'));
  await mkdir(storage.folder, { recursive: true, mode: 0o700 });
  if (!(await renew(files, claim, 0))) throw new LeaseLost();
  await deleteAttempts(storage, exportId, (one) => one.owner !== owner);
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
    await storage.store.put(storage.prefix + nameOf(claim, extension), part, size);
    if (!(await finish(size))) throw new LeaseLost();
  } catch (error) {
    await deleteAttempts(storage, exportId, (one) => one.owner === owner).catch(() => undefined);
    // Streams report that they were aborted, but not why.
    throw until.aborted ? until.reason : error;
  } finally {
    clearInterval(renewal);
    await rm(part, { force: true });
  }
}

/** The request is gone, cancelled, or another worker's; not a failure. */
export class LeaseLost extends Error {
  constructor() {
    super('the file is not wanted from this worker any more');
    this.name = 'LeaseLost';
  }
}

/** False if the file no longer belongs to this worker. */
async function renew(
  { allAccountsSql, table }: FileJobs,
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

async function* attemptsIn({ store, prefix }: FileJobStorage, exportId?: string) {
  for await (const { key } of store.list(
    `${prefix}${exportId === undefined ? '' : `${exportId}.`}`,
  )) {
    const { exportId: id, owner } = attemptName.exec(key.slice(prefix.length))?.groups ?? {};
    if (id !== undefined && owner !== undefined) yield { key, exportId: id, owner };
  }
}

export async function deleteAttempts(
  place: FileJobStorage,
  exportId: string,
  shouldDelete: (attempt: Attempt) => boolean = () => true,
): Promise<void> {
  for await (const { key, ...attempt } of attemptsIn(place, exportId)) {
    if (shouldDelete(attempt)) await place.store.delete(key);
  }
}

/**
 * Deletes files that are neither offered nor in progress. Lists names before rows, so that files created later are
 * safe.
 */
export async function sweepAttempts({ allAccountsSql, storage, table }: FileJobs): Promise<void> {
  const attempts = await Array.fromAsync(attemptsIn(storage));
  const active = await onCoordinator(
    () => allAccountsSql<{ owner: string }[]>`
      select owner from ${identifier(table)}
      where owner = any(${attempts.map(({ owner }) => owner)}::uuid[])
        and (status = 'ready' or (status = 'working' and lease_until > clock_timestamp()))`,
  );
  const owners = new Set(active.map(({ owner }) => owner));
  for (const { key, owner } of attempts) if (!owners.has(owner)) await storage.store.delete(key);
}

/** Erases files before rows, so that after a crash the rows still name the files. */
export async function eraseAttempts(
  { allAccountsSql, storage, table }: FileJobs,
  accountId: string,
): Promise<void> {
  const rows = await allAccountsSql<{ id: string }[]>`
    select export_id as id from ${identifier(table)} where account_id = ${accountId}`;
  for (const { id } of rows) await deleteAttempts(storage, id);
  await allAccountsSql`delete from ${identifier(table)} where account_id = ${accountId}`;
}

export type FinishedFile = {
  fileId: string;
  name: string;
  mime: string;
  sizeBytes: number;
  stream(span?: Span): Promise<Readable>;
};

export async function openAttempt(
  { store, prefix }: FileJobStorage,
  {
    sizeBytes,
    name,
    mime,
    ...attempt
  }: Attempt & Pick<FinishedFile, 'sizeBytes' | 'name' | 'mime'>,
): Promise<FinishedFile | undefined> {
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
