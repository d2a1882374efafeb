import { type Sql, asAccount } from '#server/infra/postgres/database.ts';
import {
  type FileRef,
  type MadeFile,
  type MadeFiles,
  type MadeFilesPlace,
  openAttempt,
  sweepAttempts,
} from '#server/infra/made-files/attempts.ts';

/** A finished archive of an account; undefined when there is none, it expired, or its file is missing. */
export async function openArchive(
  { sql, place }: { sql: Sql; place: MadeFilesPlace },
  { accountId, exportId }: FileRef,
): Promise<MadeFile | undefined> {
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
  const { day, ...file } = archive;
  const name = `data-kabari-${day}.zip`;
  return openAttempt(place, { exportId, ...file, name, mime: 'application/zip' });
}

/** Expires archives after their day, and deletes every file that no active row names. */
export async function sweepArchives(files: MadeFiles): Promise<void> {
  const { allAccountsSql } = files;
  await allAccountsSql`
    update exports set status = 'expired'
    where status = 'ready' and expires_at <= clock_timestamp()`;
  await allAccountsSql`
    delete from exports where created_at < clock_timestamp() - interval '30 days'
      and status not in ('waiting', 'working')`;
  await sweepAttempts(files);
}
