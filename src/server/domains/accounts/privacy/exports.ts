import { type ExportState, exportData, getExport } from '#contract/people.ts';
import { publicId } from '#contract/base/ids.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { type ActHandler, handle } from '#server/infra/acts/act.ts';
import { type Sql, type Tx, asAccount } from '#server/infra/postgres/database.ts';
import type { AccountData } from '#server/infra/account-data.ts';
import { newId } from '#server/infra/ids.ts';
import { hit } from '#server/infra/acts/limits.ts';
import type { Secrets } from '#server/infra/security/secrets.ts';
import { signed, verifySigned } from '#server/infra/security/signed-link.ts';
import type { AccountsDeps } from '#server/domains/accounts/deps.ts';
import {
  type MadeFile,
  type MadeFiles,
  LeaseLost,
  type MadeFilesPlace,
  eraseAttempts,
} from '#server/infra/made-files/attempts.ts';
import { openArchive, sweepArchives } from './export-files.ts';
import type { Sessions } from '#server/domains/accounts/sessions/sessions.ts';
import { makePendingExports } from './export-job.ts';

export type ExportsDeps = {
  /** Sees one account at a time. */
  sql: Sql;
  /** Sees all: archives are made for every account. */
  allAccountsSql: Sql;
  secrets: Secrets;
  /** Where archives lie. */
  place: MadeFilesPlace;
  /** All data of accounts. */
  accountDataSources: () => readonly AccountData[];
  /** Sees to it that they read everything that was committed before. */
  catchUp: () => Promise<void>;
  sessions: Pick<Sessions, 'isElsewhere'>;
  sendSystemText: AccountsDeps['sendSystemText'];
  report: AccountsDeps['report'];
};

/** "My data": archives of all data of an account. */
export type Exports = {
  acts: readonly ActHandler[];
  /** The archives themselves, as data of the account. */
  accountData: AccountData;
  /** A finished archive; undefined when the account has none of this id, or it expired. */
  open: (accountId: string, exportId: string) => Promise<MadeFile | undefined>;
  /** Makes pending archives, one after another, and notifies their requesters. A job of the application. */
  work: () => Promise<void>;
  /** Deletes expired archives and the files of dead workers. A job of the application. */
  sweep: () => Promise<void>;
  /** Calls the listener when an archive is requested. */
  onRequested: (listener: () => void) => void;
  /** Gives back what is being made, and begins nothing new: another worker makes it. */
  close: () => void;
};

const RENEW_MS = 5_000;

export function openExports(deps: ExportsDeps): Exports {
  const { allAccountsSql, place } = deps;
  const files: MadeFiles = { allAccountsSql, table: 'exports', place, renewMs: RENEW_MS };
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

/** Archives an account may ask for in a day (docs/threats.md, T37). */
const DAILY_MAX = 3;
const DAY_SECONDS = 86_400;

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

/** Requests an archive. While one is pending, answers that one and counts nothing. */
const exportDataHandler = (deps: ExportsDeps, onRequested: () => void): ActHandler =>
  handle(exportData, async ({ caller: { accountId, userId } }) => {
    const row = await asAccount(deps.sql, accountId, async (tx) => {
      // One at a time: two requests together would both find none pending.
      await tx`select 1 from accounts where account_id = ${accountId} for no key update`;
      const newest = await newestOf(tx, accountId);
      if (newest?.status === 'waiting' || newest?.status === 'working') return newest;
      const day = { scope: 'export', subject: accountId, windowSeconds: DAY_SECONDS };
      if (await hit(tx, [{ ...day, max: DAILY_MAX }])) {
        throw new Refusal('export_limit', { limit: DAILY_MAX });
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
    const row = await asAccount(deps.sql, accountId, (tx) => newestOf(tx, accountId));
    if (!row) return { export: null };
    const state = stateOf(deps, accountId, row);
    // The URL works without the session: a browser that only has a copied token must not get it.
    return { export: deps.sessions.isElsewhere(caller, device) ? { ...state, url: null } : state };
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

/** The archive of a signed URL; undefined when we did not sign it, or it expired. */
export function verifyExport(
  secrets: Secrets,
  address: { id: string; key: string },
): { accountId: string; fileId: string } | undefined {
  const link = verifySigned(secrets, 'export', address);
  return link && { accountId: link.accountId, fileId: link.id };
}
