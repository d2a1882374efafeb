import type { OperatorRole } from '#contract/base/act.ts';
import type { MessageType } from '#contract/messages.ts';
import type { Role } from '#contract/accounts.ts';
import { isActiveSession } from '#server/domains/accounts/accounts.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import { inAccount } from '#server/infra/postgres/distribution/scope.ts';
import { newId } from '#server/infra/ids.ts';
import type { Notice } from './payload.ts';
import { isReachable } from '#server/domains/push/subscriptions/subscriptions.ts';

/** An inbound message. */
export type Received = {
  accountId: string;
  tokenId: string;
  messageId: string;
  peer: string;
  name: string | undefined;
};

/** The lease of a claimed notice: longer than any push service may take. */
const LEASE_SECONDS = 30;
/** Of notices that wait longer than this, only the newest of each conversation is sent. */
const BACKLOG_SECONDS = 60;
/** Badges count up to this. */
const UNREAD_MAX = 999;
const SWEPT_DAYS = 8;

/** Queues a notice of a message for every browser of its account, in the transaction that stores it. */
export async function queueNotices(tx: Tx, received: Received): Promise<void> {
  const { accountId, tokenId, messageId, peer, name = null } = received;
  await tx`
    insert into push_queue (
      subscription_id, message_id, account_id, token_id, peer, peer_name, service
    )
    select subscription_id, ${messageId}, ${accountId}, ${tokenId}, ${peer}, ${name}, service
    from push_subscriptions where account_id = ${accountId} and ${isReachable(tx)}
    on conflict do nothing`;
}

/** So long a notice of no message is tried: it is still worth reading a day later. */
const NOTICE_HOURS = 24;

/**
 * Queues a notice that is about no message for every browser of an account, in the transaction that makes
 * it true. It is sent to people who want notices; its body must hold no message's text.
 *
 * @param tx of the account, or one that sees all.
 */
export async function queueNotice(tx: Tx, notice: Notice & { accountId: string }): Promise<void> {
  const { accountId, title, body, url, tag, text = null, roles } = notice;
  await tx`
    insert into push_queue (
      subscription_id, message_id, account_id, title, body, url, tag, text, roles, service, expires_at
    )
    select subscription_id, ${newId()}, ${accountId}, ${title}, ${body}, ${url}, ${tag}, ${text},
      ${roles ? [...roles] : null}::text[], service,
      clock_timestamp() + make_interval(hours => ${NOTICE_HOURS})
    from push_subscriptions where account_id = ${accountId} and ${isReachable(tx)}`;
}

/** A claimed notice, ours to send until its lease ends, with the present state of what it needs. */
export type Due = {
  subscription_id: string;
  message_id: string;
  account_id: string;
  /** Null of a notice of no message, whose words are in `title` and so on. */
  token_id: string | null;
  peer: string | null;
  peer_name: string | null;
  title: string | null;
  notice_body: string | null;
  url: string | null;
  tag: string | null;
  text: string | null;
  /** Null: of operators, all get it. */
  roles: OperatorRole[] | null;
  service: string;
  bare: boolean;
  attempt: number;
  sealed: Buffer;
  /** False when the session has ended, or its account is closed. */
  is_active: boolean;
  role: Role;
  operator_roles: OperatorRole[];
  settings: unknown;
  type: MessageType | null;
  body: Record<string, unknown> | null;
  /** True when the person has seen the message meanwhile. */
  seen: boolean;
  unread: number;
  seconds_left: number;
};

/**
 * Claims the next notice that is due: each browser gets its notices in the order of their messages, one at
 * a time.
 *
 * @param except services that must not be called now.
 */
export async function claimDue(
  allAccountsSql: Sql,
  except: readonly string[],
): Promise<Due | undefined> {
  for (;;) {
    const [next] = await allAccountsSql<Claimed[]>`
      select subscription_id, message_id, account_id, attempt, bare from push_queue q
      where ready_at <= clock_timestamp() and service <> all(${except}::text[])
        and not exists (
          select from push_queue o
          where o.subscription_id = q.subscription_id and o.message_id < q.message_id
        )
      order by ready_at limit 1`;
    if (!next) return undefined;
    const [claimed] = await allAccountsSql<Pick<Claimed, 'attempt' | 'bare'>[]>`
      update push_queue set attempt = attempt + 1, postponed_at = null,
        ready_at = statement_timestamp() + make_interval(secs => ${LEASE_SECONDS})
      where ${isOurs(allAccountsSql, next)} and ready_at <= statement_timestamp()
      returning attempt, bare`;
    // Without a row somebody else was first: on to what is due now.
    if (!claimed) continue;
    const facts = await inAccount(next.account_id, () => readFacts(allAccountsSql, next));
    if (facts) return { ...facts, ...claimed };
  }
}

type Claimed = Pick<Due, 'subscription_id' | 'message_id' | 'account_id' | 'attempt' | 'bare'>;

/** What a notice needs, as it is now; undefined when it was taken back meanwhile. */
async function readFacts(
  sql: Sql,
  { subscription_id: browser, message_id: message }: Claimed,
): Promise<Due | undefined> {
  const [due] = await sql<Due[]>`
    select q.subscription_id, q.message_id, q.account_id, q.token_id, q.peer, q.peer_name, q.title,
      q.body as notice_body, q.url, q.tag, q.text, q.roles, q.service, q.bare, q.attempt, p.sealed,
      u.role, u.operator_roles, u.settings, m.type, m.body,
      a.status = 'active' and exists (
        select from sessions where session_id = p.session_id and ${isActiveSession(sql)}
      ) as is_active,
      coalesce(c.unread = 0 and c.last_message_id >= q.message_id, false) as seen,
      ${unreadOf(sql)} as unread,
      greatest(0, extract(epoch from q.expires_at - clock_timestamp()))::int as seconds_left
    from push_queue q
    join push_subscriptions p on p.subscription_id = q.subscription_id
    join accounts a on a.account_id = p.account_id
    join users u on (u.account_id, u.user_id) = (p.account_id, p.user_id)
    left join messages m on (m.account_id, m.message_id) = (q.account_id, q.message_id)
    left join conversations c
      on (c.account_id, c.token_id, c.peer) = (q.account_id, q.token_id, q.peer)
    where q.subscription_id = ${browser} and q.message_id = ${message}`;
  return due;
}

/** Conversations with something unread; this one counts too while its message is not published yet. */
const unreadOf = (sql: Sql) => sql`
  (select count(*) from (
    select from conversations v where v.account_id = q.account_id and v.unread > 0
    limit ${UNREAD_MAX}
  ) as counted)
  + case when q.peer is not null and coalesce(c.unread, 0) = 0
      and (c.last_message_id is null or c.last_message_id < q.message_id) then 1 else 0 end`;

type ClaimedNotice = Pick<Due, 'subscription_id' | 'message_id' | 'attempt'>;

/** SQL that is true of a notice that is as it was when we read or claimed it: nobody has claimed it since. */
const isOurs = (
  sql: Sql,
  { subscription_id: browser, message_id: message, attempt }: ClaimedNotice,
) => sql`
  subscription_id = ${browser} and message_id = ${message} and attempt = ${attempt}`;

/** Forgets the notices of a tag that wait for an account's browsers. */
export async function forgetNotices(
  allAccountsSql: Sql,
  { accountId, tag }: { accountId: string; tag: string },
): Promise<void> {
  await allAccountsSql`delete from push_queue where account_id = ${accountId} and tag = ${tag}`;
}

/** The notice has left, or never will. */
export async function finish(allAccountsSql: Sql, due: ClaimedNotice): Promise<void> {
  await allAccountsSql`delete from push_queue where ${isOurs(allAccountsSql, due)}`;
}

/**
 * The notice is tried again after a while, unless it is too old by then.
 *
 * @param wait `isAsked`: the service asked for the pause, so that it is not cut short.
 * @returns false when it is too old.
 */
export async function postpone(
  allAccountsSql: Sql,
  due: ClaimedNotice,
  { waitMs, isAsked = false }: { waitMs: number; isAsked?: boolean },
): Promise<boolean> {
  const seconds = waitMs / 1_000;
  const [later] = await allAccountsSql`
    update push_queue set ready_at = statement_timestamp() + make_interval(secs => ${seconds}),
      postponed_at = case when not ${isAsked} then statement_timestamp() end
    where ${isOurs(allAccountsSql, due)}
      and expires_at > statement_timestamp() + make_interval(secs => ${seconds})
    returning 1`;
  if (!later) await finish(allAccountsSql, due);
  return later !== undefined;
}

/** A push service answers again: the notices that wait for their next try are due, as many at once as it may have. */
export async function retryPostponed(allAccountsSql: Sql, service: string): Promise<void> {
  await allAccountsSql`
    update push_queue set ready_at = statement_timestamp(), postponed_at = null
    where service = ${service} and postponed_at is not null and ready_at > statement_timestamp()`;
}

/** The notice is sent again, at once, without its text. */
export async function retryWithoutText(allAccountsSql: Sql, due: ClaimedNotice): Promise<void> {
  await allAccountsSql`
    update push_queue set bare = true, ready_at = statement_timestamp() where ${isOurs(allAccountsSql, due)}`;
}

/**
 * Deletes expired notices, and of conversations and tags with a backlog all but the newest.
 */
export async function dropSuperseded(allAccountsSql: Sql): Promise<void> {
  await allAccountsSql`
    delete from push_queue q where expires_at <= statement_timestamp() or (
      (attempt > 0 or ready_at < statement_timestamp() - make_interval(secs => ${BACKLOG_SECONDS}))
      and ready_at <= statement_timestamp()
      and exists (
        select from push_queue n
        where n.subscription_id = q.subscription_id and n.message_id > q.message_id
          and (n.token_id, n.peer, n.tag) is not distinct from (q.token_id, q.peer, q.tag)
      )
    )`;
}

/**
 * Deletes browsers that were not refreshed for 8 days (a browser in use refreshes itself when its token is
 * 7 days old), and those whose session has ended.
 */
export async function sweepPush(allAccountsSql: Sql): Promise<void> {
  await allAccountsSql`
    delete from push_subscriptions p
    where refreshed_at < statement_timestamp() - make_interval(days => ${SWEPT_DAYS})
      or not exists (
        select from sessions where session_id = p.session_id and ${isActiveSession(allAccountsSql)}
      )`;
}
