import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { type Contents, writeArchive } from '#server/infra/archive.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { syncFolder } from '#server/infra/sync-folder.ts';
import type { Attachment, AccountData } from '#server/infra/account-data.ts';
import { newId } from '#server/infra/ids.ts';
import type { AccountsDeps } from '#server/domains/accounts/deps.ts';
import { type ExportAttempt, archivePath, deleteArchiveFiles, partPath } from './export-files.ts';
import { notifyExportReady } from '#server/domains/accounts/notices.ts';

export type ExportJobDeps = {
  allAccountsSql: Sql;
  folder: string;
  accountDataSources: () => readonly AccountData[];
  sendSystemText: AccountsDeps['sendSystemText'];
  report: AccountsDeps['report'];
};

/** A worker that has not renewed for so long is dead, and another starts again. */
const LEASE_SECONDS = 60;
const RENEW_MS = 5_000;
const TRIES_MAX = 3;
const RETENTION_HOURS = 24;

/**
 * Makes every pending archive, and those whose worker died; then notifies whoever requested them. What
 * fails is tried again a minute later, three times in all.
 */
export async function makePendingExports(deps: ExportJobDeps): Promise<void> {
  for (;;) {
    const claim = await claimNext(deps.allAccountsSql);
    if (!claim) break;
    await makeArchive(deps, claim).catch(deps.report);
  }
  await notifyReady(deps);
}

type Claim = ExportAttempt & { accountId: string };

async function claimNext(allAccountsSql: Sql): Promise<Claim | undefined> {
  await allAccountsSql`
    update exports set status = 'failed', owner = null
    where status = 'working' and lease_until < clock_timestamp() and tries >= ${TRIES_MAX}`;
  const [claim] = await allAccountsSql<Claim[]>`
    update exports set status = 'working', progress = 0, tries = tries + 1, owner = ${newId()},
      lease_until = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})
    where (account_id, export_id) in (
      select account_id, export_id from exports
      where status = 'waiting' or (status = 'working' and lease_until < clock_timestamp())
      order by created_at limit 1 for update skip locked
    )
    returning account_id as "accountId", export_id as "exportId", owner`;
  return claim;
}

/** Writes a claimed archive and offers it for a day; deletes its files when that fails. */
async function makeArchive(deps: ExportJobDeps, claim: Claim): Promise<void> {
  const { allAccountsSql, folder } = deps;
  const { exportId, owner } = claim;
  const part = partPath(folder, claim);
  const path = archivePath(folder, claim);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await deleteArchiveFiles(folder, (one) => one.exportId === exportId && one.owner !== owner);
  const contents = contentsOf(deps.accountDataSources(), claim.accountId);
  const progress = await createProgress(contents);
  const leaseLost = new AbortController();
  const renewal = setInterval(() => {
    renew(allAccountsSql, claim, progress.percent()).then(
      (isOwner) => isOwner || leaseLost.abort(new Error('another worker makes this archive')),
      deps.report,
    );
  }, RENEW_MS);
  try {
    await writeArchive(part, contents, { signal: leaseLost.signal, wrote: progress.wrote });
    await rename(part, path);
    await syncFolder(folder);
    const { size } = await stat(path);
    const updated = await allAccountsSql`
      update exports set status = 'ready', progress = 100, size_bytes = ${size}, lease_until = null,
        expires_at = clock_timestamp() + make_interval(hours => ${RETENTION_HOURS})
      where account_id = ${claim.accountId} and export_id = ${exportId} and owner = ${owner}
        and status = 'working'`;
    if (updated.count === 0) throw new Error('an archive was finished after its request was gone');
  } catch (error) {
    await Promise.all([rm(part, { force: true }), rm(path, { force: true })]);
    throw error;
  } finally {
    clearInterval(renewal);
  }
}

/** Renews the lease; false when another worker has the archive now. */
async function renew(allAccountsSql: Sql, claim: Claim, percent: number): Promise<boolean> {
  const { count } = await allAccountsSql`
    update exports set progress = ${percent},
      lease_until = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})
    where account_id = ${claim.accountId} and export_id = ${claim.exportId}
      and owner = ${claim.owner} and status = 'working'`;
  return count > 0;
}

const README = `Data akun Kabari Anda
=====================

Arsip ini memuat semua yang disimpan Kabari tentang akun Anda. Setiap jenis data ada dua kali, dengan isi
yang sama: sebagai JSON (untuk program) dan sebagai CSV (untuk lembar kerja, UTF-8). Folder "berkas"
memuat berkas Anda apa adanya; daftarnya ada di berkas.json.

Kata sandi, kunci API, dan sidik keduanya tidak ada di sini: yang tersimpan hanya sidiknya, dan tidak
berguna bagi siapa pun. Waktu ditulis dalam UTC, jumlah uang dalam rupiah utuh. Di CSV, teks yang dapat
dibaca lembar kerja sebagai rumus diawali tanda petik tunggal.
`;

function contentsOf(accountDataSources: readonly AccountData[], accountId: string): Contents {
  return {
    readme: README,
    subjects: accountDataSources.flatMap(({ subjects }) => subjects?.(accountId) ?? []),
    attachments: attachmentsOf(accountDataSources, accountId),
  };
}

async function* attachmentsOf(
  accountDataSources: readonly AccountData[],
  accountId: string,
): AsyncGenerator<Attachment> {
  for (const { attachments } of accountDataSources) if (attachments) yield* attachments(accountId);
}

/** Rows expected of a subject without an estimate, and the bytes of a file that take as long as a row. */
const FEW_ROWS = 20;
const BYTES_PER_ROW = 20_000;

/** The progress of an archive: rows in both their files, and attachments by size. 100 comes at the end. */
async function createProgress({ subjects }: Contents) {
  const expected = await Promise.all(
    subjects.map(async ({ about }) => (about ? about() : FEW_ROWS)),
  );
  const whole = 2 * expected.reduce((sum, rows) => sum + rows, 0);
  let done = 0;
  return {
    wrote: (amount: { rows: number } | { bytes: number }) => {
      done += 'rows' in amount ? amount.rows : amount.bytes / BYTES_PER_ROW;
    },
    percent: () => Math.min(99, Math.floor((100 * done) / Math.max(1, whole))),
  };
}

type ReadyExport = { accountId: string; exportId: string; phone: string };

/** Notifies whoever requested an archive; after a crash in between once more. */
async function notifyReady(deps: ExportJobDeps): Promise<void> {
  const { allAccountsSql } = deps;
  const unnotified = await allAccountsSql<ReadyExport[]>`
    select e.account_id as "accountId", e.export_id as "exportId", u.phone
    from exports e
    join users u on (u.account_id, u.user_id) = (e.account_id, e.user_id)
    where e.status = 'ready' and e.notified_at is null order by e.created_at limit 100`;
  for (const { accountId, exportId, phone } of unnotified) {
    await notifyExportReady(deps, phone).catch(deps.report);
    await allAccountsSql`
      update exports set notified_at = clock_timestamp()
      where account_id = ${accountId} and export_id = ${exportId}`;
  }
}
