import { isAbsolute, join, relative, sep } from 'node:path';
import { RELEASE } from '#server/app/release.ts';
import { makeBackup } from '#server/infra/backup/backup.ts';
import { backupState, lastBackup, storedRun } from '#server/infra/backup/runs.ts';
import { isDue, isOverdue } from '#server/infra/backup/schedule.ts';
import { readBackupKey } from '#server/infra/backup/archive/seal.ts';
import { type BackupProblem, problemOf } from '#server/infra/backup/archive/trouble.ts';
import type { Config } from '#server/infra/config.ts';
import type { Sample } from '#server/infra/observability/metrics.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { StartError } from '#server/infra/start-error.ts';
import { type AlertDeps, alertAdmins } from './admin-alerts.ts';

/** What backups are made of. */
export type BackupDeps = {
  config: Pick<Config, 'BACKUP_FOLDER' | 'BACKUP_KEEP' | 'BACKUP_KEY_FILE' | 'SECRET_KEY'>;
  allAccountsSql: Sql;
  /** The embedded database, as its owner. */
  url: string;
  dataFolder: string;
  build: string;
};

/**
 * Where the backups of an installation lie.
 *
 * @throws StartError for a folder among the data: each backup would hold all those before it.
 */
export function backupFolderOf(
  { BACKUP_FOLDER }: Pick<Config, 'BACKUP_FOLDER'>,
  dataFolder: string,
): string {
  const own = join(dataFolder, 'backups');
  if (BACKUP_FOLDER === undefined) return own;
  const isIn = (folder: string) => {
    const way = relative(folder, BACKUP_FOLDER);
    return !isAbsolute(way) && way.split(sep)[0] !== '..';
  };
  if (isIn(dataFolder) && !isIn(own)) {
    throw new StartError(`BACKUP_FOLDER must not lie among the data, but in ${own} or elsewhere.`);
  }
  return BACKUP_FOLDER;
}

/** Makes a backup of this installation now, and stores how it ended. @throws as `makeBackup` does. */
export const backUp = (deps: BackupDeps, at: Date, signal: AbortSignal) =>
  storedRun(deps.allAccountsSql, at, async () => {
    const { config, url, dataFolder, build } = deps;
    return makeBackup({
      url,
      dataFolder,
      folder: backupFolderOf(config, dataFolder),
      key: await readBackupKey(config.BACKUP_KEY_FILE),
      keep: config.BACKUP_KEEP,
      at,
      app: { version: RELEASE, build },
      secretKey: config.SECRET_KEY,
      signal,
    });
  });

type ScheduleDeps = Omit<BackupDeps, 'config'> &
  AlertDeps & {
    config: BackupDeps['config'] & Pick<Config, 'BACKUP'>;
    log: Record<'error' | 'info', (facts: object, words: string) => void>;
    now?: () => Date;
  };

/** The backups of the embedded database, as they fall due. */
export type Backups = {
  /** Makes the one that is due, if one is; operators hear of it when it fails. */
  runDue: () => Promise<void>;
  /** Operators hear of it when one should have come about long ago. */
  watch: () => Promise<void>;
  /** Ends what is under way, as if it had never begun. */
  close: () => void;
};

/** Opens the schedule of backups; the real clock counts, not that of money. */
export function openBackups(deps: ScheduleDeps): Backups {
  const { config, allAccountsSql, log, now = () => new Date() } = deps;
  // What cannot be backed up is said at the start, not in the night.
  if (config.BACKUP !== 'off') backupFolderOf(config, deps.dataFolder);
  const closing = new AbortController();
  return {
    runDue: async () => {
      if (config.BACKUP === 'off') return;
      const at = now();
      const state = await backupState(allAccountsSql);
      if (!state || !isDue(config.BACKUP, at, state)) return;
      try {
        const { bytes, files, removed } = await backUp(deps, at, closing.signal);
        log.info({ size: bytes, count: files, left: removed.length }, 'a backup was made');
      } catch (error) {
        const problem = problemOf(error);
        if (problem === 'running' || closing.signal.aborted) return;
        log.error({ err: error, reason: problem }, 'a backup failed');
        await alert(deps, problem, at);
      }
    },
    watch: async () => {
      if (config.BACKUP === 'off') return;
      const at = now();
      const state = await backupState(allAccountsSql);
      if (!state || !isOverdue(at, state)) return;
      log.error({}, 'there is no backup of the last 26 hours');
      await alert(deps, 'overdue', at);
    },
    close: () => closing.abort(),
  };
}

const reasons: Record<BackupProblem, string> = {
  disk_full: 'disk untuk cadangan penuh',
  damaged: 'isinya tidak sama dengan yang ditulis',
  wrong_key: 'kunci cadangan tidak cocok',
  interrupted: 'prosesnya terhenti',
  overdue: 'belum ada cadangan selama 26 jam terakhir',
  running: 'cadangan lain sedang dibuat',
  failed: 'ada kesalahan yang tercatat di log',
};

function alert(deps: ScheduleDeps, problem: BackupProblem, at: Date): Promise<void> {
  const body = `Cadangan tidak jadi dibuat: ${reasons[problem]}. Jalankan npm run operator doctor untuk melihat penyebabnya.`;
  const key = `backup-${at.toISOString().slice(0, 10)}`;
  return alertAdmins(deps, { title: 'Cadangan gagal', body, tag: 'backup', key });
}

/** When the last backup that came about was begun, in seconds of Unix time; nothing before the first. */
export async function backupFigure(allAccountsSql: Sql): Promise<Sample[]> {
  const last = await lastBackup(allAccountsSql);
  return last?.okAt ? [{ value: Math.floor(last.okAt.getTime() / 1_000) }] : [];
}

/** 1 while the last backup failed, or is too old. */
export async function backupFailed(allAccountsSql: Sql): Promise<Sample[]> {
  const last = await lastBackup(allAccountsSql);
  return last ? [{ value: last.isOk ? 0 : 1 }] : [];
}
