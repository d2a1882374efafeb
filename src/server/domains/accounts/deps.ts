import type { Config } from '#server/infra/config.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import type { Secrets } from '#server/infra/security/secrets.ts';
import type { Captcha } from './signin/captcha.ts';
import type { UserDeps } from './people.ts';
import type { Sessions } from './sessions/sessions.ts';

/** Runs in the transaction that opens an account. */
export type AccountOpened = (
  tx: Tx,
  accountId: string,
  /** False if the number had an account before. */
  isNewNumber: boolean,
) => Promise<void>;

/**
 * Turns a finished upload of this user into a file of their account.
 *
 * @returns the file's id.
 * @throws Refusal `upload_gone` if there is no finished upload for this purpose.
 */
export type ClaimUpload = (
  tx: Tx,
  file: { accountId: string; userId: string; uploadId: string; purpose: 'avatar' },
) => Promise<string>;

/** The file made from an upload of this user; undefined if the upload is unused or was deleted. */
export type ClaimedFile = (...args: Parameters<ClaimUpload>) => Promise<string | undefined>;

/**
 * Deletes an unreferenced file, in the transaction that removes the reference.
 *
 * @returns deletes its bytes: call it after COMMIT.
 */
export type ReleaseFile = (
  tx: Tx,
  file: { accountId: string; fileId: string },
) => Promise<() => Promise<void>>;

export type AccountsDeps = UserDeps & {
  sql: Sql;
  /** Users are looked up by phone, and sessions by hash, in all accounts. */
  allAccountsSql: Sql;
  config: Pick<
    Config,
    | 'API_URL'
    | 'CAPTCHA_PROVIDER'
    | 'CAPTCHA_SITE_KEY'
    | 'OTP_DAILY_PER_ADDRESS'
    | 'OPERATOR_SECOND_FACTOR'
    | 'OTP_DAILY_TOTAL'
    | 'PUBLIC_URL'
    | 'REGISTRATION'
    | 'REGISTRATION_CLOSED'
    | 'RETURN_ORIGINS'
    | 'SIMULATOR'
    | 'production'
  >;
  log: { warn(facts: object, message: string): void };
  secrets: Secrets;
  sessions: Sessions;
  captcha: Captcha;
  sendSystemText: (phone: string, text: string, shownText: string) => Promise<void>;
  sendSystemCode: (code: {
    phone: string;
    text: string;
    shownText: string;
    code: string;
  }) => Promise<void>;
  /** Whether a code can be sent: the installation's own token has a number, and on the Cloud API a template. */
  takesCodes: (sql: Sql | Tx) => Promise<boolean>;
  codesInSimulator: () => Promise<boolean>;
  onAccountOpened: AccountOpened;
  claimUpload: ClaimUpload;
  claimedFile: ClaimedFile;
  releaseFile: ReleaseFile;
  report: (error: unknown) => void;
  /** The build of the web app, by which an open tab detects a newer one. */
  build: string;
};
