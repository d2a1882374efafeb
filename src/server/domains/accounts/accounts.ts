import {
  type ActHandler,
  sweepHits,
  deleteAnswers,
  eraseAudit,
  forgetHits,
  networkOf,
  type Call,
  handle,
} from '#server/infra/acts.ts';
import { captchaChallengeHandler } from './signin/captcha.ts';
import { closingActs, storeErasedPhones } from './privacy.ts';
import type { AccountsDeps } from './deps.ts';
import {
  changeForgottenHandler,
  forgotPasswordHandler,
  verifyForgotHandler,
} from './signin/forgot.ts';
import { loginUserHandler, registerUserHandler, verifyOtpHandler } from './signin/login.ts';
import { operatorsActs } from './operators.ts';
import {
  resendOtpHandler,
  type CodeInput,
  issueCode,
  revokeCodes,
  verifyCode,
  countWrongCode,
} from './otp.ts';
import {
  reauthUserHandler,
  verifyPassword,
  checkTokenHandler,
  appConfigHandler,
  listSessionsHandler,
  logoutUserHandler,
  revokeSessionsHandler,
} from './sessions/session-acts.ts';
import { secondFactorActs } from './secondfactor/acts.ts';
import { type Sql, type Tx, asAccount, type Fragment } from '#server/infra/postgres/database.ts';
import { publicId, uuidOf } from '#contract/base/ids.ts';
import {
  type AccountData,
  type ErasureRequest,
  type Row,
  atOnce,
  inPages,
} from '#server/infra/account-data.ts';
import { deviceName, endOtherSessions, rotateToken } from './sessions/sessions.ts';
import type { User } from '#contract/accounts.ts';
import { changePassword, changePhone, confirmPhone, updateUser } from '#contract/people.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { isCommonPassword } from '#server/infra/security/common-passwords.ts';
import { hashPassword } from '#server/infra/security/passwords.ts';
import {
  beginCoolDown,
  isPhoneTaken,
  passwordOf,
  userOf,
  type UserRef,
  type AccountStatus,
} from './people.ts';
import { notifyPasswordChanged, notifyPhoneChanged } from './notices.ts';
import { type InputOf, PAGE_SIZE, type PageOf } from '#contract/base/act.ts';
import { json, likeText } from '#server/infra/postgres/sql.ts';
import { formatPeer, isHiddenPeer } from '#contract/messages/peer.ts';
import { formatPhone } from '#contract/base/phone.ts';
import { normalizePhone } from '#contract/base/written-number.ts';
import { type CustomerState, SALDO_LOW, type SaldoRange } from '#contract/operator/customers.ts';

/**
 * The users of an account and their activity. Erased last: the other domains find their data by these phone numbers.
 */
export const accountsAccountData = ({
  sql,
  allAccountsSql,
  secrets,
}: Pick<AccountsDeps, 'sql' | 'allAccountsSql' | 'secrets'>): AccountData => ({
  subjects: (accountId) => [
    { name: 'profil', rows: () => atOnce(() => peopleOf(sql, accountId)) },
    { name: 'persetujuan', rows: () => atOnce(() => consentsOf(sql, accountId)) },
    { name: 'nomor-sebelumnya', rows: () => atOnce(() => formerPhonesOf(sql, accountId)) },
    { name: 'sesi', rows: () => atOnce(() => sessionsOf(allAccountsSql, accountId)) },
    { name: 'browser', rows: () => atOnce(() => devicesOf(sql, accountId)) },
    { name: 'faktor-kedua', rows: () => atOnce(() => secondFactorsFor(sql, accountId)) },
    { name: 'penangguhan', rows: () => atOnce(() => suspensionsOf(sql, accountId)) },
    { name: 'jejak-audit', rows: () => auditOf(sql, accountId) },
  ],
  erase: (erasure) => erase({ allAccountsSql, secrets }, erasure),
});

type Person = Row & { user_id: string; avatar: string | null };

const peopleOf = (sql: Sql, accountId: string): Promise<Row[]> =>
  asAccount(sql, accountId, async (tx) => {
    const people = await tx<Person[]>`
      select u.user_id, u.name, u.phone, u.email, u.role, u.timezone, u.settings,
        u.avatar_file as avatar, u.created_at, u.signed_in_at, a.name as account_name, a.status,
        a.created_at as account_created_at, a.cooling_since, a.cooling_cause, a.erase_at
      from users u join accounts a on a.account_id = u.account_id
      where u.account_id = ${accountId} order by u.user_id`;
    return people.map(({ user_id, avatar, ...facts }) => ({
      account: publicId('account', accountId),
      id: publicId('user', user_id),
      ...facts,
      avatar: avatar === null ? null : publicId('file', avatar),
    }));
  });

/** Registration requires consent; the consents of linked phones are exported with the links. */
const consentsOf = (sql: Sql, accountId: string): Promise<Row[]> =>
  asAccount(
    sql,
    accountId,
    (tx) => tx<Row[]>`
      select 'syarat layanan' as consent, name as person, created_at as given_at
      from users where account_id = ${accountId} order by user_id`,
  );

const formerPhonesOf = (sql: Sql, accountId: string): Promise<Row[]> =>
  asAccount(
    sql,
    accountId,
    (tx) => tx<Row[]>`
      select phone, left_at from former_phones where account_id = ${accountId} order by left_at`,
  );

async function sessionsOf(allAccountsSql: Sql, accountId: string): Promise<Row[]> {
  const found = await allAccountsSql<(Row & { session_id: string; agent: string })[]>`
    select session_id, agent, ip, created_at, last_used_at, revoked_at from sessions
    where account_id = ${accountId} order by created_at, session_id`;
  return found.map(({ session_id, agent, ...facts }) => ({
    id: publicId('session', session_id),
    device: deviceName(agent),
    agent,
    ...facts,
  }));
}

const devicesOf = (sql: Sql, accountId: string): Promise<Row[]> =>
  asAccount(
    sql,
    accountId,
    (tx) => tx<Row[]>`
      select seen_at from known_devices where account_id = ${accountId} order by seen_at`,
  );

const suspensionsOf = (sql: Sql, accountId: string): Promise<Row[]> =>
  asAccount(
    sql,
    accountId,
    (tx) => tx<Row[]>`
      select becomes, reason, at from account_suspensions
      where account_id = ${accountId} order by suspension_id`,
  );

/** The kinds of factors and their use; never the secrets or keys that verify them. */
const secondFactorsFor = (sql: Sql, accountId: string): Promise<Row[]> =>
  asAccount(
    sql,
    accountId,
    (tx) => tx<Row[]>`
      select kind, name, created_at, used_at from second_factors where account_id = ${accountId}
      union all
      select 'recovery_code', '', created_at, used_at from recovery_codes
      where account_id = ${accountId}
      order by created_at, kind`,
  );

type AuditLine = Row & { audit_id: string; actor: string };

/** Excludes refused calls of operator acts, whose existence is hidden from customers. */
async function* auditOf(sql: Sql, accountId: string): AsyncGenerator<Row> {
  const entries = inPages<AuditLine>(
    { sql, accountId },
    (tx, last, limit) => tx<AuditLine[]>`
      select audit_id, at, actor, act, outcome, ip, request, facts from audit_log
      where account_id = ${accountId} and outcome <> 'act_unknown' ${last ? tx`and audit_id > ${last.audit_id}` : tx``}
      order by audit_id limit ${limit}`,
  );
  for await (const { audit_id: _, ...facts } of entries) yield facts;
}

/** Leaves a pseudonym: the ids of the account and its users, the ledger, and its numbers as keyed hashes. */
async function erase(
  { allAccountsSql, secrets }: Pick<AccountsDeps, 'allAccountsSql' | 'secrets'>,
  { accountId, phones }: ErasureRequest,
): Promise<void> {
  const people = await allAccountsSql<{ id: string }[]>`
    select user_id as id from users where account_id = ${accountId}`;
  const ids = people.map(({ id }) => id);
  const addresses = await allAccountsSql<{ ip: string }[]>`
    select ip from sessions where account_id = ${accountId}
    union select ip from audit_log where account_id = ${accountId} and ip <> ''`;
  const networks = addresses.flatMap(({ ip }) => [ip, networkOf(ip)]);
  await forgetHits(allAccountsSql, [accountId, ...ids, ...networks]);
  await deleteAnswers(allAccountsSql, ids);
  await eraseAudit(allAccountsSql, accountId);
  await allAccountsSql.begin(async (tx) => {
    await storeErasedPhones(tx, { secrets }, accountId);
    await pseudonymize(tx, { accountId, phones });
  });
}

const PSEUDONYM = 'Akun terhapus';

async function pseudonymize(tx: Tx, { accountId, phones }: ErasureRequest): Promise<void> {
  await tx`delete from sessions where account_id = ${accountId}`;
  await tx`delete from known_devices where account_id = ${accountId}`;
  await tx`delete from password_grants where account_id = ${accountId}`;
  await tx`delete from second_factor_challenges where account_id = ${accountId}`;
  await tx`delete from second_factors where account_id = ${accountId}`;
  await tx`delete from recovery_codes where account_id = ${accountId}`;
  await tx`
    delete from otp_challenges
    where account_id = ${accountId} or (account_id is null and phone = any(${[...phones]}::text[]))`;
  await tx`update account_suspensions set reason = '' where account_id = ${accountId}`;
  await tx`delete from user_phones where account_id = ${accountId}`;
  await tx`delete from former_phones where account_id = ${accountId}`;
  await tx`
    update users set name = ${PSEUDONYM}, phone = '', password_hash = '', email = null,
      avatar_file = null, settings = '{}', timezone = 'Asia/Jakarta', signed_in_at = null
    where account_id = ${accountId}`;
  await tx`
    update accounts set name = ${PSEUDONYM}, cooling_since = null, cooling_cause = null
    where account_id = ${accountId}`;
}

/**
 * Removes expired rows: codes a day after they were requested, old sessions, used captchas, and counters whose window
 * ended two days ago. Safe to repeat and to run on two nodes.
 *
 * Ended sessions stay for 30 days: sign-in recognises users by the addresses of their sessions.
 */
export async function sweepAccounts(allAccountsSql: Sql): Promise<void> {
  await allAccountsSql`delete from otp_challenges where created_at < statement_timestamp() - interval '1 day'`;
  await allAccountsSql`delete from second_factor_challenges where expires_at < statement_timestamp()`;
  await allAccountsSql`delete from sessions where created_at < statement_timestamp() - interval '31 days'`;
  await allAccountsSql`delete from password_grants where expires_at < statement_timestamp()`;
  await allAccountsSql`delete from known_devices where seen_at < clock_timestamp() - interval '400 days'`;
  await allAccountsSql`delete from captchas_used where expires_at < statement_timestamp() - interval '1 hour'`;
  await sweepHits(allAccountsSql);
}

/** Checks many sessions in one query: live streams stay open for hours and must end soon after their session. */
export async function activeSessions(
  allAccountsSql: Sql,
  sessionIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const active = await allAccountsSql<{ session_id: string }[]>`
    select s.session_id from sessions s join accounts a on a.account_id = s.account_id
    where s.session_id = any(${sessionIds}::uuid[])
      and s.revoked_at is null and a.status <> 'closed'`;
  return new Set(active.map(({ session_id }) => session_id));
}

/** Names by user id; deleted users are missing. @param sql sees all accounts. */
export async function userNames(
  sql: Sql | Tx,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (userIds.length === 0) return new Map();
  const people = await sql<{ user_id: string; name: string }[]>`
    select user_id, name from users where user_id = any(${[...new Set(userIds)]}::uuid[])`;
  return new Map(people.map(({ user_id, name }) => [user_id, name]));
}

export { type Captcha, openAltcha, openCaptcha } from './signin/captcha.ts';
export { codeCounts, wrongCodes, wrongCodesToReport } from './otp.ts';
export { eraseDue, type Exports, openExports, verifyExport } from './privacy.ts';
export {
  adminPhones,
  everyOperator,
  isAdmin,
  operatorByPhone,
  operatorPhones,
  addOperator,
  resetOperatorPassword,
  vouchForOperator,
  type OperatorTies,
  isSecondFor,
  tiesOf,
} from './operators.ts';
export {
  type FirstOperator,
  ensureOperator,
  hasFirstOperatorSignedIn,
} from './signin/first-operator.ts';
export { type PersonsPhone, Settings, phonesOf, systemAccount, timezoneOf } from './people.ts';
export {
  type Sessions,
  endAllSessions,
  openSessions,
  isActiveSession,
  endSessionsOfAccount,
  sessionsOfAccount,
} from './sessions/sessions.ts';
export { resetSecondFactor, secondFactorsOf, needsSecondFactor } from './secondfactor/factors.ts';
export { sealedChallenges } from './secondfactor/challenges.ts';
export { sealedFactors } from './secondfactor/verify.ts';
export { notifySecondFactorsReset, notifySuspensions } from './notices.ts';
export { changeAccount, suspensionSteps } from './suspension.ts';
export type { AccountOpened, AccountsDeps } from './deps.ts';

export const accountsActs = (deps: AccountsDeps): readonly ActHandler[] => [
  registerUserHandler(deps),
  verifyOtpHandler(deps),
  resendOtpHandler(deps),
  loginUserHandler(deps),
  forgotPasswordHandler(deps),
  verifyForgotHandler(deps),
  changeForgottenHandler(deps),
  reauthUserHandler(deps),
  updateUserHandler(deps),
  changePasswordHandler(deps),
  changePhoneHandler(deps),
  confirmPhoneHandler(deps),
  listSessionsHandler(deps),
  revokeSessionsHandler(deps),
  logoutUserHandler(deps),
  checkTokenHandler(deps),
  captchaChallengeHandler(deps),
  appConfigHandler(deps),
  ...secondFactorActs(deps),
  ...closingActs(deps),
  ...operatorsActs(deps),
];

/** Ends the user's other sessions and copies of this session's token, and notifies the phone. */
const changePasswordHandler = (deps: AccountsDeps): ActHandler =>
  handle(changePassword, async (call, { current, password }) => {
    const { caller } = call;
    const person = await verifyPassword(deps, call, current);
    if (isCommonPassword(password, person)) throw new Refusal('password_common', {});
    const hash = await hashPassword(password);
    const { ended, token } = await deps.allAccountsSql.begin(async (tx) => {
      await tx`
        update users set password_hash = ${hash}
        where (account_id, user_id) = (${caller.accountId}, ${caller.userId})`;
      await revokeCodes(tx, caller);
      return {
        ended: await endOtherSessions(tx, caller, caller.sessionId),
        token: await rotateToken(tx, caller.sessionId),
      };
    });
    await deps.sessions.evict(ended);
    void notifyPasswordChanged(deps, person.phone).catch(deps.report);
    return { ended: ended.length, token };
  });

/** Sends codes to the old and the new number. Nothing changes until both are entered. */
const changePhoneHandler = (deps: AccountsDeps): ActHandler =>
  handle(changePhone, async (call, { phone }) => {
    const { caller } = call;
    const { phone: oldPhone } = await passwordOf(deps.allAccountsSql, caller);
    if (phone === oldPhone) throw new Refusal('phone_same', {});
    const user = { accountId: caller.accountId, userId: caller.userId };
    const issued = await deps.allAccountsSql.begin(async (tx) => {
      const isDecoy = await isPhoneTaken(tx, phone);
      const old = await issueCode(tx, deps, { purpose: 'phone_old', phone: oldPhone, user }, call);
      const request = { purpose: 'phone_new', phone, user, isDecoy } as const;
      return { old, new: await issueCode(tx, deps, request, call) };
    });
    await issued.old.send();
    await issued.new.send();
    return { old: issued.old.answer, new: issued.new.answer };
  });

const confirmPhoneHandler = (deps: AccountsDeps): ActHandler =>
  handle(confirmPhone, async (call, input) => {
    const oldCode = { challengeId: input.old_challenge, code: input.old_code };
    const newCode = { challengeId: input.new_challenge, code: input.new_code };
    return confirm(deps, call, { oldCode, newCode });
  });

/**
 * Changes the number if both codes are correct. A wrong one costs a try of its own; the correct one beside it stays
 * valid. The other sessions end, the old number is notified, and the account cools down.
 *
 * @throws Refusal `otp_wrong` with the tries left of the wrong one; `otp_expired`, also if the number was taken
 * meanwhile.
 */
async function confirm(
  deps: AccountsDeps,
  { caller }: Call<'anyone_signed_in'>,
  { oldCode, newCode }: { oldCode: CodeInput; newCode: CodeInput },
): Promise<User> {
  const { accountId, userId } = caller;
  const outcome = await deps.allAccountsSql.begin(async (tx) => {
    // One pair at a time: the rollback releases the row locks before the lost try is written.
    await tx`select pg_advisory_xact_lock(hashtextextended('phone ' || ${userId}, 0))`;
    // Verification deletes a correct code: roll back to here if the other one is wrong.
    await tx`savepoint before_codes`;
    const first = await verifyCode(tx, deps, oldCode, { purposes: ['phone_old'], user: caller });
    if ('left' in first) return first;
    const second = await verifyCode(tx, deps, newCode, { purposes: ['phone_new'], user: caller });
    if ('left' in second) {
      await tx`rollback to savepoint before_codes`;
      await tx`
        update otp_challenges set tries_left = ${second.left}
        where challenge_id = ${newCode.challengeId}`;
      await countWrongCode(tx);
      return second;
    }
    const [freed] = await tx<{ phone: string }[]>`
      delete from user_phones where (account_id, user_id) = (${accountId}, ${userId})
      returning phone`;
    const [claimed] = await tx`
      insert into user_phones (phone, account_id, user_id)
      values (${second.phone}, ${accountId}, ${userId})
      on conflict (phone) do nothing returning phone`;
    if (!claimed || freed?.phone !== first.phone) throw new Refusal('otp_expired', {});
    await tx`
      update users set phone = ${second.phone}
      where (account_id, user_id) = (${accountId}, ${userId})`;
    await revokeCodes(tx, caller);
    await beginCoolDown(tx, accountId, 'phone_changed');
    const ended = await endOtherSessions(tx, caller, caller.sessionId);
    return { ended, oldPhone: first.phone, user: await userOf(tx, deps, caller) };
  });
  if ('left' in outcome) throw new Refusal('otp_wrong', { left: outcome.left });
  await deps.sessions.evict(outcome.ended);
  const end = outcome.user.phone.slice(-4);
  void notifyPhoneChanged(deps, outcome.oldPhone, end).catch(deps.report);
  return outcome.user;
}

const updateUserHandler = (deps: AccountsDeps): ActHandler =>
  handle(updateUser, async ({ caller }, input) => {
    const { user, erase } = await asAccount(deps.sql, caller.accountId, (tx) =>
      update(deps, tx, caller, input),
    );
    await erase().catch(deps.report);
    return user;
  });

type Updated = { user: User; erase: () => Promise<void> };

/** @returns deletes the former picture, if it was replaced or removed. */
async function update(
  deps: AccountsDeps,
  tx: Tx,
  user: UserRef,
  { name, email, avatar, timezone, ...settings }: InputOf<typeof updateUser>,
): Promise<Updated> {
  const { accountId, userId } = user;
  const changes = Object.fromEntries(
    Object.entries(settings).filter(([, value]) => value !== undefined),
  );
  await tx`
    update users set
      name = coalesce(${name ?? null}, name),
      timezone = coalesce(${timezone ?? null}, timezone),
      email = ${email === undefined ? tx`email` : email === '' ? null : email},
      settings = settings || ${json(changes)}
    where (account_id, user_id) = (${accountId}, ${userId})`;
  // An account has one user today, so its name is theirs.
  if (name !== undefined) {
    await tx`update accounts set name = ${name} where account_id = ${accountId}`;
  }
  const erase = avatar === undefined ? noop : await changePicture(deps, tx, user, avatar);
  return { user: await userOf(tx, deps, user), erase };
}

const noop = async (): Promise<void> => undefined;

/**
 * @param avatar a finished upload; '' removes the picture. Repeating the upload of the present picture changes nothing.
 */
async function changePicture(
  { claimUpload, claimedFile, releaseFile }: AccountsDeps,
  tx: Tx,
  { accountId, userId }: UserRef,
  avatar: string,
): Promise<Updated['erase']> {
  const uploadId = avatar === '' ? undefined : uuidOf('upload', avatar);
  if (avatar !== '' && uploadId === undefined) throw new Refusal('upload_gone', {});
  const [before] = await tx<{ file: string | null }[]>`
    select avatar_file as file from users
    where (account_id, user_id) = (${accountId}, ${userId}) for update`;
  const old = before?.file ?? null;
  const source = uploadId && ({ accountId, userId, uploadId, purpose: 'avatar' } as const);
  if (source && old !== null && (await claimedFile(tx, source)) === old) return noop;
  const file = source ? await claimUpload(tx, source) : null;
  await tx`
    update users set avatar_file = ${file}
    where (account_id, user_id) = (${accountId}, ${userId})`;
  return old === null ? noop : releaseFile(tx, { accountId, fileId: old });
}

export type CustomerRow = {
  account_id: string;
  name: string;
  phone: string;
  available: number;
  held: number;
  status: 'active' | 'frozen' | 'closed';
  state: CustomerState;
  created_at: Date;
  erase_at: Date | null;
};

/** Beyond this, matches are not counted. */
const COUNT_MAX = 10_000;

/** The first state that applies, for an account `a` and its wallet `w`. */
const stateOf = (sql: Sql | Tx): Fragment => sql`
  case when 'closed' in (a.status, w.status) then 'closed' when a.status = 'suspended' then 'suspended'
    when a.erase_at is not null then 'closing' when w.status = 'frozen' then 'frozen' else 'active' end`;

const columns = (sql: Sql | Tx): Fragment => sql`
  a.account_id, a.name, w.available, w.held, w.status, ${stateOf(sql)} as state, a.created_at, a.erase_at`;

const ownersPhone = (sql: Sql | Tx): Fragment => sql`
  coalesce((
    select phone from users u where u.account_id = c.account_id order by u.created_at limit 1
  ), '') as phone`;

type CustomerQuery = {
  q?: string | undefined;
  state?: CustomerState | undefined;
  saldo?: SaldoRange | undefined;
  page?: number | undefined;
  sort_by?: 'created_at' | 'name' | 'available' | undefined;
  sort_type?: 'asc' | 'desc' | undefined;
  /** Accounts that match by an id, in addition to those of this name or number. */
  accountIds?: readonly string[] | undefined;
  /** True: only those accounts match. */
  isExact?: boolean | undefined;
  where?: Fragment | undefined;
};

/**
 * A page of the customers whose name contains the words, or one of whose numbers begins with the digits, or who are in
 * `meant`; the newest account first unless sorted otherwise.
 */
export async function findCustomers(sql: Sql, query: CustomerQuery): Promise<PageOf<CustomerRow>> {
  const { page = 0, where, saldo, state } = query;
  const asksWallet = saldo !== undefined || state !== undefined;
  const wallets = sql`join wallets w using (account_id)`;
  const matching = sql`where not a.is_system and ${matches(sql, query)}
    ${where ? sql`and ${where}` : sql``}`;
  const [found, [counted]] = await Promise.all([
    // The page first, so that numbers are read for its ten rows only.
    sql<CustomerRow[]>`
      select c.*, ${ownersPhone(sql)} from (
        select ${columns(sql)} from accounts a ${wallets} ${matching} order by ${orderOf(sql, query)}
        limit ${PAGE_SIZE} offset ${Math.min(page * PAGE_SIZE, COUNT_MAX)}
      ) c order by ${orderOf(sql, query, sql`c`, sql`c`)}`,
    sql<{ total: number }[]>`
      select count(*) as total from (
        select 1 from accounts a ${asksWallet ? wallets : sql``} ${matching} limit ${COUNT_MAX}
      ) counted`,
  ]);
  return { rows: found, total: counted?.total ?? 0 };
}

function orderOf(
  sql: Sql,
  { sort_by: by = 'created_at', sort_type: type }: CustomerQuery,
  account = sql`a`,
  wallet = sql`w`,
): Fragment {
  const isAscending = type === undefined ? by === 'name' : type === 'asc';
  const way = isAscending ? sql`asc` : sql`desc`;
  const last = sql`${account}.account_id ${way}`;
  if (by === 'name') return sql`lower(${account}.name) ${way}, ${last}`;
  return by === 'available' ? sql`${wallet}.available ${way}, ${last}` : last;
}

function matches(
  sql: Sql,
  { q = '', state, saldo, accountIds = [], isExact }: CustomerQuery,
): Fragment {
  const byId = sql`a.account_id = any(${[...accountIds]}::uuid[])`;
  const words = q === '' ? sql`true` : isExact ? byId : sql`(${byWords(sql, q)} or ${byId})`;
  return sql`${words}
    ${state === undefined ? sql`` : sql`and ${stateOf(sql)} = ${state}`}
    ${saldo === undefined ? sql`` : sql`and ${inRange(sql, saldo)}`}`;
}

function inRange(sql: Sql, saldo: SaldoRange): Fragment {
  if (saldo === 'empty') return sql`w.available <= 0`;
  return saldo === 'low'
    ? sql`w.available > 0 and w.available < ${SALDO_LOW}`
    : sql`w.available >= ${SALDO_LOW}`;
}

function byWords(sql: Sql, q: string): Fragment {
  const name = `%${likeText(q)}%`;
  const digits = normalizePhone(q);
  const byName = sql`a.name ilike ${name}::text`;
  if (!/^\d{3,15}$/.test(digits)) return byName;
  return sql`(${byName} or a.account_id in (
    select account_id from user_phones where phone like ${`${digits}%`}::text))`;
}

/** Undefined if the account is no customer's. */
export async function customerOf(
  sql: Sql | Tx,
  accountId: string,
): Promise<CustomerRow | undefined> {
  const [found] = await sql<CustomerRow[]>`
    select c.*, ${ownersPhone(sql)} from (
      select ${columns(sql)} from accounts a join wallets w using (account_id)
      where not a.is_system and a.account_id = ${accountId}
    ) c`;
  return found;
}

export type CustomerFacts = {
  name: string;
  /** Of its first user; empty once it is erased. */
  phone: string;
  status: AccountStatus;
  since: Date;
};

/** Undefined if the account is no customer's. */
export async function customerFacts(
  sql: Sql | Tx,
  accountId: string,
): Promise<CustomerFacts | undefined> {
  const [found] = await sql<CustomerFacts[]>`
    select a.name, a.status, a.created_at as since, coalesce((
      select u.phone from users u where u.account_id = a.account_id order by u.created_at limit 1
    ), '') as phone
    from accounts a where a.account_id = ${accountId} and not a.is_system`;
  return found;
}

export async function customersByPrefix(
  allAccountsSql: Sql,
  q: string,
  limit: number,
): Promise<string[]> {
  const name = `${likeText(q)}%`;
  const digits = normalizePhone(q);
  const byPhone = /^\d{3,15}$/.test(digits)
    ? allAccountsSql`union select account_id from user_phones where phone like ${`${digits}%`}::text`
    : allAccountsSql``;
  const found = await allAccountsSql<{ account_id: string }[]>`
    select account_id from accounts where not is_system and name ilike ${name}::text ${byPhone}
    limit ${limit}`;
  return found.map(({ account_id }) => account_id);
}

/** `6281234567890` → `+62 812-••••-7890`: enough to recognise a customer, too little to call one. */
export function maskedPhone(phone: string): string {
  if (phone === '') return '';
  const digits = [...formatPhone(phone)];
  const places = digits.flatMap((letter, place) => (/\d/.test(letter) ? [place] : []));
  for (const place of places.slice(5, -4)) digits[place] = '•';
  return digits.join('');
}

/** The other side of a customer's message: a masked number, or the last letters of a user id. */
export const maskedPeer = (peer: string): string =>
  isHiddenPeer(peer) ? formatPeer(peer) : maskedPhone(peer);

export async function accountNames(
  sql: Sql | Tx,
  accountIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const found = await sql<{ account_id: string; name: string }[]>`
    select account_id, name from accounts where account_id = any(${[...accountIds]}::uuid[])`;
  return new Map(found.map(({ account_id, name }) => [account_id, name]));
}

export const answeringOperators = (
  sql: Sql | Tx,
): PromiseLike<{ user_id: string; name: string }[]> =>
  sql<{ user_id: string; name: string }[]>`
    select u.user_id, u.name from accounts a join users u using (account_id)
    where a.is_system and u.role = 'operator' and u.operator_roles && '{support,admin}'
    order by u.name, u.user_id`;

export async function operatorNames(
  sql: Sql | Tx,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const found = await sql<{ user_id: string; name: string }[]>`
    select u.user_id, u.name from accounts a join users u using (account_id)
    where a.is_system and u.user_id = any(${[...userIds]}::uuid[])`;
  return new Map(found.map(({ user_id, name }) => [user_id, name]));
}

export type CustomerPerson = { accountId: string; userId: string };

const usersWhere = (sql: Sql | Tx, where: Fragment): Fragment => sql`
  from accounts a join users u using (account_id)
  where not a.is_system and a.status <> 'closed' and u.role = 'customer' and ${where}`;

/** Users of the next accounts that meet a condition on `a`, ordered by account. */
export const customersAfter = (
  sql: Sql | Tx,
  { after, limit, where }: { after: string; limit: number; where: Fragment },
): PromiseLike<CustomerPerson[]> => sql<CustomerPerson[]>`
  with next as (
    select distinct a.account_id ${usersWhere(sql, where)} and a.account_id > ${after}
    order by a.account_id limit ${limit}
  )
  select u.account_id as "accountId", u.user_id as "userId"
  from next join users u using (account_id) where u.role = 'customer'
  order by u.account_id, u.user_id`;

/** Counts the users whose account `a` meets each of these conditions, in one pass. */
export async function countCustomers(
  sql: Sql | Tx,
  conditions: readonly Fragment[],
): Promise<number[]> {
  const none = sql`array[]::integer[]`;
  const counts = conditions.reduce(
    (before, one) => sql`${before} || (count(*) filter (where ${one}))::integer`,
    none,
  );
  const [row] = await sql<{ counts: number[] }[]>`
    select ${counts} as counts ${usersWhere(sql, sql`true`)}`;
  return row?.counts ?? [];
}

export async function isAccount(sql: Sql | Tx, id: string, where: Fragment): Promise<boolean> {
  const found = await sql`select from accounts a where a.account_id = ${id} and ${where}`;
  return found.length > 0;
}
