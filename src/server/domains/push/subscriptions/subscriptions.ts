import { ECDH, randomBytes } from 'node:crypto';
import type { Fragment, Sql, Tx } from '#server/infra/postgres/database.ts';
import { newId } from '#server/infra/ids.ts';
import { type SealedColumn, type Secrets, sha256 } from '#server/infra/security/secrets.ts';

/** A browser's push endpoint and keys: secrets of the browser and its person. */
export type Subscription = { endpoint: string; p256dh: string; auth: string };

/** Whose notices a browser gets. */
export type Owner = { accountId: string; userId: string; sessionId: string };

type StoredSubscription = Owner & {
  id: string;
  /** `undefined` when it is gone (`endSubscription`), or SECRET_KEY has changed. */
  subscription: Subscription | undefined;
};

/** A person's browsers at once; the one longest not refreshed goes when there is one more. */
const BROWSERS_MAX = 10;
const POINT_BYTES = 65;
const AUTH_BYTES = 16;

/** True for keys as RFC 8291 requires them: a point of P-256, uncompressed, and 16 bytes. */
export function areKeys({ p256dh, auth }: Pick<Subscription, 'p256dh' | 'auth'>): boolean {
  const point = Buffer.from(p256dh, 'base64url');
  if (point.length !== POINT_BYTES || Buffer.from(auth, 'base64url').length !== AUTH_BYTES) {
    return false;
  }
  try {
    ECDH.convertKey(point, 'prime256v1');
    return true;
  } catch {
    return false;
  }
}

const contextOf = (id: string): string => `push_subscriptions ${id}`;

export const sealedSubscriptions: SealedColumn = {
  table: 'push_subscriptions',
  column: 'sealed',
  key: ['subscription_id'],
  context: ({ subscription_id = '' }) => contextOf(subscription_id),
};

/** Decrypts what `storeSubscription` sealed; `undefined` when it is gone, or SECRET_KEY has changed. */
export function unsealSubscription(
  secrets: Secrets,
  id: string,
  sealed: Uint8Array,
): Subscription | undefined {
  const text = secrets.open(sealed, contextOf(id))?.toString('utf8');
  return text === undefined ? undefined : (JSON.parse(text) as Subscription);
}

type Row = {
  id: string;
  sealed: Buffer;
  account_id: string;
  user_id: string;
  session_id: string;
};

/** The browser a token was given to, and locks it until the transaction ends. */
export async function findByToken(
  tx: Tx,
  secrets: Secrets,
  token: string,
): Promise<StoredSubscription | undefined> {
  const [row] = await tx<Row[]>`
    select subscription_id as id, sealed, account_id, user_id, session_id
    from push_subscriptions where token_hash = ${sha256(token)} for update`;
  return (
    row && {
      id: row.id,
      accountId: row.account_id,
      userId: row.user_id,
      sessionId: row.session_id,
      subscription: unsealSubscription(secrets, row.id, row.sealed),
    }
  );
}

/**
 * Stores a browser for a person, under a new token, in place of whoever had it before: their queued
 * notices are deleted with it.
 *
 * @returns the token, which is stored as a hash only.
 */
export async function storeSubscription(
  tx: Tx,
  secrets: Secrets,
  owner: Owner,
  { service, subscription }: { service: string; subscription: Subscription },
): Promise<string> {
  const { accountId, userId, sessionId } = owner;
  const id = newId();
  const token = `psh_${randomBytes(32).toString('base64url')}`;
  const endpoint = sha256(subscription.endpoint);
  const sealed = secrets.seal(JSON.stringify(subscription), contextOf(id));
  // Two calls for one browser take turns: the later one has it.
  await tx`select pg_advisory_xact_lock(${endpoint.readInt32BE(0)}, ${endpoint.readInt32BE(4)})`;
  await tx`delete from push_subscriptions where endpoint_hash = ${endpoint}`;
  await tx`
    insert into push_subscriptions (
      subscription_id, token_hash, endpoint_hash, service, sealed, account_id, user_id, session_id
    ) values (
      ${id}, ${sha256(token)}, ${endpoint}, ${service}, ${sealed}, ${accountId}, ${userId},
      ${sessionId}
    )`;
  await tx`
    delete from push_subscriptions where subscription_id in (
      select subscription_id from push_subscriptions
      where (account_id, user_id) = (${accountId}, ${userId})
      order by ${isReachable(tx)} desc, refreshed_at desc, subscription_id desc offset ${BROWSERS_MAX}
    )`;
  return token;
}

/** Extends a browser's time, and binds it to the present session. */
export async function refreshSubscription(tx: Tx, id: string, sessionId: string): Promise<void> {
  await tx`
    update push_subscriptions set refreshed_at = statement_timestamp(), session_id = ${sessionId}
    where subscription_id = ${id}`;
}

/** SQL that is true of a browser of `push_subscriptions` whose push service has not said that it is gone. */
export const isReachable = (sql: Sql | Tx): Fragment => sql`sealed <> ''`;

/**
 * The push service said that the subscription is gone: its address, its keys and its queued notices are
 * deleted. Its token stays good for a renewal, for a browser learns of this later than we do.
 */
export async function endSubscription(sql: Sql | Tx, id: string): Promise<void> {
  await sql`
    with ended as (
      update push_subscriptions set sealed = '' where subscription_id = ${id}
    )
    delete from push_queue where subscription_id = ${id}`;
}

/** Deletes a browser; a missing one is no error. */
export async function deleteSubscription(sql: Sql | Tx, id: string): Promise<void> {
  await sql`delete from push_subscriptions where subscription_id = ${id}`;
}
