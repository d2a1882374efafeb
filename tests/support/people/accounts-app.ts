import { solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import { expect } from 'vitest';
import type { Act, InputFor, OutputOf, PageOf } from '#contract/base/act.ts';
import {
  type Challenge,
  type SignedIn,
  captchaChallenge,
  loginUser,
  registerUser,
  verifyOtp,
} from '#contract/accounts.ts';
import { type AccountsDeps, accountsActs } from '#server/domains/accounts/accounts.ts';
import { openAltcha, openSessions } from '#server/domains/accounts/accounts.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { Call, Nobody, Person } from '#server/infra/acts.ts';
import { readConfig } from '#server/infra/config.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { readSecrets } from '#server/infra/security/secrets.ts';
import type { TestDatabase } from '#tests/support/database/database.ts';
import { STALL_SECONDS } from '#tests/support/wait-for.ts';
import { agedBy, minusInterval } from '#tests/support/database/changes.ts';
import { changeSessions } from '#tests/support/people/people.ts';

type Pools = Pick<TestDatabase, 'allAccountsSql' | 'tenantSql'>;
type Sent = { phone: string; text: string; shown: string };
type Asker = { caller?: Person | Nobody; ip?: string; agent?: string; device?: string };
type Guarded = InputFor<typeof captchaChallenge>['for'];

export const GOOD_PASSWORD = 'kuda-besi-di-tepi-sawah';
export const OTHER_PASSWORD = 'perahu-kertas-di-kali-code';

/** The signed-in session. @throws if another code, or a second factor, is required. */
export function signedIn(answer: SignedIn | object): SignedIn {
  if (!('token' in answer)) throw new Error('more is asked for');
  return answer;
}

/** The refusal, or its absence. */
export const rejectionOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'nothing was refused',
    (error: unknown) => error,
  );

/** The refusal after too many guesses; the wait may be shorter by the time the test took. */
export const refusedToWait = (seconds: number): unknown =>
  expect.objectContaining({
    code: 'too_many_requests',
    facts: {
      seconds: expect.toSatisfy((left) => left > seconds - STALL_SECONDS && left <= seconds),
    },
  });

export const ageCodes = (sql: Sql, seconds: number) => sql`
  update otp_challenges set
    next_send_at = ${minusInterval('next_send_at', `${seconds} s`)},
    expires_at = ${minusInterval('expires_at', `${seconds} s`)},
    created_at = ${minusInterval('created_at', `${seconds} s`)}`;

/** Ages the limits with a name prefix by some seconds. */
export const ageLimits = (sql: Sql, seconds: number, begin = '') => sql`
  update limit_counters set window_start = ${minusInterval('window_start', `${seconds} s`)}
  where starts_with(scope, ${begin})`;

/** Ages people's last password confirmation by some seconds. */
export const ageReauth = (sql: Sql, seconds: number) => {
  const at = agedBy(`${seconds} s`);
  return changeSessions(sql, {}, { reauthAt: at, otherReauthAt: at });
};

/**
 * The real accounts domain without the phone network: unsent texts are in `sent`. `perform` runs an act as the portal's
 * endpoint does: parses the input, checks the answer.
 */
export async function accountsApp(db: Pools, changes: Partial<AccountsDeps> = {}) {
  const secrets = await readSecrets(db.allAccountsSql);
  const sent: Sent[] = [];
  const deps: AccountsDeps = {
    sql: db.tenantSql,
    allAccountsSql: db.allAccountsSql,
    config: readConfig({}),
    log: { warn: () => undefined },
    secrets,
    sessions: openSessions(db.allAccountsSql),
    captcha: openAltcha(db.allAccountsSql, secrets, { rounds: 10, from: 1, to: 20 }),
    sendSystemText: async (phone, text, shown) => void sent.push({ phone, text, shown }),
    sendSystemCode: async ({ phone, text, shownText: shown }) =>
      void sent.push({ phone, text, shown }),
    takesCodes: async () => true,
    codesInSimulator: async () => true,
    onAccountOpened: async (tx, accountId) => void (await tx`select open_wallet(${accountId})`),
    fileLink: (_accountId, fileId) => `/files/${fileId}`,
    claimUpload: async () => {
      throw new Refusal('upload_gone', {});
    },
    claimedFile: async () => undefined,
    releaseFile: async () => async () => undefined,
    report: (trouble) => {
      throw trouble;
    },
    build: 'test',
    ...changes,
  };
  const handlers = new Map(accountsActs(deps).map((one) => [one.act.name, one]));

  async function handle<A extends Act>(act: A, input: InputFor<A>, asker: Asker): Promise<unknown> {
    const {
      caller = { kind: 'nobody' },
      ip = '203.0.113.7',
      agent = 'Firefox',
      device = 'her browser',
    } = asker;
    const handler = handlers.get(act.name);
    if (!handler) throw new Error(`no handler for ${act.name}`);
    const call: Call = {
      caller,
      key: crypto.randomUUID(),
      ip,
      agent,
      device,
      requestId: 'test',
    };
    return handler.handle(call, act.input.parse(input) as never);
  }

  const perform = async <A extends Act>(
    act: A,
    input: InputFor<A>,
    asker: Asker = {},
  ): Promise<OutputOf<A>> => act.output.parse(await handle(act, input, asker)) as OutputOf<A>;

  const list = async <A extends Act>(
    act: A,
    input: InputFor<A>,
    asker: Asker = {},
  ): Promise<OutputOf<A>[]> => {
    const { rows } = (await handle(act, input, asker)) as PageOf<unknown>;
    return rows.map((row) => act.output.parse(row) as OutputOf<A>);
  };

  const solved = async (act: Guarded, asker: Asker = {}): Promise<string> => {
    const { challenge } = await perform(captchaChallenge, { for: act }, asker);
    const solution = await solveChallenge({ challenge: challenge as never, deriveKey });
    return Buffer.from(JSON.stringify({ challenge, solution })).toString('base64');
  };

  const register = async (
    phone: string,
    given: { name?: string; password?: string } = {},
    asker: Asker = {},
  ): Promise<Challenge> =>
    perform(
      registerUser,
      {
        name: 'Toko Ani',
        password: GOOD_PASSWORD,
        ...given,
        phone,
        agree: '1',
        captcha: await solved('user_register', asker),
      },
      asker,
    );

  const codeFor = (phone: string): string => {
    const last = sent.findLast((one) => one.phone === phone);
    return /\d{6}/.exec(last?.text ?? '')?.[0] ?? '';
  };

  const customer = async (phone: string, asker: Asker = {}): Promise<SignedIn> => {
    const { challenge } = await register(phone, {}, asker);
    return signedIn(await perform(verifyOtp, { challenge, code: codeFor(phone) }, asker));
  };

  /** Signs in; in a new browser with the code that was sent. */
  const signIn = async (
    phone: string,
    password: string = GOOD_PASSWORD,
    asker: Asker = {},
  ): Promise<SignedIn> => {
    const captcha = await solved('user_login', asker);
    const answer = await perform(loginUser, { phone, password, captcha }, asker);
    if (!('challenge' in answer)) return signedIn(answer);
    const { challenge } = answer.challenge;
    return signedIn(await perform(verifyOtp, { challenge, code: codeFor(phone) }, asker));
  };

  /** The person of a session. @throws if there is none. */
  const callerOf = async (token: string): Promise<Person> => {
    const caller = await deps.sessions.find(token);
    if (!caller) throw new Error('no session');
    return caller;
  };

  return { deps, sent, perform, list, solved, register, codeFor, customer, signIn, callerOf };
}

export type AccountsApp = Awaited<ReturnType<typeof accountsApp>>;
