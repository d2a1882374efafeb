import { isDiskFull } from '#server/infra/observability/disk.ts';

/** Why a backup did not come about, or is none. */
export type BackupProblem =
  | 'disk_full'
  | 'running'
  | 'interrupted'
  | 'damaged'
  | 'wrong_key'
  | 'overdue'
  | 'failed';

/** What went wrong with a backup, in a sentence for whoever runs the installation. */
export class BackupError extends Error {
  readonly problem: BackupProblem;

  constructor(problem: BackupProblem, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'BackupError';
    this.problem = problem;
  }
}

/** The problem behind an error. */
export function problemOf(error: unknown): BackupProblem {
  if (error instanceof BackupError) return error.problem;
  return isDiskFull(error) ? 'disk_full' : 'failed';
}
