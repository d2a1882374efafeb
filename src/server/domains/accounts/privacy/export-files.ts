import { open as openToRead, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { type Sql, asAccount } from '#server/infra/postgres/database.ts';

type Place = { allAccountsSql: Sql; folder: string };

/** The try that makes an archive, or made it: no two ever write the same file. */
export type Try = { exportId: string; owner: string };

/** Where a try's archive lies, and while it is being written, where its part does. */
export const archivePath = (folder: string, { exportId, owner }: Try) =>
  join(folder, `${exportId}.${owner}.zip`);
export const partPath = (folder: string, { exportId, owner }: Try) =>
  join(folder, `${exportId}.${owner}.part`);

/** A finished archive, as the door serves it. */
export type ServedArchive = {
  fileId: string;
  name: string;
  mime: string;
  sizeBytes: number;
  stream(span?: { start: number; end: number }): Promise<Readable>;
};

type Which = { accountId: string; exportId: string };

/** A finished archive of an account; undefined when there is none, its day is over, or the disk lost it. */
export async function openArchive(
  { sql, folder }: { sql: Sql; folder: string },
  { accountId, exportId }: Which,
): Promise<ServedArchive | undefined> {
  const [ready] = await asAccount(
    sql,
    accountId,
    (tx) => tx<{ owner: string; sizeBytes: number; day: string }[]>`
      select owner, size_bytes as "sizeBytes",
        to_char(created_at at time zone 'Asia/Jakarta', 'YYYY-MM-DD') as day
      from exports
      where account_id = ${accountId} and export_id = ${exportId} and status = 'ready'
        and expires_at > clock_timestamp()`,
  );
  if (!ready) return undefined;
  const path = archivePath(folder, { exportId, owner: ready.owner });
  const facts = await stat(path).catch(() => undefined);
  if (facts?.size !== ready.sizeBytes) return undefined;
  return {
    fileId: exportId,
    name: `data-kabari-${ready.day}.zip`,
    mime: 'application/zip',
    sizeBytes: ready.sizeBytes,
    stream: async (span) => (await openToRead(path, 'r')).createReadStream({ ...span }),
  };
}

const ours = /^(?<exportId>[0-9a-f-]{36})\.(?<owner>[0-9a-f-]{36})\.(?:zip|part)$/;

/** Erases what lies there of tries that `goes` says yes to, whole or half-written. */
export async function clearArchives(folder: string, goes: (which: Try) => boolean): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const { exportId, owner } = ours.exec(name)?.groups ?? {};
    if (exportId !== undefined && owner !== undefined && goes({ exportId, owner })) {
      await rm(join(folder, name), { force: true });
    }
  }
}

/** Erases all archives of an account; the files first, so that a crash leaves what names them. */
export async function eraseArchives(
  { allAccountsSql, folder }: Place,
  accountId: string,
): Promise<void> {
  const rows = await allAccountsSql<{ id: string }[]>`
    select export_id as id from exports where account_id = ${accountId}`;
  const ids = new Set(rows.map(({ id }) => id));
  await clearArchives(folder, ({ exportId }) => ids.has(exportId));
  await allAccountsSql`delete from exports where account_id = ${accountId}`;
}

/** Closes archives whose day is over, and removes every file that no living row names. */
export async function sweepArchives({ allAccountsSql, folder }: Place): Promise<void> {
  await allAccountsSql`
    update exports set status = 'expired'
    where status = 'ready' and expires_at <= clock_timestamp()`;
  await allAccountsSql`
    delete from exports where created_at < clock_timestamp() - interval '30 days'
      and status not in ('waiting', 'working')`;
  // The names first: what is begun after this look is not among them.
  const names: Try[] = [];
  await clearArchives(folder, (which) => {
    names.push(which);
    return false;
  });
  const living = await allAccountsSql<{ owner: string }[]>`
    select owner from exports where owner = any(${names.map(({ owner }) => owner)}::uuid[])
      and (status = 'ready' or (status = 'working' and lease_until > clock_timestamp()))`;
  const owners = new Set(living.map(({ owner }) => owner));
  const dead = new Set(names.map(({ owner }) => owner).filter((owner) => !owners.has(owner)));
  await clearArchives(folder, ({ owner }) => dead.has(owner));
}
