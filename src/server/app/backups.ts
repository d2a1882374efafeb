import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { adminPhones, systemAccount } from '#server/domains/accounts/accounts.ts';
import { queueNotice } from '#server/domains/push/push.ts';
import { makeBackup } from '#server/infra/backup/backup.ts';
import { backupState, lastBackup, storedRun } from '#server/infra/backup/runs.ts';
import { isDue, isOverdue } from '#server/infra/backup/schedule.ts';
import { readBackupKey } from '#server/infra/backup/archive/seal.ts';
import { type BackupProblem, problemOf } from '#server/infra/backup/archive/trouble.ts';
import type { Config } from '#server/infra/config.ts';
import type { Sample } from '#server/infra/observability/metrics.ts';
import type { Sql } from '#server/infra/postgres/database.ts';

/** What backups are made of. */
export type BackupDeps = {
  config: Pick<Config, 'BACKUP_FOLDER' | 'BACKUP_KEEP' | 'BACKUP_KEY_FILE' | 'SECRET_KEY'>;
  allAccountsSql: Sql;
  /** The embedded database, as its owner. */
  url: string;
  dataFolder: string;
  build: string;
};

/** Where the backups of an installation lie. */
export const backupFolderOf = (config: Pick<Config, 'BACKUP_FOLDER'>, dataFolder: string): string =>
  config.BACKUP_FOLDER ?? join(dataFolder, 'backups');

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
      app: { version: appVersion(), build },
      secretKey: config.SECRET_KEY,
      signal,
    });
  });

function appVersion(): string {
  const path = join(import.meta.dirname, '../../../package.json');
  const { version } = JSON.parse(readFileSync(path, 'utf8')) as { version: string };
  return version;
}

type ScheduleDeps = Omit<BackupDeps, 'config'> & {
  config: BackupDeps['config'] & Pick<Config, 'BACKUP'>;
  log: Record<'error' | 'info', (facts: object, words: string) => void>;
  sendSystemText: (phone: string, text: string, shown?: string, key?: string) => Promise<void>;
  report: (trouble: unknown) => void;
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
  const closing = new AbortController();
  return {
    runDue: async () => {
      if (config.BACKUP === 'off') return;
      const at = now();
      const state = await backupState(allAccountsSql);
      if (!state || !isDue(config.BACKUP, at, state)) return;
      try {
        const { bytes, files, removed } = await backUp(deps, at, closing.signal);
        log.info({ bytes, files, removed: removed.length }, 'a backup was made');
      } catch (error) {
        const problem = problemOf(error);
        if (problem === 'running' || closing.signal.aborted) return;
        log.error({ err: error, problem }, 'a backup failed');
        await alert(deps, problem, at);
      }
    },
    watch: async () => {
      if (config.BACKUP === 'off') return;
      const at = now();
      const state = await backupState(allAccountsSql);
      if (!state || !isOverdue(at, state)) return;
      log.error({ last: state.okAt }, 'there is no backup of the last 26 hours');
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

/** Tells operators, at most once a day by message: notices to browsers replace each other. */
async function alert(
  { allAccountsSql, sendSystemText, report }: ScheduleDeps,
  problem: BackupProblem,
  at: Date,
): Promise<void> {
  const body = `Cadangan tidak jadi dibuat: ${reasons[problem]}. Jalankan npm run operator doctor untuk melihat penyebabnya.`;
  try {
    await allAccountsSql.begin(async (tx) => {
      const accountId = await systemAccount(tx);
      if (accountId === undefined) return;
      const notice = { title: 'Cadangan gagal', body, url: '/operator', tag: 'backup' };
      await queueNotice(tx, { accountId, ...notice });
    });
    const day = at.toISOString().slice(0, 10);
    for (const phone of await adminPhones(allAccountsSql)) {
      await sendSystemText(phone, body, body, `backup-${day}-${phone}`);
    }
  } catch (error) {
    report(error);
  }
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
