import { zoneOf } from '#contract/base/time.ts';
import { type Repeated, repeat } from '#server/infra/jobs/repeat.ts';
import {
  type Claim,
  LeaseLost,
  type MadeFiles,
  claimNext,
  deleteAttempts,
  giveBack,
  makeFile,
} from '#server/infra/made-files/attempts.ts';
import { asAccount, isTransient } from '#server/infra/postgres/database.ts';
import type { Reading } from '#server/infra/postgres/replica/replica.ts';
import type { OpenedRows, RowSource } from '#server/infra/sheets/row-source.ts';
import { writeCsv } from '#server/infra/sheets/csv-file.ts';
import type { Table } from '#server/infra/sheets/table.ts';
import { writeXlsx } from '#server/infra/sheets/xlsx-file.ts';
import { announce } from './announce.ts';
import { type StoredExport, readExports } from './row.ts';
import type { RowSources } from './sources.ts';

export type WorkDeps = {
  files: MadeFiles;
  sources: RowSources;
  reading: Pick<Reading, 'tenantSql' | 'catchUp'>;
  report: (error: unknown) => void;
  /** Called after each COMMIT that left news in the outbox. */
  onNews: () => void;
};

const LOOK_MS = 5_000;
const RETENTION_HOURS = 24;

/**
 * Starts the worker that makes files, one after another. Any number of processes may have one. Closing it gives back
 * what is under way: another worker begins it anew.
 */
export function startMaking(deps: WorkDeps): Repeated {
  const stop = new AbortController();
  const making = repeat(() => makeWaiting(deps, stop.signal), LOOK_MS, deps.report);
  return {
    wake: making.wake,
    close: async () => {
      stop.abort(new LeaseLost());
      await making.close();
    },
  };
}

/**
 * Makes every file that waits, and those whose worker died. What fails is tried again, three times in all; that the database
 * or the store of files was away does not count.
 */
export async function makeWaiting(
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
          // What cut the attempt off may cut this off as well; left behind, it would wait for its lease to end.
          await giveBack(deps.files, claim).catch(deps.report);
        }
        return hasPassed;
      },
    );
    deps.onNews();
    // What was away is looked at again a moment later, not at once and for ever.
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
  // The parameters were stored by the act of this kind, and checked by it.
  const source = deps.sources[stored.kind] as RowSource<unknown>;
  // Rows are read that were committed before: what was asked for, and all that came before it, is among them.
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
    await deleteAttempts(files.place, exportId, ({ owner }) => owner === claim.owner);
  }
}

const write = (
  { format }: StoredExport,
  path: string,
  table: Table,
  signal: AbortSignal,
): Promise<void> =>
  format === 'csv' ? writeCsv(path, table, signal) : writeXlsx(path, table, { signal });

/** The rows as a table that counts what it has given. */
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

/** Offers a file for a day; one without rows is none. */
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
