import type { Config } from '#server/infra/config.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import type { Secrets } from '#server/infra/security/secrets.ts';
import type { Captcha } from './signin/captcha.ts';
import type { UserDeps } from './people.ts';
import type { Sessions } from './sessions/sessions.ts';

/** Runs inside the transaction that opens an account, and commits or rolls back with it. */
export type AccountOpened = (
  tx: Tx,
  accountId: string,
  /** False when the number had an account before. */
  isNewNumber: boolean,
) => Promise<void>;

/**
 * Turns a finished upload of this user into a file of their account.
 *
 * @returns the file's id.
 * @throws Refusal `upload_gone` when there is no finished upload for this purpose.
 */
export type ClaimUpload = (
  tx: Tx,
  file: { accountId: string; userId: string; uploadId: string; purpose: 'avatar' },
) => Promise<string>;

/** The file that an upload of this user has become; undefined when the upload is unused or was forgotten. */
export type ClaimedFile = (...args: Parameters<ClaimUpload>) => Promise<string | undefined>;

/**
 * Deletes a file that nothing refers to any more, in the transaction that removes the reference.
 *
 * @returns deletes its bytes: call it after COMMIT.
 */
export type ReleaseFile = (
  tx: Tx,
  file: { accountId: string; fileId: string },
) => Promise<() => Promise<void>>;

/** What the acts of this domain work with. */
export type AccountsDeps = UserDeps & {
  /** Sees one account at a time. */
  sql: Sql;
  /** Sees all: people are looked up by phone, sessions by hash. */
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
  /** Sends a text through the installation's own token; `shownText` is what its history shows. */
  sendSystemText: (phone: string, text: string, shownText: string) => Promise<void>;
  /** The same with a one-time code in the text. */
  sendSystemCode: (code: {
    phone: string;
    text: string;
    shownText: string;
    code: string;
  }) => Promise<void>;
  /** Whether a code can be sent: the installation's own token has a number, and by the Cloud API a template. */
  takesCodes: (sql: Sql | Tx) => Promise<boolean>;
  /** Whether codes go to phones of the simulator. */
  codesInSimulator: () => Promise<boolean>;
  onAccountOpened: AccountOpened;
  /** Claims a finished upload, inside the transaction that uses it. */
  claimUpload: ClaimUpload;
  claimedFile: ClaimedFile;
  releaseFile: ReleaseFile;
  /** Receives errors that happen after the response was sent. */
  report: (error: unknown) => void;
  /** Names the built web app, so that an open tab can tell that there is a newer one. */
  build: string;
};
