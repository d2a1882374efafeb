/**
 * What a lost connection means for what was asked: `not sent`, nothing of it was or will be done;
 * `unknown`, it may have been done, because the connection was lost between asking and the answer.
 */
export type LostOutcome = 'not sent' | 'unknown';

/** A connection that could not be had, or broke. Its code is the cause's, or `CONNECTION_LOST`. */
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

/** True when what was asked may or may not have been done: its connection was lost before the answer. */
export const isOutcomeUnknown = (error: unknown): boolean =>
  error instanceof ConnectionLost && error.outcome === 'unknown';

/** What a server says to a write that is a standby, or was set to read-only. */
export const READ_ONLY = '25006';

/** True when the server at the other end took no writes: it is not the primary, or not any more. */
export const isDemoted = (error: unknown): boolean =>
  error instanceof ConnectionLost && error.code === READ_ONLY;

/** What the server itself refused or failed at, as pg hands it over. */
export type ServerError = Error & { severity: string; code: string; constraint?: string };

/** True for what the server itself said. Its sentences quote values, and its fields quote rows. */
export const isServerError = (error: unknown): error is ServerError =>
  error instanceof Error &&
  'severity' in error &&
  'code' in error &&
  typeof error.code === 'string';

/** The code of an error: the server's, Node's, or ours. */
export const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;

/** True for what the server can never store as it is: a value that it does not take, or one beyond its limits. */
export const isUnstorable = (error: unknown): boolean =>
  isServerError(error) && /^(?:22|54)/.test(error.code);

/** True when a prepared statement does not fit its tables any more, or is gone: it was not run. */
export const isOutdated = (error: unknown): boolean =>
  codeOf(error) === '26000' ||
  (codeOf(error) === '0A000' &&
    error instanceof Error &&
    'routine' in error &&
    error.routine === 'RevalidateCachedQuery');

/**
 * True for a commit of which a server of a cluster does not know whether it stands: the other server, where its rows
 * are, ended before it answered.
 */
export const isUncertain = (error: unknown): boolean =>
  error instanceof Error &&
  'routine' in error &&
  error.routine === 'ErrorIfPostCommitFailedShardPlacements';

/** What the server itself says to statements of a transaction that has failed. */
export const skippedBecause = (cause: unknown): Error =>
  Object.assign(new Error('not run: an earlier statement of the transaction failed', { cause }), {
    code: '25P02',
  });
