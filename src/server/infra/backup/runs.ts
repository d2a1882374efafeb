import { newId } from '#server/infra/ids.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import type { MadeBackup } from './backup.ts';
import { type BackupState, isTooOld } from './schedule.ts';
import { type BackupProblem, problemOf } from './archive/trouble.ts';

const RUNS_KEPT_DAYS = 400;

export type LastBackup = {
  at: Date;
  /** Also false if it is older than 26 hours: the next one is overdue. */
  isOk: boolean;
  bytes: number | undefined;
  path: string | undefined;
  error: BackupProblem | undefined;
  okAt: Date | undefined;
};

type Row = {
  started_at: Date;
  is_ok: boolean;
  bytes: number | null;
  path: string | null;
  problem: BackupProblem | null;
  ok_at: Date | null;
};

/** The result of the last backup; `undefined` before the first one has ended. */
export async function lastBackup(
  allAccountsSql: Sql,
  now = new Date(),
): Promise<LastBackup | undefined> {
  const [row] = await allAccountsSql<Row[]>`
    select started_at, is_ok, bytes, path, problem,
      (select max(started_at) from backups where is_ok) as ok_at
    from backups where finished_at is not null order by started_at desc limit 1`;
  if (!row) return undefined;
  const isLate = row.is_ok && isTooOld(now, row.started_at);
  return {
    at: row.started_at,
    isOk: row.is_ok && !isLate,
    bytes: row.bytes ?? undefined,
    path: row.path ?? undefined,
    error: isLate ? 'overdue' : (row.problem ?? undefined),
    okAt: row.ok_at ?? undefined,
  };
}

/**
 * Makes a backup and stores its result. Earlier unfinished runs have failed, because only one runs at a time.
 *
 * @throws the error of `make`, after storing it.
 */
export async function storedRun(
  allAccountsSql: Sql,
  at: Date,
  make: () => Promise<MadeBackup>,
): Promise<MadeBackup> {
  const id = newId();
  await allAccountsSql`insert into backups (backup_id, started_at) values (${id}, ${at})`;
  try {
    const made = await make();
    await allAccountsSql`
      update backups set finished_at = statement_timestamp(), is_ok = true, bytes = ${made.bytes},
        path = ${made.path}
      where backup_id = ${id}`;
    await settleOlder(allAccountsSql, at);
    return made;
  } catch (error) {
    const problem = problemOf(error);
    // Another process makes one, or this one shuts down: not a failure, and the backup is still due.
    if (problem === 'running' || problem === 'interrupted') {
      await allAccountsSql`delete from backups where backup_id = ${id}`;
    } else {
      await allAccountsSql`
        update backups set finished_at = statement_timestamp(), is_ok = false, problem = ${problem}
        where backup_id = ${id}`;
      await settleOlder(allAccountsSql, at);
    }
    throw error;
  }
}

/** Marks earlier unfinished runs as failed, since they were killed, and deletes very old ones. */
async function settleOlder(allAccountsSql: Sql, at: Date): Promise<void> {
  await allAccountsSql`
    update backups set finished_at = statement_timestamp(), is_ok = false, problem = 'interrupted'
    where finished_at is null and started_at < ${at}`;
  await allAccountsSql`
    delete from backups where started_at < ${at}::timestamptz - make_interval(days => ${RUNS_KEPT_DAYS})`;
}

export async function backupState(allAccountsSql: Sql): Promise<BackupState | undefined> {
  const [row] = await allAccountsSql<
    { installed_at: Date; tried_at: Date | null; ok_at: Date | null }[]
  >`
    select created_at as installed_at, (select max(started_at) from backups) as tried_at,
      (select max(started_at) from backups where is_ok) as ok_at
    from accounts where is_system`;
  return (
    row && {
      installedAt: row.installed_at,
      triedAt: row.tried_at ?? undefined,
      okAt: row.ok_at ?? undefined,
    }
  );
}

/** In a restored database, the unfinished run is the backup itself. */
export async function forgetUnfinished(owner: Sql): Promise<void> {
  await owner`delete from backups where finished_at is null`;
}
