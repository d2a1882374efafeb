import type {
  SavedWebhook,
  Webhook,
  WebhookOffReason,
  WebhookTest,
} from '#contract/webhooks/webhook.ts';
import { publicId } from '#contract/base/ids.ts';
import { appendEvent } from '#server/domains/events/events.ts';
import { readToken } from '#server/domains/tokens/tokens.ts';
import type { TokenRef, WebhookFields } from '#server/domains/webhooks/api.ts';
import type { WebhookDeps } from '#server/domains/webhooks/deps.ts';
import {
  hintOf,
  makeSecret,
  sealPrevious,
  sealSecret,
  secretsOf,
  verifyTokenOf,
} from '#server/domains/webhooks/signature.ts';
import { newId } from '#server/infra/ids.ts';
import { type Tx, asAccount } from '#server/infra/postgres/database.ts';
import { type WebhookRow, findWebhook, requireWebhook, showWebhook } from './row.ts';
import { type Target, checkUrl, sendTest, unconfirmed } from './test.ts';

/** The webhook of a token; null where it has none. @throws Refusal `not_found` for a token that is not the account's. */
export const readWebhook = (deps: WebhookDeps, token: TokenRef): Promise<Webhook | null> =>
  asAccount(deps.sql, token.accountId, async (tx) => {
    await readToken(tx, token.accountId, token.tokenId);
    const row = await findWebhook(tx, token);
    return row ? showWebhook(tx, deps, token.accountId, row) : null;
  });

/**
 * Sets the webhook of a token. A new address, or one that is off, is asked first: with 2xx it is on. One that
 * was on stays as it is when the new address does not confirm; any other is saved, off.
 *
 * @throws Refusal `input_invalid` for an address that may not be asked, `webhook_unconfirmed`, `not_found`.
 */
export async function saveWebhook(
  deps: WebhookDeps,
  token: TokenRef,
  { url: typed, format = 'kabari', kinds, verify_token: typedToken }: WebhookFields,
): Promise<SavedWebhook> {
  checkUrl(deps, typed);
  const url = typed.trim();
  const { before, phone } = await asAccount(deps.sql, token.accountId, async (tx) => ({
    phone: (await readToken(tx, token.accountId, token.tokenId)).phone,
    before: await findWebhook(tx, token),
  }));
  const webhookId = before?.webhook_id ?? newId();
  const secret = before ? undefined : makeSecret();
  const isOn = before?.state === 'on';
  const ownToken = typedToken === undefined ? (before?.verify_token ?? null) : typedToken;
  const isRequested =
    !isOn ||
    before.url !== url ||
    before.format !== format ||
    (format === 'cloud' && before.verify_token !== ownToken);
  const verifyToken = ownToken ?? verifyTokenOf(deps, webhookId);
  const secrets = before ? secretsOf(deps, before) : [secret ?? ''];
  const test = isRequested
    ? await sendTest(deps, { token, url, format, phone, verifyToken, secrets })
    : null;
  // Where a name leads is known when it is asked.
  if (test && !test.ok && (isOn || test.error === 'refused')) throw unconfirmed(test);
  const webhook = await asAccount(deps.sql, token.accountId, async (tx) => {
    const fields = { url, format, kinds: kinds ? [...new Set(kinds)] : null };
    if (secret !== undefined) await insertWebhook(tx, deps, { token, webhookId, secret, fields });
    const row = await requireWebhook(tx, token, { lock: true });
    await tx`
      update webhooks set url = ${fields.url}, format = ${fields.format}, kinds = ${fields.kinds},
        verify_token = ${ownToken}, changed_at = ${deps.now()}
      where account_id = ${token.accountId} and webhook_id = ${row.webhook_id}`;
    if (test) await setState(tx, deps, row, { token, offReason: test.ok ? null : 'unconfirmed' });
    return changed(tx, deps, token);
  });
  const isMade = secret !== undefined && webhook.secret_hint === hintOf(secret);
  return { webhook, secret: isMade ? secret : null, test };
}

type Insert = {
  token: TokenRef;
  webhookId: string;
  secret: string;
  fields: { url: string; format: string; kinds: string[] | null };
};

/** Of two that are made at once the first one stays, with its secret. */
const insertWebhook = (
  tx: Tx,
  { secrets, now }: WebhookDeps,
  { token, webhookId, secret, fields }: Insert,
) => tx`
  insert into webhooks (
    account_id, webhook_id, token_id, url, format, kinds, secret, secret_hint, state, off_reason,
    position, created_at, changed_at
  ) values (
    ${token.accountId}, ${webhookId}, ${token.tokenId}, ${fields.url}, ${fields.format},
    ${fields.kinds}, ${sealSecret(secrets, webhookId, secret)}, ${hintOf(secret)}, 'off', 'unconfirmed',
    0, ${now()}, ${now()}
  ) on conflict (account_id, token_id) do nothing`;

/**
 * Switches it on, healthy and hearing of what happens from now on, or off. One that was on already goes on
 * where it was.
 */
async function setState(
  tx: Tx,
  { now }: WebhookDeps,
  row: WebhookRow,
  { token: { accountId }, offReason }: { token: TokenRef; offReason: WebhookOffReason | null },
): Promise<void> {
  const isOn = offReason === null;
  await tx`
    update webhooks w set
      state = ${isOn ? 'on' : 'off'}, off_reason = ${offReason}, notice_due = false,
      failures = 0, failing_since = null, paused_until = null, slow_until = null,
      position = case when w.state = 'off' and ${isOn} then coalesce((
        select last from event_positions p where p.account_id = w.account_id), 0) else w.position end,
      changed_at = ${now()}
    where account_id = ${accountId} and webhook_id = ${row.webhook_id}`;
  if (isOn) await tx`select hurry_webhooks(${[row.webhook_id]}::uuid[], ${now()})`;
  await tx`select schedule_webhooks(${[row.webhook_id]}::uuid[], ${now()})`;
}

/** Open pages learn of it; answers how it stands now. */
async function changed(tx: Tx, deps: WebhookDeps, token: TokenRef): Promise<Webhook> {
  const { accountId, tokenId } = token;
  await appendEvent(tx, {
    accountId,
    kind: 'webhook.changed',
    data: { token_id: publicId('token', tokenId) },
  });
  return showWebhook(tx, deps, accountId, await requireWebhook(tx, token));
}

/**
 * Switches a webhook off, or on again once its address has answered the test.
 *
 * @throws Refusal `webhook_unconfirmed`, `not_found`.
 */
export async function setWebhookOn(
  deps: WebhookDeps,
  token: TokenRef,
  on: boolean,
): Promise<Webhook> {
  const before = await asAccount(deps.sql, token.accountId, (tx) => requireWebhook(tx, token));
  if (on && before.state === 'off') {
    const test = await sendTest(deps, targetOf(deps, token, before));
    if (!test.ok) throw unconfirmed(test);
  }
  return asAccount(deps.sql, token.accountId, async (tx) => {
    const row = await requireWebhook(tx, token, { lock: true });
    // Somebody gave it another address meanwhile, which was not asked.
    const isRequested =
      row.url === before.url &&
      row.format === before.format &&
      row.verify_token === before.verify_token;
    if (row.state === (on ? 'off' : 'on') && (isRequested || !on)) {
      await setState(tx, deps, row, { token, offReason: on ? null : 'owner' });
    }
    return changed(tx, deps, token);
  });
}

/** Where a test of a stored webhook goes. */
const targetOf = (deps: WebhookDeps, token: TokenRef, row: WebhookRow): Target => {
  const { webhook_id: webhookId, url, format, phone } = row;
  const verifyToken = row.verify_token ?? verifyTokenOf(deps, webhookId);
  return { token, url, format, phone, verifyToken, secrets: secretsOf(deps, row) };
};

/** How long the secrets from before are valid. */
const ROTATION_MS = 24 * 3_600_000;

/** A new secret; those that sign now go on for another 24 hours. @throws Refusal `not_found`. */
export function rotateSecret(
  deps: WebhookDeps,
  token: TokenRef,
): Promise<{ webhook: Webhook; secret: string }> {
  const secret = makeSecret();
  return asAccount(deps.sql, token.accountId, async (tx) => {
    const row = await requireWebhook(tx, token, { lock: true });
    const now = deps.now();
    await tx`
      update webhooks set secret = ${sealSecret(deps.secrets, row.webhook_id, secret)},
        secret_hint = ${hintOf(secret)}, previous_secret = ${sealPrevious(deps, row)},
        previous_until = ${new Date(now.getTime() + ROTATION_MS)}, changed_at = ${now}
      where account_id = ${token.accountId} and webhook_id = ${row.webhook_id}`;
    return { webhook: await changed(tx, deps, token), secret };
  });
}

/** Forgets the webhook of a token; the sweep forgets its deliveries. @throws Refusal `not_found`. */
export const removeWebhook = (deps: WebhookDeps, token: TokenRef): Promise<void> =>
  asAccount(deps.sql, token.accountId, async (tx) => {
    await requireWebhook(tx, token, { lock: true });
    await forgetWebhook(tx, token);
    await appendEvent(tx, {
      accountId: token.accountId,
      kind: 'webhook.changed',
      data: { token_id: publicId('token', token.tokenId) },
    });
  });

/** A token goes, and its webhook with it. */
export async function forgetWebhook(tx: Tx, { accountId, tokenId }: TokenRef): Promise<void> {
  await tx`delete from webhooks where account_id = ${accountId} and token_id = ${tokenId}`;
}

/** Sends the test now; a success ends a pause, and what waits is sent at once. @throws Refusal `not_found`. */
export async function testWebhook(deps: WebhookDeps, token: TokenRef): Promise<WebhookTest> {
  const row = await asAccount(deps.sql, token.accountId, (tx) => requireWebhook(tx, token));
  const test = await sendTest(deps, targetOf(deps, token, row));
  if (test.ok && row.failing_since !== null) {
    await asAccount(deps.sql, token.accountId, async (tx) => {
      const now = await requireWebhook(tx, token, { lock: true });
      if (now.state === 'on') {
        await setState(tx, deps, now, { token, offReason: null });
        await changed(tx, deps, token);
      }
    });
  }
  return test;
}
