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
import { type ServedArchive, eraseArchives, openArchive, sweepArchives } from './export-files.ts';
import type { Sessions } from '#server/domains/accounts/sessions/sessions.ts';
import { makeWaiting } from './export-job.ts';

export type ExportsDeps = {
  /** Sees one account at a time. */
  sql: Sql;
  /** Sees all: archives are made for whoever waits. */
  allAccountsSql: Sql;
  secrets: Secrets;
  /** Where archives lie; made when it is missing. */
  folder: string;
  /** All that is held of accounts. */
  accountDataSources: () => readonly AccountData[];
  sessions: Pick<Sessions, 'isElsewhere'>;
  sendOtp: AccountsDeps['sendOtp'];
  report: AccountsDeps['report'];
};

/** "My data": archives of everything an account holds. */
export type Exports = {
  acts: readonly ActHandler[];
  /** The archives themselves, as something an account holds. */
  accountData: AccountData;
  /** A finished archive; undefined when the account has none of this id, or its day is over. */
  open: (accountId: string, exportId: string) => Promise<ServedArchive | undefined>;
  /** Makes what waits, one after another, and tells who asked. The house's job. */
  work: () => Promise<void>;
  /** Forgets archives whose day is over, and what dead workers left. The house's job. */
  sweep: () => Promise<void>;
  /** Told when an archive was asked for. */
  onAsked: (listener: () => void) => void;
};

export function openExports(deps: ExportsDeps): Exports {
  const { allAccountsSql, folder } = deps;
  const listeners: (() => void)[] = [];
  const asked = () => {
    for (const listener of listeners) listener();
  };
  return {
    acts: [exportDataHandler(deps, asked), getExportHandler(deps)],
    accountData: {
      close: async (accountId) => {
        await allAccountsSql`
          delete from exports where account_id = ${accountId} and status in ('waiting', 'working')`;
      },
      erase: ({ accountId }) => eraseArchives({ allAccountsSql, folder }, accountId),
    },
    open: (accountId, exportId) => openArchive(deps, { accountId, exportId }),
    work: () => makeWaiting(deps),
    sweep: () => sweepArchives({ allAccountsSql, folder }),
    onAsked: (listener) => listeners.push(listener),
  };
}

/** Archives an account may ask for in a day (docs/threats.md, T37). */
const DAILY_MAX = 3;
const DAY_SECONDS = 86_400;

type Row = {
  exportId: string;
  status: ExportState['status'];
  progress: number;
  sizeBytes: number | null;
  createdAt: Date;
  expiresAt: Date | null;
};

const newestOf = async (tx: Tx, accountId: string): Promise<Row | undefined> => {
  const [row] = await tx<Row[]>`
    select export_id as "exportId", progress, size_bytes as "sizeBytes", created_at as "createdAt",
      expires_at as "expiresAt",
      case when status = 'ready' and expires_at <= clock_timestamp() then 'expired'
        else status end as status
    from exports where account_id = ${accountId} order by export_id desc limit 1`;
  return row;
};

/** Begins an archive. While one is on its way, that one is meant, and nothing more is counted. */
const exportDataHandler = (deps: ExportsDeps, asked: () => void): ActHandler =>
  handle(exportData, async ({ caller: { accountId, userId } }) => {
    const row = await asAccount(deps.sql, accountId, async (tx) => {
      // One at a time: two that ask together would both find none under way.
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
    asked();
    return stateOf(deps, accountId, row);
  });

const getExportHandler = (deps: ExportsDeps): ActHandler =>
  handle(getExport, async ({ caller, device }) => {
    const { accountId } = caller;
    const row = await asAccount(deps.sql, accountId, (tx) => newestOf(tx, accountId));
    if (!row) return { export: null };
    const state = stateOf(deps, accountId, row);
    // The address works without the session: it is not for a browser that only has a copied token.
    return { export: deps.sessions.isElsewhere(caller, device) ? { ...state, url: null } : state };
  });

function stateOf({ secrets }: ExportsDeps, accountId: string, row: Row): ExportState {
  const { exportId, status, progress, sizeBytes, createdAt, expiresAt } = row;
  const linked = { accountId, id: exportId };
  return {
    id: publicId('export', exportId),
    status,
    progress,
    size_bytes: sizeBytes,
    url:
      status === 'ready' && expiresAt
        ? `/exports/${signed(secrets, 'export', linked, expiresAt.getTime())}`
        : null,
    created_at: createdAt.toISOString(),
    expires_at: expiresAt?.toISOString() ?? null,
  };
}

/** Whose archive an address shows; undefined when we did not sign it, or its day is over. */
export function verifyExport(
  secrets: Secrets,
  address: { id: string; key: string },
): { accountId: string; fileId: string } | undefined {
  const linked = verifySigned(secrets, 'export', address);
  return linked && { accountId: linked.accountId, fileId: linked.id };
}
