import { publicId } from '#contract/base/ids.ts';
import { Refusal } from '#contract/base/refusals.ts';
import * as contract from '#contract/exports/exports.ts';
import { type ExportFormat, EXPORTS_A_DAY, type RowExport } from '#contract/exports/exports.ts';
import type { AccountData } from '#server/infra/account-data.ts';
import { type ActHandler, type Person, handle } from '#server/infra/acts/act.ts';
import { hit } from '#server/infra/acts/limits.ts';
import { newId } from '#server/infra/ids.ts';
import type { Repeated } from '#server/infra/jobs/repeat.ts';
import {
  type FileRef,
  type MadeFile,
  type MadeFiles,
  type MadeFilesPlace,
  deleteAttempts,
  eraseAttempts,
  openAttempt,
  sweepAttempts,
} from '#server/infra/made-files/attempts.ts';
import { type Sql, type Tx, asAccount } from '#server/infra/postgres/database.ts';
import { json } from '#server/infra/postgres/sql.ts';
import type { Reading } from '#server/infra/postgres/replica/replica.ts';
import type { Secrets } from '#server/infra/security/secrets.ts';
import { signed, verifySigned } from '#server/infra/security/signed-link.ts';
import { announce } from './announce.ts';
import { type StoredExport, readExports } from './row.ts';
import type { ExportKind, ExportParams, RowSources } from './sources.ts';
import { makeWaiting, startMaking } from './worker.ts';

export type ExportsDeps = {
  /** Sees one account at a time. */
  sql: Sql;
  /** Sees all: files are made for every account. */
  allAccountsSql: Sql;
  /** Where the rows are read. */
  reading: Pick<Reading, 'tenantSql' | 'catchUp'>;
  secrets: Secrets;
  /** Where the files lie. */
  place: MadeFilesPlace;
  sources: RowSources;
  /** The zone that somebody's times are shown in. */
  timezoneOf: (tx: Tx, user: { accountId: string; userId: string }) => Promise<string>;
  /** True for a session that is used in another browser than it began in. */
  isElsewhere: (caller: Person, device: string) => boolean;
  report: (error: unknown) => void;
};

/** Rows that accounts take along as files. */
export type RowExports = {
  acts: readonly ActHandler[];
  accountData: AccountData;
  /** A finished file; undefined when the account has none of this id, or its time is over. */
  open: (accountId: string, exportId: string) => Promise<MadeFile | undefined>;
  /** Starts the worker that makes them. */
  start: () => Repeated;
  /** Makes what waits, now. */
  work: () => Promise<void>;
  /** Deletes files and requests after their day, and what dead workers left. */
  sweep: () => Promise<void>;
  /** Calls the listener after each COMMIT that left news in the outbox. */
  onNews: (listener: () => void) => void;
};

const RENEW_MS = 1_000;
const MIME = 'application/octet-stream';

/** Opens files of rows: requests, the worker that makes them, and their signed addresses. */
export function openRowExports(deps: ExportsDeps): RowExports {
  const { allAccountsSql, place } = deps;
  const listeners: (() => void)[] = [];
  const onNews = () => {
    for (const listener of listeners) listener();
  };
  const files: MadeFiles = {
    allAccountsSql,
    table: 'row_exports',
    place,
    renewMs: RENEW_MS,
    onChanged: announce,
  };
  let wake = () => undefined as void;
  const { reading, report, sources } = deps;
  const work = { files, reading, sources, report, onNews };
  return {
    acts: actsOf(deps, () => {
      onNews();
      wake();
    }),
    accountData: {
      close: async (accountId) => {
        await allAccountsSql`
          delete from row_exports
          where account_id = ${accountId} and status in ('waiting', 'working')`;
      },
      erase: ({ accountId }) => eraseAttempts(files, accountId),
    },
    open: (accountId, exportId) => openFile(deps, { accountId, exportId }),
    start: () => {
      const making = startMaking(work);
      wake = making.wake;
      return making;
    },
    work: () => makeWaiting(work),
    sweep: async () => {
      await allAccountsSql`
        delete from row_exports where status not in ('waiting', 'working')
          and coalesce(expires_at, created_at + interval '1 day') <= clock_timestamp()`;
      await sweepAttempts(files);
    },
    onNews: (listener) => void listeners.push(listener),
  };
}

async function openFile(
  { sql, place, sources }: ExportsDeps,
  { accountId, exportId }: FileRef,
): Promise<MadeFile | undefined> {
  const [found] = await asAccount(sql, accountId, (tx) =>
    readExports(tx, accountId, tx`and export_id = ${exportId} and status = 'ready'`),
  );
  if (!found || found.owner === null || found.size_bytes === null) return undefined;
  const { owner, format, size_bytes: sizeBytes } = found;
  const name = `${sources[found.kind].fileName}-${found.day}.${format}`;
  return openAttempt(place, { exportId, owner, sizeBytes, name, mime: MIME });
}

function actsOf(deps: ExportsDeps, onChanged: () => void): readonly ActHandler[] {
  const { sql } = deps;
  const requested = async <Kind extends ExportKind>(
    { caller, device, format }: { caller: Person; device: string; format: ExportFormat },
    kind: Kind,
    params: ExportParams[Kind],
  ) => {
    const { accountId } = caller;
    await deps.sources[kind].check(accountId, params, sql);
    const stored = await requestExport(deps, caller, { kind, params, format });
    onChanged();
    return shown(deps, stored, deps.isElsewhere(caller, device));
  };
  return [
    handle(contract.exportMessages, ({ caller, device }, { format, ...params }) =>
      requested({ caller, device, format }, 'messages', params),
    ),
    handle(contract.exportCampaign, ({ caller, device }, { format, ...params }) =>
      requested({ caller, device, format }, 'campaign', params),
    ),
    handle(contract.listExports, async ({ caller, device }) => {
      const { accountId } = caller;
      const stored = await asAccount(sql, accountId, (tx) =>
        readExports(tx, accountId, tx`order by export_id desc`),
      );
      const isElsewhere = deps.isElsewhere(caller, device);
      return { exports: stored.map((one) => shown(deps, one, isElsewhere)) };
    }),
    handle(contract.cancelExport, async ({ caller: { accountId } }, { export_id: exportId }) => {
      await cancelExport(deps, { accountId, exportId });
      onChanged();
      return {};
    }),
  ];
}

const DAY_SECONDS = 86_400;

type Request = { kind: ExportKind; params: object; format: ExportFormat };

/** @throws Refusal `export_limit` */
const requestExport = (
  { sql, timezoneOf }: ExportsDeps,
  { accountId, userId }: Person,
  { kind, params, format }: Request,
): Promise<StoredExport> =>
  asAccount(sql, accountId, async (tx) => {
    const day = { scope: 'row-export', subject: accountId, windowSeconds: DAY_SECONDS };
    if (await hit(tx, [{ ...day, max: EXPORTS_A_DAY }])) {
      throw new Refusal('export_limit', { limit: EXPORTS_A_DAY });
    }
    const exportId = newId();
    const timezone = await timezoneOf(tx, { accountId, userId });
    await tx`
      insert into row_exports (account_id, export_id, user_id, kind, params, format, timezone)
      values (${accountId}, ${exportId}, ${userId}, ${kind}, ${json(params)}, ${format}, ${timezone})`;
    await announce(tx, { accountId, exportId });
    const [stored] = await readExports(tx, accountId, tx`and export_id = ${exportId}`);
    if (!stored) throw new Error('an export was not stored');
    return stored;
  });

/** Deletes a request with its file; whoever is making it stops. @throws Refusal `not_found` */
async function cancelExport({ sql, place }: ExportsDeps, { accountId, exportId }: FileRef) {
  const status = await asAccount(sql, accountId, async (tx) => {
    const [deleted] = await tx<{ status: string }[]>`
      delete from row_exports where account_id = ${accountId} and export_id = ${exportId}
      returning status`;
    if (!deleted) throw new Refusal('not_found', { what: 'Ekspor' });
    await announce(tx, { accountId, exportId });
    return deleted.status;
  });
  // A worker deletes what it has not finished by itself.
  if (status === 'ready') await deleteAttempts(place, exportId);
}

function shown({ secrets }: ExportsDeps, stored: StoredExport, isElsewhere: boolean): RowExport {
  const { account_id: accountId, export_id: id, kind, params, status, expires_at } = stored;
  // The URL works without the session: a browser that only has a copied token must not get it.
  const isOffered = status === 'ready' && expires_at !== null && !isElsewhere;
  return {
    id: publicId('rows', id),
    format: stored.format,
    status,
    progress: stored.progress,
    rows: stored.rows,
    size_bytes: stored.size_bytes,
    url: isOffered
      ? `/row-exports/${signed(secrets, 'rows', { accountId, id }, expires_at.getTime())}`
      : null,
    created_at: stored.created_at,
    expires_at,
    of: requestOf(kind, params),
  };
}

function requestOf(kind: ExportKind, params: unknown): RowExport['of'] {
  if (kind === 'campaign') {
    const { campaign_id: id } = params as ExportParams['campaign'];
    return { kind, campaign_id: publicId('campaign', id) };
  }
  const { token_id: token, message_ids: ids, ...filters } = params as ExportParams['messages'];
  return {
    kind,
    ...filters,
    ...(token !== undefined && { token_id: publicId('token', token) }),
    ...(ids !== undefined && { chosen: ids.length }),
  };
}

/** The file of a signed URL; undefined when we did not sign it, or it expired. */
export function verifyRowExport(
  secrets: Secrets,
  address: { id: string; key: string },
): { accountId: string; fileId: string } | undefined {
  const link = verifySigned(secrets, 'rows', address);
  return link && { accountId: link.accountId, fileId: link.id };
}
