import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Archiving } from '#server/infra/backup/archiving.ts';
import { listBackups } from '#server/infra/backup/archive/folder.ts';
import type { LastBackup } from '#server/infra/backup/runs.ts';
import type { BackupKey } from '#server/infra/backup/archive/seal.ts';
import { verifyBackup } from '#server/infra/backup/archive/verify.ts';
import type { Config } from '#server/infra/config.ts';
import { type Finding, ago, ok, warning, wrong } from './finding.ts';

const DAY_MS = 86_400_000;
const ARCHIVED_MS_MAX = DAY_MS / 24;

/** Whether backups are made at all, and how the last one ended. */
export function lastRun(
  { BACKUP, production }: Pick<Config, 'BACKUP' | 'production'>,
  last: LastBackup | undefined,
  now: Date,
): Finding {
  if (BACKUP === 'off') {
    const says = 'Backups are off.';
    const remedy = 'Leave BACKUP away, or set a time of day.';
    return production ? wrong(says, remedy) : warning(says, remedy);
  }
  if (!last) {
    return warning(
      `There is no backup yet: the first comes at ${BACKUP} WIB.`,
      'npm run operator -- backup makes one now.',
    );
  }
  if (last.isOk) return ok(`The last backup was made ${ago(last.at, now)}: ${last.path ?? ''}`);
  const before = last.okAt ? `the last whole one was made ${ago(last.okAt, now)}` : 'there is none';
  return wrong(
    `The last backup did not come about (${last.error ?? 'failed'}); ${before}.`,
    'The log says why; npm run operator -- backup tries again.',
  );
}

/** Reads the newest backup, every byte of it. */
export async function newestBackup(
  folder: string,
  key: BackupKey | undefined,
  last: LastBackup | undefined,
): Promise<Finding> {
  const [newest] = await listBackups(folder);
  if (!newest && !last?.okAt) return ok(`No backup lies in ${folder} yet.`);
  if (!newest) {
    return wrong(`The backups that were made are not in ${folder}.`, 'Find them, or make one now.');
  }
  try {
    await verifyBackup(newest.path, { key });
    return ok(`${newest.name} was read, and is whole.`);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return wrong(`The newest backup cannot be restored: ${why}`, 'npm run operator -- backup');
  }
}

/** A disk that breaks takes along what is only on it. */
export async function ownDisk(
  dataFolder: string,
  folder: string,
  diskOf = diskBelow,
): Promise<Finding> {
  const [data, backups] = await Promise.all([dataFolder, folder].map((path) => diskOf(path)));
  return data === backups
    ? warning(
        'Backups lie on the disk of the data: they are lost with it.',
        'Let BACKUP_FOLDER be on another disk, or copy the folder to another machine.',
      )
    : ok('Backups lie on another disk than the data.');
}

/** The disk on which a folder is, or will be. */
async function diskBelow(path: string): Promise<number> {
  const found = await stat(path).catch(() => undefined);
  return found?.dev ?? diskBelow(dirname(path));
}

/**
 * Whether somebody backs up the database at DATABASE_URL: what it shows by itself is that its WAL is
 * archived. Dumps and snapshots cannot be seen from here; BACKUP_EXTERNAL declares them.
 */
export function foreignBackup(
  { BACKUP_EXTERNAL }: Pick<Config, 'BACKUP_EXTERNAL'>,
  { isOn, lastArchivedAt, lastFailedAt, activeSlots }: Archiving,
  now: Date,
): Finding {
  if (isOn && lastFailedAt && (!lastArchivedAt || lastFailedAt > lastArchivedAt)) {
    return wrong(
      `The database cannot archive its WAL since ${ago(lastFailedAt, now)}.`,
      'Its log says why archive_command fails; its disk fills up meanwhile.',
    );
  }
  if (isOn && lastArchivedAt && now.getTime() - lastArchivedAt.getTime() <= ARCHIVED_MS_MAX) {
    return ok(`The database archived its WAL ${ago(lastArchivedAt, now)}.`);
  }
  if (BACKUP_EXTERNAL !== undefined) {
    return ok(`Backed up elsewhere, as BACKUP_EXTERNAL says: ${BACKUP_EXTERNAL}`);
  }
  if (isOn) {
    return warning(
      'The database archives its WAL, but archived nothing for an hour.',
      'Set its archive_timeout (60 s), so that little is lost when it breaks.',
    );
  }
  const standby = activeSlots > 0 ? ' A standby reads from it; that is no backup.' : '';
  return wrong(
    `Nothing shows that the database at DATABASE_URL is backed up.${standby}`,
    'Back it up (docs/running/backup-and-restore.md), then say in BACKUP_EXTERNAL what does it.',
  );
}
