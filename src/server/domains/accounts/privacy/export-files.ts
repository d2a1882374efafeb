import { open as openToRead, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { type Sql, asAccount } from '#server/infra/postgres/database.ts';

type ArchiveDeps = { allAccountsSql: Sql; folder: string };

/** One attempt to make an archive: no two attempts write the same file. */
export type ExportAttempt = { exportId: string; owner: string };

/** The path of an attempt's archive, and of its unfinished part. */
export const archivePath = (folder: string, { exportId, owner }: ExportAttempt) =>
  join(folder, `${exportId}.${owner}.zip`);
export const partPath = (folder: string, { exportId, owner }: ExportAttempt) =>
  join(folder, `${exportId}.${owner}.part`);

/** A finished archive, as it is served over HTTP. */
export type ServedArchive = {
  fileId: string;
  name: string;
  mime: string;
  sizeBytes: number;
  stream(span?: { start: number; end: number }): Promise<Readable>;
};

type ArchiveRef = { accountId: string; exportId: string };

/** A finished archive of an account; undefined when there is none, it expired, or its file is missing. */
export async function openArchive(
  { sql, folder }: { sql: Sql; folder: string },
  { accountId, exportId }: ArchiveRef,
): Promise<ServedArchive | undefined> {
  const [archive] = await asAccount(
    sql,
    accountId,
    (tx) => tx<{ owner: string; sizeBytes: number; day: string }[]>`
      select owner, size_bytes as "sizeBytes",
        to_char(created_at at time zone 'Asia/Jakarta', 'YYYY-MM-DD') as day
      from exports
      where account_id = ${accountId} and export_id = ${exportId} and status = 'ready'
        and expires_at > clock_timestamp()`,
  );
  if (!archive) return undefined;
  const path = archivePath(folder, { exportId, owner: archive.owner });
  const facts = await stat(path).catch(() => undefined);
  if (facts?.size !== archive.sizeBytes) return undefined;
  return {
    fileId: exportId,
    name: `data-kabari-${archive.day}.zip`,
    mime: 'application/zip',
    sizeBytes: archive.sizeBytes,
    stream: async (span) => (await openToRead(path, 'r')).createReadStream({ ...span }),
  };
}

const archiveName = /^(?<exportId>[0-9a-f-]{36})\.(?<owner>[0-9a-f-]{36})\.(?:zip|part)$/;

/** Deletes the files, finished or not, of the attempts that `shouldDelete` selects. */
export async function deleteArchiveFiles(
  folder: string,
  shouldDelete: (attempt: ExportAttempt) => boolean,
): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const { exportId, owner } = archiveName.exec(name)?.groups ?? {};
    if (exportId !== undefined && owner !== undefined && shouldDelete({ exportId, owner })) {
      await rm(join(folder, name), { force: true });
    }
  }
}

/** Erases all archives of an account; the files first, so that after a crash the rows still name them. */
export async function eraseArchives(
  { allAccountsSql, folder }: ArchiveDeps,
  accountId: string,
): Promise<void> {
  const rows = await allAccountsSql<{ id: string }[]>`
    select export_id as id from exports where account_id = ${accountId}`;
  const ids = new Set(rows.map(({ id }) => id));
  await deleteArchiveFiles(folder, ({ exportId }) => ids.has(exportId));
  await allAccountsSql`delete from exports where account_id = ${accountId}`;
}

/** Expires archives after their day, and deletes every file that no active row names. */
export async function sweepArchives({ allAccountsSql, folder }: ArchiveDeps): Promise<void> {
  await allAccountsSql`
    update exports set status = 'expired'
    where status = 'ready' and expires_at <= clock_timestamp()`;
  await allAccountsSql`
    delete from exports where created_at < clock_timestamp() - interval '30 days'
      and status not in ('waiting', 'working')`;
  // The names first: files created after this listing are not among them.
  const attempts: ExportAttempt[] = [];
  await deleteArchiveFiles(folder, (attempt) => {
    attempts.push(attempt);
    return false;
  });
  const active = await allAccountsSql<{ owner: string }[]>`
    select owner from exports where owner = any(${attempts.map(({ owner }) => owner)}::uuid[])
      and (status = 'ready' or (status = 'working' and lease_until > clock_timestamp()))`;
  const owners = new Set(active.map(({ owner }) => owner));
  const stale = new Set(attempts.map(({ owner }) => owner).filter((owner) => !owners.has(owner)));
  await deleteArchiveFiles(folder, ({ owner }) => stale.has(owner));
}
