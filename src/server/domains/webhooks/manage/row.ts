import { publicId } from '#contract/base/ids.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { EventType } from '#contract/webhooks/events.ts';
import type { Webhook, WebhookFormat, WebhookOffReason } from '#contract/webhooks/webhook.ts';
import type { Tx } from '#server/infra/postgres/database.ts';
import type { TokenRef } from '#server/domains/webhooks/api.ts';
import type { WebhookDeps } from '#server/domains/webhooks/deps.ts';
import { verifyTokenOf } from '#server/domains/webhooks/signature.ts';

/** A webhook as it is stored. */
export type WebhookRow = {
  webhook_id: string;
  token_id: string;
  url: string;
  /** The number that its token is linked to. */
  phone: string | null;
  format: WebhookFormat;
  kinds: EventType[] | null;
  /** Chosen by its owner. */
  verify_token: string | null;
  secret: Buffer;
  secret_hint: string;
  previous_secret: Buffer | null;
  previous_until: Date | null;
  state: 'on' | 'off';
  off_reason: WebhookOffReason | null;
  failing_since: Date | null;
  paused_until: Date | null;
  created_at: Date;
  changed_at: Date;
};

/** Deliveries that wait are counted no further. */
const PENDING_MAX = 10_000;

/** The webhook of a token; undefined where it has none. With `lock`, nobody changes it until the transaction ends. */
export async function findWebhook(
  tx: Tx,
  { accountId, tokenId }: TokenRef,
  { lock = false } = {},
): Promise<WebhookRow | undefined> {
  const [row] = await tx<WebhookRow[]>`
    select w.webhook_id, w.token_id, w.url, w.format, w.kinds, w.verify_token, w.secret, w.secret_hint, w.previous_secret,
      w.previous_until, w.state, w.off_reason, w.failing_since, w.paused_until, w.created_at, w.changed_at,
      t.phone
    from webhooks w join tokens t on t.account_id = w.account_id and t.token_id = w.token_id
    where w.account_id = ${accountId} and w.token_id = ${tokenId}
    ${lock ? tx`for update of w` : tx``}`;
  return row;
}

/** @throws Refusal `not_found` where the token has no webhook. */
export async function requireWebhook(
  tx: Tx,
  token: TokenRef,
  options: { lock?: boolean } = {},
): Promise<WebhookRow> {
  const row = await findWebhook(tx, token, options);
  if (!row) throw new Refusal('not_found', { what: 'Webhook' });
  return row;
}

/** A webhook as its owner sees it. */
export async function showWebhook(
  tx: Tx,
  deps: Pick<WebhookDeps, 'secrets' | 'now'>,
  accountId: string,
  row: WebhookRow,
): Promise<Webhook> {
  const now = deps.now();
  const [counted] = await tx<{ pending: number }[]>`
    select count(*) as pending from (
      select from webhook_deliveries
      where account_id = ${accountId} and webhook_id = ${row.webhook_id} and state = 'waiting'
      limit ${PENDING_MAX}
    ) waiting`;
  return {
    token_id: publicId('token', row.token_id),
    url: row.url,
    format: row.format,
    kinds: row.kinds,
    state: row.state,
    off_reason: row.off_reason,
    secret_hint: row.secret_hint,
    verify_token: row.verify_token ?? verifyTokenOf(deps, row.webhook_id),
    previous_secret_until: later(row.previous_until, now),
    failing_since: row.failing_since,
    paused_until: later(row.paused_until, now),
    pending: counted?.pending ?? 0,
    created_at: row.created_at,
    changed_at: row.changed_at,
  };
}

const later = (at: Date | null, now: Date): Date | null => (at && at > now ? at : null);
