import { inAccountOf } from '#server/infra/postgres/distribution/scope.ts';
import {
  type CodeRequired,
  type SecondFactorRequired,
  type SignedIn,
  loginUser,
  type Challenge,
  registerUser,
  verifyOtp,
} from '#contract/accounts.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { type Call, type ActHandler, handle } from '#server/infra/acts.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import { admitted, passwordFits, hashPassword } from '#server/infra/security/passwords.ts';
import { hmac, sha256 } from '#server/infra/security/secrets.ts';
import type { AccountsDeps } from '#server/domains/accounts/deps.ts';
import { addressWaitSeconds, countFailure, resetTries, countTry } from './captcha.ts';
import {
  issueCode,
  pendingCode,
  type VerifiedCode,
  withVerifiedCode,
} from '#server/domains/accounts/otp.ts';
import { isNotExpired } from '#server/domains/accounts/operators.ts';
import {
  type AccountStatus,
  type UserRef,
  userOf,
  isPhoneTaken,
  openAccount,
  statusOf,
} from '#server/domains/accounts/people.ts';
import {
  issueFactorChallenge,
  lockPerson,
  needsSecondFactor,
} from '#server/domains/accounts/secondfactor/factors.ts';
import { startSession } from '#server/domains/accounts/sessions/sessions.ts';
import type { InputOf } from '#contract/base/act.ts';
import { isCommonPassword } from '#server/infra/security/common-passwords.ts';
import * as z from 'zod/mini';
import { hadAccount } from '#server/domains/accounts/privacy.ts';
import { notifyNewDevice } from '#server/domains/accounts/notices.ts';

export const loginUserHandler = (deps: AccountsDeps): ActHandler =>
  handle(loginUser, (call, { phone, password, captcha }) =>
    admitted(async () => {
      await deps.captcha.verify('user_login', captcha, call.ip);
      const answer = await login(deps, { phone, password }, call);
      if ('token' in answer && call.caller.kind === 'person') {
        await deps.sessions.end(call.caller.sessionId);
      }
      return answer;
    }),
  );

type Client = Pick<Call, 'ip' | 'agent' | 'device'>;

/**
 * Signs a user in, or, in a browser that they never used, sends a code for `user_verify_otp`. A second factor replaces
 * that code, in every browser. An unknown number costs the same time and gets the same response as a wrong password.
 *
 * Five tries in a quarter of an hour are free; then each is followed by a wait that doubles up to five minutes. Tries
 * in a browser that the user has used, and from an address where they signed in before, are counted apart, so that
 * strangers cannot lock them out: in a known browser not even those who share its address (phones do).
 *
 * Suspended users can sign in too, to read the reason and to reach customer support.
 *
 * @throws Refusal `credentials_wrong`, or `too_many_requests` with the seconds to wait; `otp_unsendable`,
 * `otp_too_soon`, `otp_limit`.
 */
export const login = (
  deps: AccountsDeps,
  typed: Typed,
  client: Client,
): Promise<SignedIn | CodeRequired | SecondFactorRequired> =>
  inAccountOf(
    () => accountForLogin(deps, typed.phone),
    () => loginThere(deps, typed, client),
  );

type Typed = { phone: string; password: string };

/** The account of a number; for an unknown number, a nonexistent id, which is looked up in the same way. */
async function accountForLogin(
  { allAccountsSql }: AccountsDeps,
  phone: string,
): Promise<string | undefined> {
  const [found] = await allAccountsSql<{ account_id: string }[]>`
    select coalesce(
      (select account_id from user_phones where phone = ${phone}), md5(${phone}::text)::uuid
    ) as account_id`;
  return found?.account_id;
}

async function loginThere(
  deps: AccountsDeps,
  { phone, password }: Typed,
  client: Client,
): Promise<SignedIn | CodeRequired | SecondFactorRequired> {
  const { allAccountsSql, secrets } = deps;
  const { ip } = client;
  const person = await findByPhone(allAccountsSql, phone, client);
  const isKnown = person?.isKnown ?? false;
  const addressWait = isKnown ? 0 : await addressWaitSeconds(allAccountsSql, ip);
  if (addressWait > 0) throw new Refusal('too_many_requests', { seconds: addressWait });

  const countedBy = isKnown ? sha256(client.device) : person?.isKnownAddress ? ip : '';
  const subject = hmac(secrets.key('pepper'), 'login', phone, countedBy)
    .toString('hex')
    .slice(0, 32);
  const wait = await countTry(allAccountsSql, subject);
  if (wait > 0) throw new Refusal('too_many_requests', { seconds: wait });

  const fits = await passwordFits(password, person?.passwordHash);
  if (!person || !fits) {
    await countFailure(allAccountsSql, ip);
    throw new Refusal('credentials_wrong', {});
  }
  await resetTries(allAccountsSql, subject);
  if (!isKnown && !person.isFirst) {
    const challenge = await allAccountsSql.begin((tx) =>
      challengeAtSignIn(tx, deps, person, client),
    );
    return challenge ?? sendLoginCode(deps, person, client);
  }
  return allAccountsSql.begin((tx) => signIn(tx, deps, person, client));
}

/** After the correct password in a new browser. A repeated request leaves the same code valid. */
async function sendLoginCode(
  deps: AccountsDeps,
  person: Row,
  client: Client,
): Promise<CodeRequired> {
  const { phone, accountId, userId } = person;
  const issue = async (tx: Tx) => {
    const user = { accountId, userId };
    const { device } = client;
    const pending = await pendingCode(tx, { purpose: 'login', phone, user, device });
    if (pending) return { answer: pending, send: async () => undefined };
    return issueCode(tx, deps, { purpose: 'login', phone, user }, client);
  };
  const { answer, send } = await deps.allAccountsSql.begin(issue);
  await send();
  return { challenge: answer };
}

type Row = {
  accountId: string;
  userId: string;
  phone: string;
  passwordHash: string;
  status: AccountStatus;
  isKnownAddress: boolean;
  isKnown: boolean;
  /**
   * True for an operator from the terminal who has not signed in yet: they need no code. Operators invited on the page
   * do.
   */
  isFirst: boolean;
};

async function findByPhone(
  allAccountsSql: Sql,
  phone: string,
  { ip, device }: Client,
): Promise<Row | undefined> {
  const [row] = await allAccountsSql<Row[]>`
    select u.account_id as "accountId", u.user_id as "userId", u.phone,
      u.password_hash as "passwordHash", a.status,
      exists (
        select 1 from sessions s
        where (s.account_id, s.user_id) = (u.account_id, u.user_id) and s.ip = ${ip}
          and s.created_at > clock_timestamp() - interval '30 days'
      ) as "isKnownAddress",
      exists (
        select 1 from known_devices d
        where (d.account_id, d.user_id) = (u.account_id, u.user_id)
          and d.device_hash = ${sha256(device)}
      ) as "isKnown",
      u.role = 'operator' and u.signed_in_at is null and u.invited_until is null as "isFirst"
    from user_phones p
    join users u on (u.account_id, u.user_id) = (p.account_id, p.user_id)
    join accounts a on a.account_id = u.account_id
    where p.phone = ${phone} and a.status <> 'closed' and ${isNotExpired(allAccountsSql)}`;
  return row;
}

/**
 * The only way to start a session, after a password, a code to the phone, or a reset password. A user with a second
 * factor gets a challenge instead, in every browser; `withSecondFactor` then completes the sign-in. A test checks that
 * nothing else starts a session.
 */
export async function signIn(
  tx: Tx,
  deps: AccountsDeps,
  user: UserRef,
  client: Client,
): Promise<SignedIn | SecondFactorRequired> {
  const challenge = await challengeAtSignIn(tx, deps, user, client);
  return challenge ?? beginSession(tx, deps, user, { ...client, secondFactor: false });
}

async function challengeAtSignIn(
  tx: Tx,
  deps: AccountsDeps,
  user: UserRef,
  { device }: Client,
): Promise<SecondFactorRequired | undefined> {
  await lockPerson(tx, user);
  const challenge = await issueFactorChallenge(tx, deps, user, { purpose: 'sign_in', device });
  return challenge && { second_factor: challenge };
}

/** Call it in the transaction that accepted the second factor. */
export const signInWithFactor = (
  tx: Tx,
  deps: AccountsDeps,
  user: UserRef,
  client: Client,
): Promise<SignedIn> => beginSession(tx, deps, user, { ...client, secondFactor: true });

async function beginSession(
  tx: Tx,
  deps: AccountsDeps,
  { accountId, userId }: UserRef,
  session: Client & { secondFactor: boolean },
): Promise<SignedIn> {
  const { ip, agent, device, secondFactor } = session;
  const token = await startSession(tx, { accountId, userId, ip, agent, device, secondFactor });
  const user = await userOf(tx, deps, { accountId, userId });
  const needs = needsSecondFactor(deps.config, {
    role: user.role,
    ...(secondFactor && { secondFactor }),
  });
  return { token, user: needs ? { ...user, needs_second_factor: true } : user };
}

export const registerUserHandler = (deps: AccountsDeps): ActHandler =>
  handle(registerUser, async (call, input) => {
    refuseClosed(deps.config);
    return admitted(async () => {
      await deps.captcha.verify('user_register', input.captcha, call.ip);
      return register(deps, input, call);
    });
  });

/** @throws Refusal `registration_closed` while registration is closed. */
function refuseClosed({ REGISTRATION, REGISTRATION_CLOSED }: AccountsDeps['config']): void {
  if (!REGISTRATION) throw new Refusal('registration_closed', { text: REGISTRATION_CLOSED });
}

/**
 * Stores a registration and sends a code to the phone. The account is opened when the code is entered.
 *
 * A registered number gets the same response after the same work; its phone gets a note instead of a code, and no code
 * is valid.
 *
 * @throws Refusal `password_common`, `otp_unsendable`, `otp_too_soon`, `otp_limit`; `too_many_requests` if too many
 * passwords are waiting to be hashed.
 */
async function register(
  deps: AccountsDeps,
  { name, phone, password }: Pick<InputOf<typeof registerUser>, 'name' | 'phone' | 'password'>,
  client: Pick<Call, 'ip' | 'device'>,
): Promise<Challenge> {
  if (isCommonPassword(password, { phone, name })) throw new Refusal('password_common', {});
  const passwordHash = await hashPassword(password);
  const issued = await deps.allAccountsSql.begin(async (tx) => {
    const isDecoy = await isPhoneTaken(tx, phone);
    const pending = { name, passwordHash };
    return issueCode(tx, deps, { purpose: 'register', phone, pending, isDecoy }, client);
  });
  await issued.send();
  return issued.answer;
}

export const verifyOtpHandler = (deps: AccountsDeps): ActHandler =>
  handle(verifyOtp, async (call, { challenge, code }) => {
    const answer = await verify(deps, { challengeId: challenge, code }, call);
    if ('token' in answer && call.caller.kind === 'person') {
      await deps.sessions.end(call.caller.sessionId);
    }
    return answer;
  });

const Pending = z.object({ name: z.string(), passwordHash: z.string() });

/**
 * Signs in the user of the code: after a registration, whose account is opened now, or in a new browser. Every wrong
 * code costs a try, also in parallel. A second factor that was set up since the code was sent is required.
 *
 * @throws Refusal `otp_wrong` with the tries left; `otp_expired` after five minutes, five wrong codes, success, or if
 * the number was registered meanwhile; `account_suspended`.
 */
async function verify(
  deps: AccountsDeps,
  input: { challengeId: string; code: string },
  client: Client,
): Promise<SignedIn | SecondFactorRequired> {
  const scope = { purposes: ['register', 'login'] } as const;
  const { answer, isNew } = await withVerifiedCode(
    deps,
    input,
    scope,
    async (tx, verified, newAccountId) => {
      const isNew = verified.purpose === 'register';
      const answer = isNew
        ? await signInNew(deps, tx, { ...verified, newAccountId }, client)
        : await signInKnown(deps, tx, verified, client);
      return { answer, isNew };
    },
  );
  if (!isNew && 'token' in answer) {
    void notifyNewDevice(deps, answer.user.phone, client.agent).catch(deps.report);
  }
  return answer;
}

async function signInNew(
  deps: AccountsDeps,
  tx: Tx,
  { phone, pending, newAccountId: accountId }: VerifiedCode & { newAccountId: string },
  client: Client,
): Promise<SignedIn | SecondFactorRequired> {
  const person = Pending.parse(pending);
  const opened = await openAccount(tx, { ...person, accountId, phone, role: 'customer' });
  if (!opened) throw new Refusal('otp_expired', {});
  await deps.onAccountOpened(tx, opened.accountId, !(await hadAccount(tx, deps, phone)));
  return signIn(tx, deps, opened, client);
}

async function signInKnown(
  deps: AccountsDeps,
  tx: Tx,
  { user }: VerifiedCode,
  client: Client,
): Promise<SignedIn | SecondFactorRequired> {
  if (!user) throw new Error('a sign-in code has no user');
  const status = await statusOf(tx, user.accountId);
  if (status === 'closed') throw new Refusal('account_suspended', {});
  return signIn(tx, deps, user, client);
}
