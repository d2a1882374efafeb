import { type Sql, type Tx, isTransient, asAccount } from '#server/infra/postgres/database.ts';
import { type Secrets, hmac } from '#server/infra/security/secrets.ts';
import {
  ARCHIVES_A_DAY,
  requestDeletion,
  deleteAccount,
  cancelDeletion,
  type ExportState,
  exportData,
  getExport,
} from '#contract/people.ts';
import { type ActHandler, type Limit, handle, hit, hitsLeft } from '#server/infra/acts.ts';
import type { AccountsDeps } from '#server/domains/accounts/deps.ts';
import {
  notifyErasureScheduled,
  notifyErasureCancelled,
  notifyErased,
  notifyExportReady,
} from '#server/domains/accounts/notices.ts';
import { issueCode, withVerifiedCode } from './otp.ts';
import { passwordOf, userOf } from '#server/domains/accounts/people.ts';
import { verifyPassword } from './sessions/session-acts.ts';
import { inAccount } from '#server/infra/postgres/distribution/scope.ts';
import type { AccountData, ErasureRequest, Attachment } from '#server/infra/account-data.ts';
import { publicId } from '#contract/base/ids.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { newId } from '#server/infra/ids.ts';
import { signed, verifySigned } from '#server/infra/security/signed-link.ts';
import {
  type FinishedFile,
  type FileJobs,
  LeaseLost,
  type FileJobStorage,
  eraseAttempts,
  type FileRef,
  openAttempt,
  sweepAttempts,
  type Claim,
  claimNext,
  giveBack,
  makeFile,
} from '#server/infra/file-jobs.ts';
import type { Sessions } from '#server/domains/accounts/sessions/sessions.ts';
import { type Contents, writeArchive } from '#server/infra/archive.ts';
import { StoreAway } from '#server/infra/file-store/file-store.ts';

/** A keyed hash: without the key all numbers could be tried. */
const hmacOf = ({ secrets }: Pick<AccountsDeps, 'secrets'>, phone: string): Buffer =>
  hmac(secrets.key('phones'), 'phone', phone);

/**
 * True if a number belonged to an account before: one that was erased, or has another number now. Call it after
 * claiming the number, in the same transaction: its former owner has then committed.
 */
export async function hadAccount(
  tx: Tx,
  deps: Pick<AccountsDeps, 'secrets'>,
  phone: string,
): Promise<boolean> {
  const [row] = await tx<{ known: boolean }[]>`
    select exists (select from erased_account_phones where phone_hmac = ${hmacOf(deps, phone)})
      or exists (select from former_phones where phone = ${phone}) as known`;
  return row?.known ?? false;
}

export async function storeErasedPhones(
  tx: Sql | Tx,
  deps: Pick<AccountsDeps, 'secrets'>,
  accountId: string,
) {
  const phones = await tx<{ phone: string }[]>`
    select phone from user_phones where account_id = ${accountId}
    union select phone from former_phones where account_id = ${accountId}`;
  const hashes = phones.map(({ phone }) => hmacOf(deps, phone));
  await tx`
    insert into erased_account_phones (phone_hmac) select unnest(${hashes}::bytea[])
    on conflict do nothing`;
}

/** The period in which an erasure can be cancelled; everything works until then (docs/threats.md#personal-data). */
const GRACE_DAYS = 7;

export const closingActs = (deps: AccountsDeps): readonly ActHandler[] => [
  requestDeletionHandler(deps),
  deleteAccountHandler(deps),
  cancelDeletionHandler(deps),
];

const requestDeletionHandler = (deps: AccountsDeps): ActHandler =>
  handle(requestDeletion, async (call) => {
    const { accountId, userId } = call.caller;
    const { phone } = await passwordOf(deps.allAccountsSql, call.caller);
    const request = { purpose: 'delete', phone, user: { accountId, userId } } as const;
    const issued = await deps.allAccountsSql.begin((tx) => issueCode(tx, deps, request, call));
    await issued.send();
    return issued.answer;
  });

/** Schedules the erasure; a second request does not move it. The user is notified. */
const deleteAccountHandler = (deps: AccountsDeps): ActHandler =>
  handle(deleteAccount, async (call, { password, challenge, code }) => {
    const { caller } = call;
    const { phone } = await verifyPassword(deps, call, password);
    const { accountId } = caller;
    const codeInput = { challengeId: challenge, code };
    const scope = { purposes: ['delete'], user: caller } as const;
    const user = await withVerifiedCode(deps, codeInput, scope, async (tx) => {
      await tx`
        update accounts
        set erase_at = statement_timestamp() + make_interval(days => ${GRACE_DAYS})
        where account_id = ${accountId} and erase_at is null and not is_system`;
      return userOf(tx, deps, caller);
    });
    const { erased_at: at, timezone } = user;
    if (at !== null) void notifyErasureScheduled(deps, phone, { at, timezone }).catch(deps.report);
    return user;
  });

const cancelDeletionHandler = (deps: AccountsDeps): ActHandler =>
  handle(cancelDeletion, async ({ caller }) => {
    const { isCancelled, user } = await deps.allAccountsSql.begin(async (tx) => {
      const { count } = await tx`
        update accounts set erase_at = null
        where account_id = ${caller.accountId} and erase_at is not null and closed_at is null`;
      return { isCancelled: count > 0, user: await userOf(tx, deps, caller) };
    });
    if (isCancelled) void notifyErasureCancelled(deps, user.phone).catch(deps.report);
    return user;
  });

type EraseDeps = Pick<AccountsDeps, 'allAccountsSql' | 'sendSystemText' | 'report'> & {
  /** All data of accounts, in the order of erasure; this domain's own last. */
  accountDataSources: readonly AccountData[];
};

/** This long after closing no act of the account is in progress any more. */
const QUIET_SECONDS = 60;

/**
 * Erases the accounts that are due: closes each, sends its owner a final notice, and a minute later erases everything
 * but the ledger. Run by a job; any number of nodes may run it, and after a crash the next run continues where the last
 * one ended.
 */
export async function eraseDue(deps: EraseDeps): Promise<void> {
  const due = await deps.allAccountsSql<{ accountId: string }[]>`
    select account_id as "accountId" from accounts
    where erase_at <= clock_timestamp() and erased_at is null and not is_system order by erase_at`;
  for (const { accountId } of due) {
    await inAccount(accountId, () => eraseOne(deps, accountId)).catch(deps.report);
  }
}

async function eraseOne(deps: EraseDeps, accountId: string): Promise<void> {
  const { allAccountsSql, accountDataSources } = deps;
  await allAccountsSql`select close_account(${accountId})`;
  const [account] = await allAccountsSql<{ isQuiet: boolean; isNotified: boolean }[]>`
    select closed_at < clock_timestamp() - make_interval(secs => ${QUIET_SECONDS}) as "isQuiet",
      erasure_notified_at is not null as "isNotified"
    from accounts where account_id = ${accountId} and closed_at is not null and erased_at is null`;
  if (!account) return;
  for (const { close } of accountDataSources) await close?.(accountId);
  if (!account.isNotified) await sendFinalNotice(deps, accountId);
  if (!account.isQuiet) return;

  const erasure = { accountId, phones: await phonesOf(allAccountsSql, accountId) };
  for (const { isReady } of accountDataSources) if (isReady && !(await isReady(erasure))) return;
  for (const { erase } of accountDataSources) await erase?.(erasure);
  await allAccountsSql`
    update accounts set erased_at = statement_timestamp()
    where account_id = ${accountId} and erased_at is null`;
}

/** Sent before the number is erased, at least once: a crash in between repeats it. */
async function sendFinalNotice(deps: EraseDeps, accountId: string): Promise<void> {
  const { allAccountsSql } = deps;
  const people = await allAccountsSql<{ phone: string }[]>`
    select phone from user_phones where account_id = ${accountId}`;
  for (const { phone } of people) {
    await notifyErased(deps, phone).catch((error: unknown) => {
      if (isTransient(error)) throw error;
      // An opt-out (STOP) does not prevent the erasure.
      deps.report(error);
    });
  }
  await allAccountsSql`
    update accounts set erasure_notified_at = statement_timestamp() where account_id = ${accountId}`;
}

/** The numbers of its users, without former ones that have another owner now. */
async function phonesOf(allAccountsSql: Sql, accountId: string): Promise<ErasureRequest['phones']> {
  const found = await allAccountsSql<{ phone: string }[]>`
    select phone from user_phones where account_id = ${accountId}
    union
    select f.phone from former_phones f
    where f.account_id = ${accountId} and not exists (
      select from user_phones u where u.phone = f.phone and u.account_id <> ${accountId}
    )`;
  return found.map(({ phone }) => phone);
}

type ExportsDeps = Pick<
  AccountsDeps,
  'sql' | 'allAccountsSql' | 'secrets' | 'sendSystemText' | 'report'
> & {
  place: FileJobStorage;
  accountDataSources: () => readonly AccountData[];
  /** Waits until they include everything committed before. */
  catchUp: () => Promise<void>;
  sessions: Pick<Sessions, 'isElsewhere'>;
};

export type Exports = {
  acts: readonly ActHandler[];
  accountData: AccountData;
  open: (accountId: string, exportId: string) => Promise<FinishedFile | undefined>;
  /** Makes pending archives one after another and notifies their requesters. Run by a job. */
  work: () => Promise<void>;
  sweep: () => Promise<void>;
  onRequested: (listener: () => void) => void;
  /** Releases the archive in progress for another worker and starts no new one. */
  close: () => void;
};

const RENEW_MS = 5_000;

export function openExports(deps: ExportsDeps): Exports {
  const { allAccountsSql, place } = deps;
  const files: FileJobs = { allAccountsSql, table: 'exports', storage: place, renewMs: RENEW_MS };
  const listeners: (() => void)[] = [];
  const closing = new AbortController();
  const notifyListeners = () => {
    for (const listener of listeners) listener();
  };
  return {
    acts: [exportDataHandler(deps, notifyListeners), getExportHandler(deps)],
    accountData: {
      close: async (accountId) => {
        await allAccountsSql`
          delete from exports where account_id = ${accountId} and status in ('waiting', 'working')`;
      },
      erase: ({ accountId }) => eraseAttempts(files, accountId),
    },
    open: (accountId, exportId) => openArchive(deps, { accountId, exportId }),
    work: () => makePendingExports({ ...deps, files }, closing.signal),
    sweep: () => sweepArchives(files),
    onRequested: (listener) => listeners.push(listener),
    close: () => closing.abort(new LeaseLost()),
  };
}

/** Of archives (docs/threats.md, T37). */
const dayLimit = (subject: string): Limit => ({
  scope: 'export',
  subject,
  windowSeconds: 86_400,
  max: ARCHIVES_A_DAY,
});

type ExportRow = {
  exportId: string;
  status: ExportState['status'];
  progress: number;
  sizeBytes: number | null;
  createdAt: Date;
  expiresAt: Date | null;
};

const newestOf = async (tx: Tx, accountId: string): Promise<ExportRow | undefined> => {
  const [row] = await tx<ExportRow[]>`
    select export_id as "exportId", progress, size_bytes as "sizeBytes", created_at as "createdAt",
      expires_at as "expiresAt",
      case when status = 'ready' and expires_at <= clock_timestamp() then 'expired'
        else status end as status
    from exports where account_id = ${accountId} order by export_id desc limit 1`;
  return row;
};

/** Requests an archive. A pending one is returned instead, uncounted. */
const exportDataHandler = (deps: ExportsDeps, onRequested: () => void): ActHandler =>
  handle(exportData, async ({ caller: { accountId, userId } }) => {
    const row = await asAccount(deps.sql, accountId, async (tx) => {
      // One at a time: two concurrent requests would both find none pending.
      await tx`select 1 from accounts where account_id = ${accountId} for no key update`;
      const newest = await newestOf(tx, accountId);
      if (newest?.status === 'waiting' || newest?.status === 'working') return newest;
      if (await hit(tx, [dayLimit(accountId)])) {
        throw new Refusal('export_limit', { limit: ARCHIVES_A_DAY });
      }
      await tx`
        insert into exports (account_id, export_id, user_id)
        values (${accountId}, ${newId()}, ${userId})`;
      return newestOf(tx, accountId);
    });
    if (!row) throw new Error('an export was not made');
    onRequested();
    return stateOf(deps, accountId, row);
  });

const getExportHandler = (deps: ExportsDeps): ActHandler =>
  handle(getExport, async ({ caller, device }) => {
    const { accountId } = caller;
    const [row, left_today] = await asAccount(deps.sql, accountId, (tx) =>
      Promise.all([newestOf(tx, accountId), hitsLeft(tx, dayLimit(accountId))]),
    );
    if (!row) return { export: null, left_today };
    const state = stateOf(deps, accountId, row);
    // The URL works without the session: a browser with a copied token must not get it.
    const isElsewhere = deps.sessions.isElsewhere(caller, device);
    return { export: isElsewhere ? { ...state, url: null } : state, left_today };
  });

function stateOf({ secrets }: ExportsDeps, accountId: string, row: ExportRow): ExportState {
  const { exportId, status, progress, sizeBytes, createdAt, expiresAt } = row;
  const link = { accountId, id: exportId };
  return {
    id: publicId('export', exportId),
    status,
    progress,
    size_bytes: sizeBytes,
    url:
      status === 'ready' && expiresAt
        ? `/exports/${signed(secrets, 'export', link, expiresAt.getTime())}`
        : null,
    created_at: createdAt.toISOString(),
    expires_at: expiresAt?.toISOString() ?? null,
  };
}

/** The archive of a signed URL; undefined if the signature is invalid or expired. */
export function verifyExport(
  secrets: Secrets,
  address: { id: string; key: string },
): { accountId: string; fileId: string } | undefined {
  const link = verifySigned(secrets, 'export', address);
  return link && { accountId: link.accountId, fileId: link.id };
}

/** A finished archive of an account; undefined if there is none, it expired, or its file is missing. */
async function openArchive(
  { sql, place }: { sql: Sql; place: FileJobStorage },
  { accountId, exportId }: FileRef,
): Promise<FinishedFile | undefined> {
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

/** Expires old archives, and deletes every file without an active row. */
async function sweepArchives(files: FileJobs): Promise<void> {
  const { allAccountsSql } = files;
  await allAccountsSql`
    update exports set status = 'expired'
    where status = 'ready' and expires_at <= clock_timestamp()`;
  await allAccountsSql`
    delete from exports where created_at < clock_timestamp() - interval '30 days'
      and status not in ('waiting', 'working')`;
  await sweepAttempts(files);
}

const RETENTION_HOURS = 24;

/**
 * Makes every pending archive, and those of dead workers; then notifies the requesters. A failure is retried a minute
 * later, three times in all; an unavailable file store does not count.
 *
 * @param stop ends it early: the archive in progress is released, and another worker starts it anew.
 */
async function makePendingExports(
  deps: ExportsDeps & { files: FileJobs },
  stop: AbortSignal,
): Promise<void> {
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

async function makeArchive(
  deps: ExportsDeps & { files: FileJobs },
  claim: Claim,
  signal: AbortSignal,
): Promise<void> {
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

/** The progress of an archive: rows in both their files, and attachments by size. 100 is set at the end. */
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

/** Notifies the requester of an archive; after a crash in between once more. */
async function notifyReady(deps: ExportsDeps & { files: FileJobs }): Promise<void> {
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
