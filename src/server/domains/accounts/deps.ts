import type { Config } from '#server/infra/config.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import type { Secrets } from '#server/infra/security/secrets.ts';
import type { Captcha } from './signin/captcha.ts';
import type { Sessions } from './sessions/sessions.ts';

/**
 * Runs inside the transaction that opens an account: what it does stands or falls with the account.
 */
export type AccountOpened = (
  tx: Tx,
  accountId: string,
  /** False when the number had an account before. */
  isNewNumber: boolean,
) => Promise<void>;

/**
 * Makes a finished upload of this person's a file of their account.
 *
 * @returns the file's id.
 * @throws Refusal `upload_gone` when there is none of this purpose that waits.
 */
export type ClaimUpload = (
  tx: Tx,
  which: { accountId: string; userId: string; uploadId: string; purpose: 'avatar' },
) => Promise<string>;

/**
 * Lets go of a file that nothing names any more, in the transaction that stops naming it.
 *
 * @returns erases its bytes: call it once that stands.
 */
export type ReleaseFile = (
  tx: Tx,
  which: { accountId: string; fileId: string },
) => Promise<() => Promise<void>>;

/** What the acts of this domain work with. */
export type AccountsDeps = {
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
    | 'OTP_DAILY_TOTAL'
    | 'RETURN_ORIGINS'
    | 'SIMULATOR'
    | 'production'
  >;
  log: { warn(facts: object, message: string): void };
  secrets: Secrets;
  sessions: Sessions;
  captcha: Captcha;
  /** Sends a text through the installation's own token; `shownText` is what its history shows. */
  sendOtp: (phone: string, text: string, shownText: string) => Promise<void>;
  onAccountOpened: AccountOpened;
  /** A signed address of a kept file. */
  fileLink: (accountId: string, fileId: string) => string;
  /** Takes over a finished upload, inside the transaction that uses it. */
  claimUpload: ClaimUpload;
  releaseFile: ReleaseFile;
  /** Told of what went wrong after an answer had left. */
  report: (trouble: unknown) => void;
  /** Names the built web app, so that an open tab can tell that there is a newer one. */
  build: string;
};
