import { ECDH, randomBytes } from 'node:crypto';
import type { Fragment, Sql, Tx } from '#server/infra/postgres/database.ts';
import { newId } from '#server/infra/ids.ts';
import { type SealedColumn, type Secrets, sha256 } from '#server/infra/security/secrets.ts';
import type { InputOf } from '#contract/base/act.ts';
import { pushConfig, registerPush, unregisterPush, renewPush } from '#contract/push.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { type ActHandler, handle } from '#server/infra/acts.ts';
import type { PushDeps } from '#server/domains/push/deps.ts';
import { isActiveSession } from '#server/domains/accounts/accounts.ts';

/** A browser's push endpoint and keys: secrets of the browser and its person. */
export type Subscription = { endpoint: string; p256dh: string; auth: string };

/** The person and session that a browser's notices belong to. */
export type Owner = { accountId: string; userId: string; sessionId: string };

type StoredSubscription = Owner & {
  id: string;
  /** Undefined if it is gone (`endSubscription`), or SECRET_KEY has changed. */
  subscription: Subscription | undefined;
};

/** Browsers per person; one more replaces the one longest not refreshed. */
const BROWSERS_MAX = 10;
const POINT_BYTES = 65;
const AUTH_BYTES = 16;

/** True for keys as RFC 8291 requires them: an uncompressed point of P-256, and 16 bytes. */
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

/** Decrypts what `storeSubscription` sealed; undefined if it is gone, or SECRET_KEY has changed. */
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

/** Finds the browser of a token, and locks it until the transaction ends. */
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
 * Stores a browser for a person under a new token. It replaces the browser's earlier row, with its queued notices.
 *
 * @returns the token, which is stored as a hash only
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
  // Two calls for one browser take turns: the later one wins.
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

/** Extends a browser's time, and binds it to the current session. */
export async function refreshSubscription(tx: Tx, id: string, sessionId: string): Promise<void> {
  await tx`
    update push_subscriptions set refreshed_at = statement_timestamp(), session_id = ${sessionId}
    where subscription_id = ${id}`;
}

/** SQL condition: the push service has not reported the browser of `push_subscriptions` as gone. */
export const isReachable = (sql: Sql | Tx): Fragment => sql`sealed <> ''`;

/**
 * Deletes the address, keys and notices of a subscription that is gone. Its token still renews it, because a browser
 * learns of this later than we do.
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

export const pushConfigHandler = ({ vapid }: PushDeps): ActHandler =>
  handle(pushConfig, async () => ({ vapid_key: vapid.publicKey }));

export const registerPushHandler = (deps: PushDeps): ActHandler =>
  handle(registerPush, ({ caller }, input) => register(deps, caller, input));

export const unregisterPushHandler = ({ allAccountsSql }: PushDeps): ActHandler =>
  handle(unregisterPush, async ({ caller }, { push_token: token }) => {
    await allAccountsSql`
      delete from push_subscriptions where token_hash = ${sha256(token)}
        and (account_id, user_id) = (${caller.accountId}, ${caller.userId})`;
    return {};
  });

/** Binds the browser to this person; replaces its old token if anything about it changed. */
async function register(
  { allAccountsSql, config, secrets, vapid }: PushDeps,
  caller: Owner,
  { old, vapid_key: key, ...subscription }: InputOf<typeof registerPush>,
): Promise<{ token: string }> {
  const service = validateSubscription({ config, vapid }, key, subscription);
  return allAccountsSql.begin(async (tx) => {
    const before = old === undefined ? undefined : await findByToken(tx, secrets, old);
    if (before && old !== undefined && isUnchanged(before, caller, subscription)) {
      await refreshSubscription(tx, before.id, caller.sessionId);
      return { token: old };
    }
    if (before) await deleteSubscription(tx, before.id);
    return { token: await storeSubscription(tx, secrets, caller, { service, subscription }) };
  });
}

function isUnchanged(
  before: Owner & { subscription: Subscription | undefined },
  { accountId, userId }: Owner,
  { endpoint, p256dh, auth }: Subscription,
): boolean {
  const known = before.subscription;
  return (
    before.accountId === accountId &&
    before.userId === userId &&
    known?.endpoint === endpoint &&
    known.p256dh === p256dh &&
    known.auth === auth
  );
}

const withoutPadding = (key: string): string => key.replace(/=+$/, '');

/**
 * Validates a subscription and returns its push service.
 *
 * @throws Refusal `push_service_unknown`, `push_key_old`, `input_invalid` for invalid keys
 */
export function validateSubscription(
  { config, vapid }: Pick<PushDeps, 'config' | 'vapid'>,
  key: string,
  subscription: Subscription,
): string {
  const service = serviceOf(subscription.endpoint, config.PUSH_SERVICES);
  if (service === undefined) throw new Refusal('push_service_unknown', {});
  if (withoutPadding(key) !== vapid.publicKey) throw new Refusal('push_key_old', {});
  if (!areKeys(subscription)) {
    throw new Refusal('input_invalid', { fields: { p256dh: 'Kunci langganan tidak dikenali.' } });
  }
  return service;
}

/** Push services of all browsers; `*.` stands for one or more labels. */
const services = [
  'fcm.googleapis.com',
  '*.push.services.mozilla.com',
  '*.notify.windows.com',
  '*.push.apple.com',
];

const ENDPOINT_MAX = 2_000;

/**
 * The push service of an endpoint: one of the known ones, over https, or an origin of PUSH_SERVICES.
 *
 * @returns its name for the log; undefined for unknown addresses
 */
export function serviceOf(endpoint: string, listed: readonly string[]): string | undefined {
  if (endpoint.length > ENDPOINT_MAX || !URL.canParse(endpoint)) return undefined;
  const { origin, protocol, hostname, port, username, password } = new URL(endpoint);
  if (username !== '' || password !== '') return undefined;
  if (listed.includes(origin)) return origin;
  if (protocol !== 'https:' || port !== '') return undefined;
  return services.find((name) =>
    name.startsWith('*.')
      ? hostname.endsWith(name.slice(1)) && hostname.length >= name.length
      : hostname === name,
  );
}

export const renewPushHandler = (deps: PushDeps): ActHandler =>
  handle(renewPush, (_call, input) => renew(deps, input));

/**
 * Replaces the changed subscription of a browser, which its old token, 256 random bits, authenticates.
 *
 * @throws Refusal `not_found` if the token is unknown, or its session is not active
 */
async function renew(
  { allAccountsSql, config, secrets, vapid }: PushDeps,
  { old, vapid_key: key, ...subscription }: InputOf<typeof renewPush>,
): Promise<{ token: string }> {
  const service = validateSubscription({ config, vapid }, key, subscription);
  return allAccountsSql.begin(async (tx) => {
    const before = await findByToken(tx, secrets, old);
    const [session] = await tx`
      select 1 from sessions join accounts a on a.account_id = sessions.account_id
      where session_id = ${before?.sessionId ?? null} and a.status = 'active'
        and ${isActiveSession(allAccountsSql)}`;
    if (!before || !session) {
      throw new Refusal('not_found', { what: 'Langganan pemberitahuan' });
    }
    await deleteSubscription(tx, before.id);
    return { token: await storeSubscription(tx, secrets, before, { service, subscription }) };
  });
}
