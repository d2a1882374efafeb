import { type Contents, writeArchive } from '#server/infra/archive.ts';
import type { Attachment, AccountData } from '#server/infra/account-data.ts';
import {
  type Claim,
  type MadeFiles,
  LeaseLost,
  claimNext,
  giveBack,
  makeFile,
} from '#server/infra/made-files/attempts.ts';
import { StoreAway } from '#server/infra/file-store/file-store.ts';
import type { AccountsDeps } from '#server/domains/accounts/deps.ts';
import { notifyExportReady } from '#server/domains/accounts/notices.ts';

export type ExportJobDeps = {
  files: MadeFiles;
  accountDataSources: () => readonly AccountData[];
  catchUp: () => Promise<void>;
  sendSystemText: AccountsDeps['sendSystemText'];
  report: AccountsDeps['report'];
};

const RETENTION_HOURS = 24;

/**
 * Makes every pending archive, and those whose worker died; then notifies whoever requested them. What
 * fails is tried again a minute later, three times in all; that the store of files was away does not count.
 *
 * @param stop ends it early: what is under way is given back, and another worker begins it anew.
 */
export async function makePendingExports(deps: ExportJobDeps, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    const claim = await claimNext(deps.files);
    if (!claim) break;
    const isAway = await makeArchive(deps, claim, stop).then(
      () => false,
      async (error: unknown) => {
        if (!(error instanceof LeaseLost)) deps.report(error);
        const hasPassed = error instanceof StoreAway;
        if (hasPassed || stop.aborted) await giveBack(deps.files, claim).catch(deps.report);
        return hasPassed;
      },
    );
    if (isAway) break;
  }
  if (!stop.aborted) await notifyReady(deps);
}

/** Writes a claimed archive and offers it for a day. */
async function makeArchive(deps: ExportJobDeps, claim: Claim, signal: AbortSignal): Promise<void> {
  const { files, accountDataSources, report } = deps;
  await deps.catchUp();
  const contents = contentsOf(accountDataSources(), claim.accountId);
  const progress = await createProgress(contents);
  const finish = async (sizeBytes: number) => {
    const { count } = await files.allAccountsSql`
      update exports set status = 'ready', progress = 100, size_bytes = ${sizeBytes},
        lease_until = null,
        expires_at = clock_timestamp() + make_interval(hours => ${RETENTION_HOURS})
      where account_id = ${claim.accountId} and export_id = ${claim.exportId}
        and owner = ${claim.owner} and status = 'working'`;
    return count > 0;
  };
  await makeFile(
    files,
    claim,
    {
      extension: 'zip',
      write: (path, until) =>
        writeArchive(path, contents, { signal: until, wrote: progress.wrote }),
      percent: progress.percent,
      finish,
    },
    { signal, report },
  );
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
  const { allAccountsSql } = deps.files;
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
