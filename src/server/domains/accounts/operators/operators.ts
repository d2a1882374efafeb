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
import { type ActHandler, handle } from '#server/infra/acts/act.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import type { AccountsDeps } from '#server/domains/accounts/deps.ts';
import { endOtherSessions, isActiveSession } from '#server/domains/accounts/sessions/sessions.ts';
import { invite } from './invite.ts';
import { recordTie } from './ties.ts';
import {
  forgetFactors,
  resetSecondFactor,
  secondFactorsOf,
} from '#server/domains/accounts/secondfactor/factors.ts';
import { notifySecondFactorsReset } from '#server/domains/accounts/notices.ts';

type Deps = Pick<
  AccountsDeps,
  'allAccountsSql' | 'releaseFile' | 'report' | 'sendSystemText' | 'sessions'
>;

/** The acts on operators, for admins among them. */
export const operatorsActs = (deps: Deps): readonly ActHandler[] => [
  handle(listOperators, ({ caller }, input) => operatorsPage(deps, caller.userId, input)),
  handle(inviteOperator, async ({ caller }, { name, phone, roles }) => {
    const operator = { name, phone, roles: each(roles) };
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
      change(tx, { callerId: caller.userId, userId, roles: each(roles) }),
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
    // One's own is taken away by giving it first, on one's own page: a password is not enough for that.
    if (userId === caller.userId) throw new Refusal('not_allowed', {});
    await operatorOf(deps.allAccountsSql, userId);
    // Before it is gone: a reset that breaks off leaves no operator without the tie.
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

/** Each once, in the order in which they are shown. */
const each = (roles: readonly OperatorRole[]): OperatorRole[] =>
  operatorRoles.filter((role) => roles.includes(role));

/** @throws Refusal `not_found` when nobody, or no operator any more, has this id. */
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

/** @throws Refusal `not_allowed`, `not_found`, `last_admin`. */
async function change(tx: Tx, { callerId, userId, roles }: Change): Promise<void> {
  const gained = await rolesOfMoney(tx, userId, roles);
  const [answer] = await tx<{ outcome: string }[]>`
    select change_operator(${callerId}, ${userId}, ${[...roles]}::text[]) as outcome`;
  switch (answer?.outcome) {
    case 'done':
      if (gained) await recordTie(tx, { operatorId: userId, by: callerId, kind: 'roles' });
      return;
    case 'last_admin':
      throw new Refusal('last_admin', {});
    case 'not_found':
      throw new Refusal('not_found', { what: 'Operator' });
    default:
      throw new Refusal('not_allowed', {});
  }
}

/** Whether these roles let an operator decide about money who could not before. */
async function rolesOfMoney(
  tx: Tx,
  userId: string,
  roles: readonly OperatorRole[],
): Promise<boolean> {
  const decides = (some: readonly OperatorRole[]) =>
    some.includes('money') || some.includes('admin');
  const [before] = await tx<{ roles: OperatorRole[] }[]>`
    select operator_roles as roles from users join accounts using (account_id)
    where is_system and user_id = ${userId}`;
  return before !== undefined && decides(roles) && !decides(before.roles);
}

/** Ends what an operator may do, at once; their picture goes with them. */
async function remove(
  { allAccountsSql, releaseFile, sessions }: Deps,
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
  { allAccountsSql }: Deps,
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

/** The operators, the first one first: an installation has a handful. */
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
