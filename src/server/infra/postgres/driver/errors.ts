/**
 * The outcome of work whose connection was lost. `not sent`: none of it was or will be executed; `unknown`: it may
 * have been executed, because the connection was lost before the response.
 */
export type LostOutcome = 'not sent' | 'unknown';

/** A connection that failed or broke. Its code is the cause's, or `CONNECTION_LOST`. */
export class ConnectionLost extends Error {
  readonly code: string;
  readonly outcome: LostOutcome;

  constructor(cause: unknown, outcome: LostOutcome) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.name = 'ConnectionLost';
    this.code =
      cause instanceof Error && 'code' in cause && typeof cause.code === 'string'
        ? cause.code
        : 'CONNECTION_LOST';
    this.outcome = outcome;
  }
}

/** True if the work may or may not have been done. */
export const isOutcomeUnknown = (error: unknown): boolean =>
  error instanceof ConnectionLost && error.outcome === 'unknown';

/** The server's error code for a write on a standby or a read-only server. */
export const READ_ONLY = '25006';

/** True if the server takes no writes: it is not, or no longer, the primary. */
export const isDemoted = (error: unknown): boolean =>
  error instanceof ConnectionLost && error.code === READ_ONLY;

export type ServerError = Error & { severity: string; code: string; constraint?: string };

/** True for errors of the server itself, whose messages and fields quote values and rows. */
export const isServerError = (error: unknown): error is ServerError =>
  error instanceof Error &&
  'severity' in error &&
  'code' in error &&
  typeof error.code === 'string';

export const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;

/** True if the server can never store the data as given: invalid values, or beyond its limits. */
export const isUnstorable = (error: unknown): boolean =>
  isServerError(error) && /^(?:22|54)/.test(error.code);

/** True if a prepared statement no longer matches its tables, or is gone: it was not executed. */
export const isOutdated = (error: unknown): boolean =>
  codeOf(error) === '26000' ||
  (codeOf(error) === '0A000' &&
    error instanceof Error &&
    'routine' in error &&
    error.routine === 'RevalidateCachedQuery');

/**
 * True for a commit with unknown outcome in a cluster: the other server, which has the rows, ended before it
 * answered.
 */
export const isUncertain = (error: unknown): boolean =>
  error instanceof Error &&
  'routine' in error &&
  error.routine === 'ErrorIfPostCommitFailedShardPlacements';

export const skippedBecause = (cause: unknown): Error =>
  Object.assign(new Error('not run: an earlier statement of the transaction failed', { cause }), {
    code: '25P02',
  });
