import * as z from 'zod/mini';
import { StartError } from '#server/infra/start-error.ts';
import { text, whole } from './readers.ts';
import { optional, setting } from './setting.ts';

const timesOfDay = z
  .string()
  .check(
    z.regex(
      /^(off|([01]\d|2[0-3]):[0-5]\d(\s*,\s*([01]\d|2[0-3]):[0-5]\d)*)$/,
      'a time of day such as 03:15, several separated by commas, or the word off',
    ),
  );

const keep = z.pipe(
  z
    .string()
    .check(
      z.regex(
        /^\d{1,3}(\s*,\s*\d{1,3}){2}$/,
        'three whole numbers: of days, weeks and months, such as 7,4,6',
      ),
    ),
  z.transform((words) => {
    const [daily = 0, weekly = 0, monthly = 0] = words.split(',').map(Number);
    return { daily, weekly, monthly };
  }),
);

export const backupSettings = {
  BACKUP: optional(
    'When the embedded database and the files are backed up every day, in WIB, such as `03:15` or `03:15,12:15`; or `off`. Without it `03:15`; with `DATABASE_URL`, whose backups are made elsewhere, `off`.',
    timesOfDay,
  ),
  BACKUP_FOLDER: optional(
    'Where backups lie, not among the data. Without it `backups` in the data folder: on the same disk, so better name a folder on another.',
    text,
  ),
  BACKUP_KEEP: setting(
    'How many backups are kept: the newest of so many days, weeks and months.',
    keep,
    '7,4,6',
  ),
  BACKUP_KEY_FILE: optional(
    'A file with the key that backups are encrypted with, as `openssl rand -base64 32` writes it. Set it when backups leave the machine, and keep a copy of it elsewhere: without it they cannot be opened.',
    text,
  ),
  BACKUP_EXTERNAL: optional(
    'What backs up the database at `DATABASE_URL` (and the data folder), in your own words, for people who read `npm run operator -- doctor`. It proves nothing: see the two settings below.',
    text,
  ),
  BACKUP_PROOF_FILE: optional(
    'A file that every successful backup of the database at `DATABASE_URL` writes anew, or a folder into which it puts one. `doctor` reads the age of the newest file that is not empty.',
    text,
  ),
  BACKUP_PROOF_COMMAND: optional(
    'A shell command that prints when the newest backup of the database at `DATABASE_URL` was made, as `2026-11-28T03:15:00Z` or in seconds since 1970. `doctor` runs it, for 30 seconds at most.',
    text,
  ),
  BACKUP_PROOF_HOURS: setting(
    'How old, in hours, the newest backup may be by `BACKUP_PROOF_FILE` or `BACKUP_PROOF_COMMAND`.',
    whole(1, 8_760),
    '26',
  ),
};

type Given = { BACKUP?: string | undefined; DATABASE_URL?: string | undefined };

/** @throws StartError if backups are scheduled for a database that is not embedded. */
export function refuseForeignBackup({ BACKUP, DATABASE_URL }: Given): void {
  if (DATABASE_URL === undefined || BACKUP === undefined || BACKUP === 'off') return;
  throw new StartError(
    'BACKUP is for the embedded database; back up the one at DATABASE_URL with its own tools (docs/running/backup-and-restore.md).',
  );
}
