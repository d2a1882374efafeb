import type { LinkFailure } from '#contract/scan.ts';
import { failLink, type TokenRef } from '#server/domains/tokens/tokens.ts';
import type { WebDeps } from '#server/domains/channels/web/web-deps.ts';
import { type OwnedSession, recoversByItself } from '#server/domains/channels/web/auth.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';

export type SessionFacts = {
  shouldConnect: boolean;
  isOver: boolean;
  firstLinkedAt: Date;
  createdAt: Date;
  lastSeenAt: Date | null;
};

/** A paired phone connects within this time, or never. */
const PAIRED_FOR = '30 minutes';

export async function factsOf(
  sql: Sql,
  sessions: readonly OwnedSession[],
): Promise<ReadonlyMap<string, SessionFacts>> {
  const found = await sql<(SessionFacts & { sessionId: string })[]>`
    select s.session_id as "sessionId",
      t.deleted_at is null and not t.account_suspended and t.channel = 'web' and (s.state = 'linked'
          and (t.status = 'linked' or t.status = 'disconnected' and ${recoversByItself(sql)})
        or s.state = 'paired' and s.created_at > clock_timestamp() - ${PAIRED_FOR}::interval)
        as "shouldConnect",
      t.deleted_at is not null or t.channel <> 'web' or s.state = 'ended'
        or s.state = 'linked' and t.phone is null
        or s.state = 'paired' and s.created_at <= clock_timestamp() - ${PAIRED_FOR}::interval
        as "isOver",
      coalesce(n.first_linked_at, clock_timestamp()) as "firstLinkedAt",
      s.created_at as "createdAt", s.last_seen_at as "lastSeenAt"
    from unnest(
      ${sessions.map(({ accountId }) => accountId)}::uuid[],
      ${sessions.map(({ sessionId }) => sessionId)}::uuid[]
    ) as o(account_id, session_id)
    join web_sessions s on s.account_id = o.account_id and s.session_id = o.session_id
    join tokens t on t.account_id = s.account_id and t.token_id = s.token_id
    left join web_numbers n
      on n.account_id = t.account_id and n.token_id = t.token_id and n.phone = t.phone`;
  return new Map(found.map(({ sessionId, ...facts }) => [sessionId, facts]));
}

/** Makes this the session of its token; an earlier one is to be logged out. */
export async function becomeLinked(tx: Tx, session: OwnedSession, phone: string): Promise<void> {
  const { accountId, sessionId, tokenId } = session;
  await tx`
    update web_sessions set state = 'ended'
    where account_id = ${accountId} and token_id = ${tokenId} and session_id <> ${sessionId}
      and state = 'linked'`;
  await tx`
    update web_sessions set state = 'linked', qr = null, pairing_code = null, qr_expires_at = null
    where account_id = ${accountId} and session_id = ${sessionId}`;
  await tx`
    insert into web_numbers (account_id, token_id, phone)
    values (${accountId}, ${tokenId}, ${phone}) on conflict do nothing`;
}

/** @param only erases it in this state alone. @returns whether it was erased */
export async function eraseSession(
  tx: Tx,
  { accountId, sessionId }: OwnedSession,
  only?: OwnedSession['state'],
): Promise<boolean> {
  const erased = await tx`
    delete from web_sessions
    where account_id = ${accountId} and session_id = ${sessionId}
      and state = coalesce(${only ?? null}, state)
    returning 1`;
  return erased.length > 0;
}

/** Erases a session, and fails its link unless that is connected or over. */
export async function endSession(
  tx: Tx,
  { connecting }: Pick<WebDeps, 'connecting'>,
  session: OwnedSession,
  failure?: LinkFailure,
): Promise<void> {
  const { accountId, sessionId: linkId } = session;
  await failLink(tx, connecting.subscribers, { accountId, linkId }, failure);
  await eraseSession(tx, session);
}

export async function noteSeen(sql: Sql, sessions: readonly OwnedSession[]): Promise<void> {
  await sql`
    update web_sessions s set last_seen_at = clock_timestamp()
    from unnest(
      ${sessions.map(({ accountId }) => accountId)}::uuid[],
      ${sessions.map(({ sessionId }) => sessionId)}::uuid[],
      ${sessions.map(({ epoch }) => epoch)}::bigint[]
    ) as o(account_id, session_id, epoch)
    where s.account_id = o.account_id and s.session_id = o.session_id and s.epoch = o.epoch`;
}

/** End of the network's restriction on new chats; undefined without one. */
export async function restrictedUntil(
  sql: Sql,
  { accountId, tokenId }: TokenRef,
): Promise<Date | undefined> {
  const [row] = await sql<{ until: Date }[]>`
    select coalesce(restricted_until, clock_timestamp() + interval '1 day') as until
    from connections
    where account_id = ${accountId} and token_id = ${tokenId} and restriction is not null
      and (restricted_until is null or restricted_until > clock_timestamp())`;
  return row?.until;
}
