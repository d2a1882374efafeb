import { publicId } from '#contract/base/ids.ts';
import { Refusal } from '#contract/base/refusals.ts';
import * as contract from '#contract/exports.ts';
import {
  type ExportFormat,
  EXPORTS_A_DAY,
  type RowExport,
  type RowExportStatus,
  type exportMessages,
} from '#contract/exports.ts';
import type { AccountData } from '#server/infra/account-data.ts';
import {
  type ActHandler,
  type Limit,
  type Person,
  handle,
  hit,
  hitsLeft,
} from '#server/infra/acts.ts';
import { newId } from '#server/infra/ids.ts';
import { type Repeated, repeat } from '#server/infra/polling.ts';
import {
  type FileRef,
  type FinishedFile,
  type FileJobs,
  type FileJobStorage,
  deleteAttempts,
  eraseAttempts,
  openAttempt,
  sweepAttempts,
  type Claim,
  LeaseLost,
  claimNext,
  giveBack,
  makeFile,
} from '#server/infra/file-jobs.ts';
import {
  type Sql,
  type Tx,
  asAccount,
  isTransient,
  type Fragment,
} from '#server/infra/postgres/database.ts';
import { json } from '#server/infra/postgres/sql.ts';
import type { Reading } from '#server/infra/postgres/replica.ts';
import type { Secrets } from '#server/infra/security/secrets.ts';
import { signed, verifySigned } from '#server/infra/security/signed-link.ts';
import { zoneOf } from '#contract/base/time.ts';
import type { OpenedRows, RowSource } from '#server/infra/sheets/row-source.ts';
import { writeCsv } from '#server/infra/sheets/csv-file.ts';
import type { Table } from '#server/infra/sheets/table.ts';
import { writeXlsx } from '#server/infra/sheets/xlsx-file.ts';
import { appendEvent } from '#server/domains/events/events.ts';
import type { InputOf } from '#contract/base/act.ts';

export type ExportsDeps = {
  sql: Sql;
  /** Sees every account: files are made for all of them. */
  allAccountsSql: Sql;
  reading: Pick<Reading, 'tenantSql' | 'catchUp'>;
  secrets: Secrets;
  place: FileJobStorage;
  sources: RowSources;
  timezoneOf: (tx: Tx, user: { accountId: string; userId: string }) => Promise<string>;
  /** True when the session is used in another browser than the one it began in. */
  isElsewhere: (caller: Person, device: string) => boolean;
  report: (error: unknown) => void;
};

export type RowExports = {
  acts: readonly ActHandler[];
  accountData: AccountData;
  /** A finished file; undefined when the account has none with this id, or it has expired. */
  open: (accountId: string, exportId: string) => Promise<FinishedFile | undefined>;
  start: () => Repeated;
  work: () => Promise<void>;
  /** Deletes expired files and requests, and the leftovers of dead workers. */
  sweep: () => Promise<void>;
  onNews: (listener: () => void) => void;
};

const RENEW_MS = 1_000;
const MIME = 'application/octet-stream';

/** Opens row exports: requests, the worker that makes the files, and their signed addresses. */
export function openRowExports(deps: ExportsDeps): RowExports {
  const { allAccountsSql, place } = deps;
  const listeners: (() => void)[] = [];
  const onNews = () => {
    for (const listener of listeners) listener();
  };
  const files: FileJobs = {
    allAccountsSql,
    table: 'row_exports',
    storage: place,
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
): Promise<FinishedFile | undefined> {
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
      const [stored, left_today] = await asAccount(sql, accountId, (tx) =>
        Promise.all([
          readExports(tx, accountId, tx`order by export_id desc`),
          hitsLeft(tx, dayLimit(accountId)),
        ]),
      );
      const isElsewhere = deps.isElsewhere(caller, device);
      return {
        exports: stored.map((one) => shown(deps, one, isElsewhere)),
        left_today,
      };
    }),
    handle(contract.cancelExport, async ({ caller: { accountId } }, { export_id: exportId }) => {
      await cancelExport(deps, { accountId, exportId });
      onChanged();
      return {};
    }),
  ];
}

const dayLimit = (subject: string): Limit => ({
  scope: 'row-export',
  subject,
  windowSeconds: 86_400,
  max: EXPORTS_A_DAY,
});

type Request = { kind: ExportKind; params: object; format: ExportFormat };

/** @throws Refusal `export_limit` */
const requestExport = (
  { sql, timezoneOf }: ExportsDeps,
  { accountId, userId }: Person,
  { kind, params, format }: Request,
): Promise<StoredExport> =>
  asAccount(sql, accountId, async (tx) => {
    if (await hit(tx, [dayLimit(accountId)])) {
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

/**
 * Deletes a request with its file; a worker that is making it stops. @throws Refusal `not_found`
 */
async function cancelExport({ sql, place }: ExportsDeps, { accountId, exportId }: FileRef) {
  const status = await asAccount(sql, accountId, async (tx) => {
    const [deleted] = await tx<{ status: string }[]>`
      delete from row_exports where account_id = ${accountId} and export_id = ${exportId}
      returning status`;
    if (!deleted) throw new Refusal('not_found', { what: 'Ekspor' });
    await announce(tx, { accountId, exportId });
    return deleted.status;
  });
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

/** The file of a signed URL; undefined when the signature is not ours, or has expired. */
export function verifyRowExport(
  secrets: Secrets,
  address: { id: string; key: string },
): { accountId: string; fileId: string } | undefined {
  const link = verifySigned(secrets, 'rows', address);
  return link && { accountId: link.accountId, fileId: link.id };
}

type WorkDeps = {
  files: FileJobs;
  sources: RowSources;
  reading: Pick<Reading, 'tenantSql' | 'catchUp'>;
  report: (error: unknown) => void;
  onNews: () => void;
};

const LOOK_MS = 5_000;
const RETENTION_HOURS = 24;

/**
 * Starts the worker that makes files, one after another. Any number of processes may run one. Closing it releases the
 * current file, and another worker starts it from the beginning.
 */
function startMaking(deps: WorkDeps): Repeated {
  const stop = new AbortController();
  const making = repeat(() => makeWaiting(deps, stop.signal), LOOK_MS, deps.report);
  return {
    ...making,
    close: async () => {
      stop.abort(new LeaseLost());
      await making.close();
    },
  };
}

/**
 * Makes every waiting file, and those of dead workers. A failed file is retried, three attempts in all; attempts during
 * an outage of the database or the store do not count.
 */
async function makeWaiting(
  deps: WorkDeps,
  signal: AbortSignal = new AbortController().signal,
): Promise<void> {
  while (!signal.aborted) {
    const claim = await claimNext(deps.files);
    deps.onNews();
    if (!claim) return;
    const isAway = await makeOne(deps, claim, signal).then(
      () => false,
      async (error: unknown) => {
        const hasPassed = isTransient(error);
        if (!(error instanceof LeaseLost) && !hasPassed) deps.report(error);
        if (signal.aborted || hasPassed) {
          // The same outage may also fail this call; the file then waits until its lease expires.
          await giveBack(deps.files, claim).catch(deps.report);
        }
        return hasPassed;
      },
    );
    deps.onNews();
    // After an outage, retry at the next interval instead of in a tight loop.
    if (isAway) return;
  }
}

async function makeOne(deps: WorkDeps, claim: Claim, signal: AbortSignal): Promise<void> {
  const { files, reading, report } = deps;
  const { accountId, exportId } = claim;
  const [stored] = await asAccount(files.allAccountsSql, accountId, (tx) =>
    readExports(tx, accountId, tx`and export_id = ${exportId}`),
  );
  if (!stored) throw new LeaseLost();
  const { hours, name: zoneName } = zoneOf(stored.timezone);
  const source = deps.sources[stored.kind] as RowSource<unknown>;
  // The replica must include everything that was committed before the request.
  await reading.catchUp();
  const opened = await source.open({
    sql: reading.tenantSql,
    accountId,
    params: stored.params,
    requestId: exportId,
    zoneName,
  });
  const counted = countRows(opened, hours);
  await makeFile(
    files,
    claim,
    {
      extension: stored.format,
      write: (path, until) => write(stored, path, counted.table, until),
      percent: counted.percent,
      finish: (sizeBytes) => finish(deps, claim, { sizeBytes, rows: counted.rows() }),
    },
    { signal, report },
  );
  if (counted.rows() === 0) {
    await deleteAttempts(files.storage, exportId, ({ owner }) => owner === claim.owner);
  }
}

const write = (
  { format }: StoredExport,
  path: string,
  table: Table,
  signal: AbortSignal,
): Promise<void> =>
  format === 'csv' ? writeCsv(path, table, signal) : writeXlsx(path, table, { signal });

function countRows({ columns, total, batches }: OpenedRows, hoursAhead: number) {
  let [looked, rows] = [0, 0];
  const counting = async function* () {
    for await (const batch of batches()) {
      looked += batch.looked;
      rows += batch.rows.length;
      yield batch.rows;
    }
  };
  const table: Table = { columns, batches: counting(), hoursAhead };
  return {
    table,
    rows: () => rows,
    percent: () => Math.min(99, Math.floor((100 * looked) / Math.max(1, total))),
  };
}

function finish(
  { files: { allAccountsSql } }: WorkDeps,
  claim: Claim,
  { sizeBytes, rows }: { sizeBytes: number; rows: number },
): Promise<boolean> {
  const { accountId, exportId, owner } = claim;
  return allAccountsSql.begin(async (tx) => {
    const { count } = await tx`
      update row_exports set status = ${rows === 0 ? 'empty' : 'ready'}, progress = 100,
        rows = ${rows}, size_bytes = ${sizeBytes}, lease_until = null,
        expires_at = clock_timestamp() + make_interval(hours => ${RETENTION_HOURS})
      where account_id = ${accountId} and export_id = ${exportId} and owner = ${owner}
        and status = 'working'`;
    if (count > 0) await announce(tx, claim);
    return count > 0;
  });
}

/** Notifies open tabs that a file has changed: its owner and its state, unless it was deleted. */
async function announce(tx: Tx, { accountId, exportId }: FileRef): Promise<void> {
  const [stored] = await tx<{ user_id: string; status: RowExportStatus }[]>`
    select user_id, status from row_exports
    where account_id = ${accountId} and export_id = ${exportId}`;
  const data = stored && { status: stored.status, user_id: publicId('user', stored.user_id) };
  await appendEvent(tx, { accountId, kind: 'export.changed', data: data ?? {} });
}

type StoredExport = {
  account_id: string;
  export_id: string;
  kind: ExportKind;
  params: unknown;
  format: ExportFormat;
  timezone: string;
  status: RowExportStatus;
  progress: number;
  owner: string | null;
  rows: number | null;
  size_bytes: number | null;
  created_at: Date;
  expires_at: Date | null;
  day: string;
};

const readExports = (tx: Tx, accountId: string, also: Fragment): Promise<StoredExport[]> => tx<
  StoredExport[]
>`
  select account_id, export_id, kind, params, format, timezone, status, progress, owner, rows,
    size_bytes, created_at, expires_at, to_char(created_at at time zone timezone, 'YYYY-MM-DD') as day
  from row_exports
  where account_id = ${accountId}
    and coalesce(expires_at, created_at + interval '1 day') > clock_timestamp() ${also}`;

type ExportParams = {
  messages: Omit<InputOf<typeof exportMessages>, 'format'>;
  campaign: { campaign_id: string };
};
type ExportKind = keyof ExportParams;

type RowSources = { [Kind in ExportKind]: RowSource<ExportParams[Kind]> };
