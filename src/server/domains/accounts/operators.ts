import { type OperatorRole, PAGE_SIZE, type PageOf, operatorRoles } from '#contract/base/act.ts';
import { publicId } from '#contract/base/ids.ts';
import { Refusal } from '#contract/base/refusals.ts';
import {
  type Operator,
  endOperatorSessions,
  inviteOperator,
  listOperators,
  removeOperator,
  resetOperatorFactor,
  setOperatorRoles,
} from '#contract/operator/operators.ts';
import { type ActHandler, handle } from '#server/infra/acts.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import type { AccountsDeps } from '#server/domains/accounts/deps.ts';
import { endOtherSessions, isActiveSession } from '#server/domains/accounts/sessions/sessions.ts';
import {
  forgetFactors,
  resetSecondFactor,
  secondFactorsOf,
} from '#server/domains/accounts/secondfactor/factors.ts';
import { notifySecondFactorsReset } from '#server/domains/accounts/notices.ts';
import { hashPassword } from '#server/infra/security/passwords.ts';
import { readableCode } from '#server/infra/security/readable-code.ts';
import { StartError } from '#server/infra/start-error.ts';
import { revokeCodes } from './otp.ts';
import {
  addUser,
  isPhoneTaken,
  systemAccount,
  type UserRef,
} from '#server/domains/accounts/people.ts';
import { newId } from '#server/infra/ids.ts';

export const operatorsActs = (deps: AccountsDeps): readonly ActHandler[] => [
  handle(listOperators, ({ caller }, input) => operatorsPage(deps, caller.userId, input)),
  handle(inviteOperator, async ({ caller }, { name, phone, roles }) => {
    const operator = { name, phone, roles: uniqueRoles(roles) };
    const made = await invite(deps.allAccountsSql, operator, caller.userId);
    return {
      user_id: publicId('user', made.userId),
      phone,
      password: made.password,
      valid_until: made.validUntil,
    };
  }),
  handle(setOperatorRoles, async ({ caller }, { user_id: userId, roles }) => {
    await deps.allAccountsSql.begin((tx) =>
      change(tx, { callerId: caller.userId, userId, roles: uniqueRoles(roles) }),
    );
    const [changed] = await operatorRows(deps.allAccountsSql, caller.userId, userId);
    if (!changed) throw new Refusal('not_found', { what: 'Operator' });
    return changed;
  }),
  handle(removeOperator, async ({ caller }, { user_id: userId }) => {
    await remove(deps, { callerId: caller.userId, userId });
    return {};
  }),
  handle(endOperatorSessions, async ({ caller }, { user_id: userId }) => {
    const ended = await deps.allAccountsSql.begin(async (tx) => {
      const operator = await operatorOf(tx, userId);
      const own = userId === caller.userId ? caller.sessionId : undefined;
      return endOtherSessions(tx, operator, own);
    });
    await deps.sessions.evict(ended);
    return { ended: ended.length };
  }),
  handle(resetOperatorFactor, async ({ caller }, { user_id: userId }) => {
    // One's own factor is removed on one's own page after giving it: a password is not enough for that.
    if (userId === caller.userId) throw new Refusal('not_allowed', {});
    await operatorOf(deps.allAccountsSql, userId);
    // Recorded before the reset: an interrupted reset must not leave an operator without the tie.
    const tie = { operatorId: userId, by: caller.userId, kind: 'factor_reset' } as const;
    await recordTie(deps.allAccountsSql, tie);
    const reset = await resetSecondFactor(deps.allAccountsSql, userId);
    if (!reset) throw new Refusal('not_found', { what: 'Operator' });
    await deps.sessions.evict(reset.sessionIds);
    if (reset.kinds.length > 0) {
      void notifySecondFactorsReset(deps, reset.phone).catch(deps.report);
    }
    return { ended: reset.sessionIds.length };
  }),
];

const uniqueRoles = (roles: readonly OperatorRole[]): OperatorRole[] =>
  operatorRoles.filter((role) => roles.includes(role));

/** @throws Refusal `not_found` if no present operator has this id. */
async function operatorOf(
  sql: Sql | Tx,
  userId: string,
): Promise<{ accountId: string; userId: string; avatar: string | null }> {
  const [found] = await sql<{ accountId: string; userId: string; avatar: string | null }[]>`
    select account_id as "accountId", user_id as "userId", avatar_file as avatar
    from users join accounts using (account_id)
    where is_system and user_id = ${userId} and removed_at is null`;
  if (!found) throw new Refusal('not_found', { what: 'Operator' });
  return found;
}

type Change = { callerId: string; userId: string; roles: readonly OperatorRole[] };

/**
 * Changes an operator's roles; without roles, removes them: their number is free, and their name stays in their acts.
 * The caller ends their sessions.
 *
 * Locks the installation's account first, so that operators are changed one at a time.
 *
 * @throws Refusal `not_allowed` if the caller is no longer an admin, `not_found`, `last_admin` if no other admin could
 * sign in.
 */
async function change(tx: Tx, { callerId, userId, roles }: Change): Promise<void> {
  const [account] = await tx<{ accountId: string }[]>`
    select account_id as "accountId" from accounts where is_system for no key update`;
  if (!account) throw new Refusal('not_allowed', {});
  const { accountId } = account;
  const people = await tx<OperatorState[]>`
    select user_id as "userId", operator_roles as roles, removed_at is not null as "isRemoved",
      signed_in_at is not null or invited_until is null as "isKnown"
    from users where account_id = ${accountId}`;
  const { before } = checkChange(people, { callerId, userId, roles });
  if (roles.length > 0) {
    await tx`
      update users set operator_roles = ${[...roles]}::text[]
      where account_id = ${accountId} and user_id = ${userId}`;
  } else {
    await tx`
      update users set removed_at = statement_timestamp(), operator_roles = '{}', phone = '',
        password_hash = '', email = null, avatar_file = null, settings = '{}', invited_until = null
      where account_id = ${accountId} and user_id = ${userId}`;
    await tx`delete from user_phones where account_id = ${accountId} and user_id = ${userId}`;
    await revokeCodes(tx, { accountId, userId });
  }
  if (decidesOnMoney(roles) && !decidesOnMoney(before)) {
    await recordTie(tx, { operatorId: userId, by: callerId, kind: 'roles' });
  }
}

/** A user of the installation's account; a removed operator has no roles. */
type OperatorState = {
  userId: string;
  roles: readonly OperatorRole[];
  isRemoved: boolean;
  /** False for an invited operator before the first sign-in, who does not count as an admin that can sign in. */
  isKnown: boolean;
};

/** Returns the operator's roles before the change; throws as `change` does. */
function checkChange(
  people: readonly OperatorState[],
  { callerId, userId, roles }: Change,
): { before: readonly OperatorRole[] } {
  const admins = people.filter((one) => one.roles.includes('admin'));
  if (!admins.some((one) => one.userId === callerId)) throw new Refusal('not_allowed', {});
  const operator = people.find((one) => one.userId === userId && !one.isRemoved);
  if (!operator) throw new Refusal('not_found', { what: 'Operator' });
  const staysAdmin = roles.includes('admin') || !operator.roles.includes('admin');
  if (!staysAdmin && !admins.some((one) => one.userId !== userId && one.isKnown)) {
    throw new Refusal('last_admin', {});
  }
  return { before: operator.roles };
}

const decidesOnMoney = (roles: readonly OperatorRole[]): boolean =>
  roles.includes('money') || roles.includes('admin');

async function remove(
  { allAccountsSql, releaseFile, sessions }: AccountsDeps,
  { callerId, userId }: Omit<Change, 'roles'>,
): Promise<void> {
  const { ended, release } = await allAccountsSql.begin(async (tx) => {
    const { accountId, avatar } = await operatorOf(tx, userId);
    await change(tx, { callerId, userId, roles: [] });
    const ids = await endOtherSessions(tx, { accountId, userId });
    await forgetFactors(tx, { accountId, userId });
    return {
      ended: ids,
      release:
        avatar === null
          ? async () => undefined
          : await releaseFile(tx, { accountId, fileId: avatar }),
    };
  });
  await sessions.evict(ended);
  await release();
}

async function operatorsPage(
  { allAccountsSql }: AccountsDeps,
  callerId: string,
  { page = 0 }: { page?: number | undefined },
): Promise<PageOf<Operator>> {
  const all = await operatorRows(allAccountsSql, callerId);
  return { rows: all.slice(page * PAGE_SIZE, (page + 1) * PAGE_SIZE), total: all.length };
}

type Row = {
  user_id: string;
  name: string;
  phone: string;
  roles: OperatorRole[];
  signed_in_at: Date | null;
  invited_until: Date | null;
  sessions: number;
  last_admin: boolean;
};

/** The operators, the oldest first, not paged: an installation has a handful. */
async function operatorRows(
  allAccountsSql: Sql,
  callerId: string,
  userId?: string,
): Promise<Operator[]> {
  const found = await allAccountsSql<Row[]>`
    with operators as (
      select u.*, 'admin' = any (u.operator_roles)
        and (u.signed_in_at is not null or u.invited_until is null) as is_admin
      from users u join accounts a using (account_id)
      where a.is_system and u.removed_at is null
    )
    select o.user_id, o.name, o.phone, o.operator_roles as roles,
      coalesce(seen.at, o.signed_in_at) as signed_in_at, coalesce(seen.sessions, 0)::int as sessions,
      case when o.signed_in_at is null then o.invited_until end as invited_until,
      o.is_admin and (select count(*) from operators where is_admin) = 1 as last_admin
    from operators o left join lateral (
      select max(created_at) as at, count(*) filter (where ${isActiveSession(allAccountsSql)}) as sessions
      from sessions where (sessions.account_id, sessions.user_id) = (o.account_id, o.user_id)
    ) seen on true
    where ${userId ?? null}::uuid is null or o.user_id = ${userId ?? null}::uuid
    order by o.created_at, o.user_id`;
  const factors = await secondFactorsOf(
    allAccountsSql,
    found.map(({ user_id }) => user_id),
  );
  return found.map(({ user_id, ...row }) => ({
    ...row,
    user_id: publicId('user', user_id),
    second_factor: (factors.get(user_id) ?? []).length > 0,
    you: user_id === callerId,
  }));
}

type NewOperator = { name: string; phone: string; roles: readonly OperatorRole[] };

/** Short, because the invitation may be seen on a screen or a slip of paper. */
const INVITATION_HOURS = 72;

/**
 * Creates an operator whose password works until the invitation ends, with a code to their phone. The inviter cannot
 * use them as a second operator.
 *
 * @returns their password, shown only to the inviter, and its expiry.
 * @throws Refusal `phone_in_use`.
 */
export async function invite(
  allAccountsSql: Sql,
  operator: NewOperator,
  invitedBy: string,
): Promise<{ userId: string; password: string; validUntil: Date }> {
  const { invitedUntil: validUntil, ...made } = await insertOperator(allAccountsSql, operator, {
    hours: INVITATION_HOURS,
    invitedBy,
    ifTaken: new Refusal('phone_in_use', {}),
  });
  if (!validUntil) throw new Error('an invitation without an end');
  return { ...made, validUntil };
}

/**
 * Creates an operator from the installation's terminal; their password works once without a code.
 *
 * @returns their credentials, shown once.
 * @throws StartError before the first start, and if the number is in use.
 */
export async function addOperator(
  allAccountsSql: Sql,
  operator: NewOperator,
): Promise<{ phone: string; password: string }> {
  const { password } = await insertOperator(allAccountsSql, operator, {
    hours: null,
    invitedBy: null,
    ifTaken: new StartError('That number belongs to somebody; choose another one.'),
  });
  return { phone: operator.phone, password };
}

/**
 * Declares from the installation's terminal that an operator is independent of their inviter.
 *
 * @throws StartError if no operator has this number.
 */
export async function vouchForOperator(allAccountsSql: Sql, phone: string): Promise<void> {
  const { userId: operatorId } = await operatorByPhone(allAccountsSql, phone);
  await recordTie(allAccountsSql, { operatorId, by: null, kind: 'vouched' });
}

/**
 * Sets a new password for an operator who cannot sign in: their sessions and open codes end. As the first time, the
 * next sign-in requires no code.
 *
 * @returns their credentials, shown once.
 * @throws StartError if no operator has this number.
 */
export async function resetOperatorPassword(
  allAccountsSql: Sql,
  phone: string,
): Promise<{ phone: string; password: string }> {
  const password = newPassword();
  const passwordHash = await hashPassword(password);
  await allAccountsSql.begin(async (tx) => {
    const user = await operatorByPhone(tx, phone);
    await tx`
      update users set password_hash = ${passwordHash}, signed_in_at = null, invited_until = null
      where (account_id, user_id) = (${user.accountId}, ${user.userId})`;
    await revokeCodes(tx, user);
    await endOtherSessions(tx, user);
  });
  return { phone, password };
}

type PasswordOptions = {
  /** An unused password expires after this many hours; null: never. */
  hours: number | null;
  /** The operator who invites them; null: the installation's terminal. */
  invitedBy: string | null;
  ifTaken: Error;
};

async function insertOperator(
  allAccountsSql: Sql,
  { name, phone, roles }: NewOperator,
  { hours, invitedBy, ifTaken }: PasswordOptions,
): Promise<{ userId: string; password: string; invitedUntil: Date | null }> {
  // Checked before the hash, which uses much processor time.
  if (await isPhoneTaken(allAccountsSql, phone)) throw ifTaken;
  const password = newPassword();
  const passwordHash = await hashPassword(password);
  return allAccountsSql.begin(async (tx) => {
    const accountId = await systemAccount(tx);
    if (accountId === undefined) {
      throw new StartError('The first operator comes with the first start; run npm start.');
    }
    const role = { role: 'operator', operatorRoles: roles } as const;
    const added = await addUser(tx, accountId, { name, phone, passwordHash, ...role });
    if (!added) throw ifTaken;
    const [row] = await tx<{ until: Date | null }[]>`
      update users set invited_until = statement_timestamp() + make_interval(hours => ${hours}::int)
      where (account_id, user_id) = (${accountId}, ${added.userId})
      returning invited_until as until`;
    const { userId: operatorId } = added;
    if (invitedBy !== null) await recordTie(tx, { operatorId, by: invitedBy, kind: 'invited' });
    return { userId: operatorId, password, invitedUntil: row?.until ?? null };
  });
}

/** SQL that is true of a user `u` unless their invitation has expired. */
export const isNotExpired = (sql: Sql | Tx) => sql`
  (u.signed_in_at is not null or u.invited_until is null or u.invited_until > clock_timestamp())`;

/** 99 bits of entropy. */
export const newPassword = (): string => readableCode({ groups: 4, length: 5 });

/** Includes removed operators, who keep their name. */
export const everyOperator = (
  allAccountsSql: Sql,
): PromiseLike<readonly { userId: string; name: string; isRemoved: boolean }[]> =>
  allAccountsSql<{ userId: string; name: string; isRemoved: boolean }[]>`
    select u.user_id as "userId", u.name, u.removed_at is not null as "isRemoved"
    from users u join accounts a using (account_id) where a.is_system
    order by u.removed_at is not null, u.name, u.user_id`;

export async function isAdmin(allAccountsSql: Sql, userId: string): Promise<boolean> {
  const [found] = await allAccountsSql`
    select from users u join accounts a using (account_id)
    where a.is_system and u.user_id = ${userId} and 'admin' = any (u.operator_roles)`;
  return found !== undefined;
}

export async function adminPhones(allAccountsSql: Sql): Promise<string[]> {
  const admins = await allAccountsSql<{ phone: string }[]>`
    select u.phone from users u join accounts a using (account_id)
    where a.is_system and 'admin' = any(u.operator_roles) order by u.created_at`;
  return admins.map(({ phone }) => phone);
}

/** Includes operators who have not signed in yet. */
export async function operatorPhones(allAccountsSql: Sql): Promise<string[]> {
  const found = await allAccountsSql<{ phone: string }[]>`
    select u.phone from users u join accounts a using (account_id)
    where a.is_system and u.role = 'operator' and u.removed_at is null order by u.created_at`;
  return found.map(({ phone }) => phone);
}

/** @throws StartError if no operator has this number. */
export async function operatorByPhone(sql: Sql | Tx, phone: string): Promise<UserRef> {
  const [user] = await sql<UserRef[]>`
    select u.account_id as "accountId", u.user_id as "userId"
    from users u join accounts a using (account_id)
    where u.phone = ${phone} and a.is_system and u.role = 'operator' and u.removed_at is null`;
  if (!user) throw new StartError('No operator has that number.');
  return user;
}

/** The origin of an operator's rights; `vouched`: declared independent from the installation's terminal. */
type TieKind = 'invited' | 'roles' | 'factor_reset' | 'vouched';

export type Tie = { operatorId: string; by: string | null; kind: TieKind; at: Date };

async function recordTie(
  tx: Sql | Tx,
  { operatorId, by, kind }: Pick<Tie, 'operatorId' | 'by' | 'kind'>,
): Promise<void> {
  await tx`
    insert into operator_ties (tie_id, operator_id, by_operator, kind)
    values (${newId()}, ${operatorId}, ${by}, ${kind})`;
}

/** Ties between operators: tied operators count as one. */
export type OperatorTies = {
  /** Operators who cannot act as the second one beside this one, this one included: no age ends an invitation. */
  related: readonly string[];
  /** Operators whose sums are added to this one's, this one included: tied within seven days. */
  together: readonly string[];
  /**
   * Invited, given a money role, or second factor reset, each within the last seven days: may not decide on proposals
   * of others.
   */
  isNew: boolean;
};

const NEW_MS = 7 * 86_400_000;

/** Uses the database's clock, because the clock of money can be moved. */
export async function tiesOf(sql: Sql | Tx, operatorId: string): Promise<OperatorTies> {
  const found = await sql<(Tie & { now: Date })[]>`
    select operator_id as "operatorId", by_operator as by, kind, at, clock_timestamp() as now
    from operator_ties order by at, tie_id`;
  return readTies(found, operatorId, found[0]?.now ?? new Date());
}

export function readTies(all: readonly Tie[], operatorId: string, now: Date): OperatorTies {
  const valid = all.filter(
    (tie, place) =>
      tie.kind !== 'vouched' &&
      !all.some(
        (later, at) =>
          at > place && later.kind === 'vouched' && later.operatorId === tie.operatorId,
      ),
  );
  const isRecent = ({ at }: Tie) => now.getTime() - at.getTime() < NEW_MS;
  const recent = valid.filter(isRecent);
  return {
    related: relatives(
      valid.filter(({ kind }) => kind !== 'factor_reset'),
      operatorId,
    ),
    together: relatives(recent, operatorId),
    isNew: recent.some((tie) => tie.operatorId === operatorId),
  };
}

/** All operators with a shared origin: those an operator created, their creators, and those of the same creator. */
function relatives(ties: readonly Tie[], operatorId: string): string[] {
  const own = origins(ties, operatorId);
  const others = new Set(ties.flatMap((tie) => [tie.operatorId, tie.by ?? []]).flat());
  others.delete(operatorId);
  const related = [...others].filter((other) => !own.isDisjointFrom(origins(ties, other)));
  return [operatorId, ...related];
}

function origins(ties: readonly Tie[], operatorId: string): Set<string> {
  const found = new Set([operatorId]);
  for (const one of found) {
    for (const { operatorId: made, by } of ties) if (made === one && by !== null) found.add(by);
  }
  return found;
}

export const isSecondFor = ({ related, isNew }: OperatorTies, proposerId: string): boolean =>
  !isNew && !related.includes(proposerId);
