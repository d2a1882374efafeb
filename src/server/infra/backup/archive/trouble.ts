import { isDiskFull } from '#server/infra/observability/disk.ts';

export type BackupProblem =
  | 'disk_full'
  | 'running'
  | 'interrupted'
  | 'damaged'
  | 'wrong_key'
  | 'overdue'
  | 'failed';

export class BackupError extends Error {
  readonly problem: BackupProblem;

  constructor(problem: BackupProblem, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'BackupError';
    this.problem = problem;
  }
}

export function problemOf(error: unknown): BackupProblem {
  if (error instanceof BackupError) return error.problem;
  return isDiskFull(error) ? 'disk_full' : 'failed';
}
