import { exec } from 'node:child_process';
import { readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Archiving } from '#server/infra/backup/archiving.ts';
import { listBackups } from '#server/infra/backup/archive/folder.ts';
import type { LastBackup } from '#server/infra/backup/runs.ts';
import type { BackupKey } from '#server/infra/backup/archive/seal.ts';
import { verifyBackup } from '#server/infra/backup/archive/verify.ts';
import type { Config } from '#server/infra/config.ts';
import { type Finding, ago, ok, warning, wrong } from './finding.ts';

const HOUR_MS = 3_600_000;
const ARCHIVED_MS_MAX = HOUR_MS;
/** Clocks of two machines differ a little. */
const FUTURE_MS_MAX = HOUR_MS;
const COMMAND_MS_MAX = 30_000;

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

/** Reads every byte of the newest backup. */
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

/** Backups on the disk of the data are lost with it. */
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

/** The disk of a folder that may not exist yet. */
async function diskBelow(path: string): Promise<number> {
  const found = await stat(path).catch(() => undefined);
  return found?.dev ?? diskBelow(dirname(path));
}

type ProofSettings = Pick<
  Config,
  'BACKUP_EXTERNAL' | 'BACKUP_PROOF_FILE' | 'BACKUP_PROOF_COMMAND' | 'BACKUP_PROOF_HOURS'
>;

/**
 * Whether the database at DATABASE_URL is backed up: by its archived WAL, or by the proof in the settings.
 * BACKUP_EXTERNAL is a claim, not a proof.
 */
export async function foreignBackup(
  config: ProofSettings,
  { isOn, lastArchivedAt, lastFailedAt, activeSlots }: Archiving,
  now: Date,
): Promise<Finding> {
  if (isOn && lastFailedAt && (!lastArchivedAt || lastFailedAt > lastArchivedAt)) {
    return wrong(
      `The database cannot archive its WAL since ${ago(lastFailedAt, now)}.`,
      'Its log says why archive_command fails; its disk fills up meanwhile.',
    );
  }
  const proof = await readProof(config);
  if (proof) return judgeProof(proof, config, now);
  if (isOn && lastArchivedAt && now.getTime() - lastArchivedAt.getTime() <= ARCHIVED_MS_MAX) {
    return ok(`The database archived its WAL ${ago(lastArchivedAt, now)}.`);
  }
  if (isOn) {
    return warning(
      'The database archives its WAL, but archived nothing for an hour.',
      'Set its archive_timeout (60 s), so that little is lost when it breaks.',
    );
  }
  const claim = config.BACKUP_EXTERNAL;
  if (claim !== undefined) {
    return warning(
      `BACKUP_EXTERNAL says “${claim}”, and nothing proves it.`,
      'Set BACKUP_PROOF_FILE or BACKUP_PROOF_COMMAND (docs/running/backup-and-restore.md).',
    );
  }
  const standby = activeSlots > 0 ? ' A standby reads from it; that is no backup.' : '';
  return wrong(
    `Nothing shows that the database at DATABASE_URL is backed up.${standby}`,
    'Back it up, then name a proof in BACKUP_PROOF_FILE or BACKUP_PROOF_COMMAND (docs/running/backup-and-restore.md).',
  );
}

/** The time of the newest backup by a proof, or why the proof shows none. */
type Proof = { by: string } & ({ at: Date } | { trouble: string });

async function readProof({
  BACKUP_PROOF_FILE: path,
  BACKUP_PROOF_COMMAND: command,
}: ProofSettings): Promise<Proof | undefined> {
  if (path !== undefined) return { by: path, ...(await newestFile(path)) };
  if (command !== undefined) return { by: 'BACKUP_PROOF_COMMAND', ...(await askCommand(command)) };
  return undefined;
}

function judgeProof(proof: Proof, config: ProofSettings, now: Date): Finding {
  const remedy = 'Look into what makes the backups, and make one now.';
  if ('trouble' in proof) return wrong(`${proof.by} proves no backup: ${proof.trouble}.`, remedy);
  const ageMs = now.getTime() - proof.at.getTime();
  if (ageMs < -FUTURE_MS_MAX) {
    return wrong(
      `${proof.by} names a backup of the future.`,
      'Compare the clocks of both machines.',
    );
  }
  const says = `The newest backup by ${proof.by} was made ${ago(proof.at, now)}`;
  return ageMs > config.BACKUP_PROOF_HOURS * HOUR_MS
    ? wrong(`${says}; BACKUP_PROOF_HOURS is ${config.BACKUP_PROOF_HOURS}.`, remedy)
    : ok(`${says}.`);
}

/** The time of a file, or of the newest in a folder; an empty file is not a backup. */
async function newestFile(path: string): Promise<{ at: Date } | { trouble: string }> {
  try {
    const isFolder = (await stat(path)).isDirectory();
    const files = isFolder ? (await readdir(path)).map((name) => join(path, name)) : [path];
    const found = await Promise.all(files.map((file) => stat(file)));
    const times = found
      .filter((file) => file.isFile() && file.size > 0)
      .map(({ mtimeMs }) => mtimeMs);
    return times.length === 0
      ? { trouble: isFolder ? 'no file in it has any content' : 'it is empty' }
      : { at: new Date(Math.max(...times)) };
  } catch (error) {
    return { trouble: error instanceof Error ? error.message : String(error) };
  }
}

/** The time that a command prints on its first line. */
async function askCommand(command: string): Promise<{ at: Date } | { trouble: string }> {
  try {
    const { stdout } = await promisify(exec)(command, {
      timeout: COMMAND_MS_MAX,
      killSignal: 'SIGKILL',
      maxBuffer: 65_536,
    });
    const ms = timeOf(stdout.split('\n')[0]?.trim() ?? '');
    return Number.isFinite(ms) ? { at: new Date(ms) } : { trouble: 'it printed no time' };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    return {
      trouble: typeof code === 'number' ? `it ended with ${code}` : 'it did not end as it should',
    };
  }
}

/** Milliseconds since 1970 of a time with its zone or of Unix seconds; NaN for other text. */
function timeOf(line: string): number {
  if (/^\d{9,11}(\.\d+)?$/.test(line)) return Number(line) * 1_000;
  const isTime = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d(:?\d\d)?)$/.test(line);
  return isTime ? Date.parse(line.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00')) : Number.NaN;
}
