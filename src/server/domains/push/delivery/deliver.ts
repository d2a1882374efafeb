import type { PushPayload } from '#contract/push.ts';
import { OutboundError } from '#server/infra/net/outbound.ts';
import type { PushDeps } from '#server/domains/push/deps.ts';
import type { Subscription } from '#server/domains/push/subscriptions/subscriptions.ts';

/**
 * The result of sending a notice. `taken`: the push service accepted it; `gone`: the subscription ended;
 * `too_large`: may fit with less content; `later`: a transient failure; `refused`: a permanent one.
 */
export type DeliveryResult = {
  outcome: 'taken' | 'gone' | 'too_large' | 'later' | 'refused';
  /** 0 when there was no answer. */
  status: number;
  /** How long the service asks us to wait. */
  waitMs?: number;
};

type DeliveryOptions = {
  /** How long the service keeps it for a browser that is away. */
  ttlSeconds: number;
  /** 32 letters at most: a newer notice of a topic replaces one that waits. */
  topic?: string;
  totalMs?: number;
  signal?: AbortSignal;
};

/** Encrypts a notice for a browser (RFC 8291) and posts it to its push service (RFC 8030, 8292). */
export async function deliver(
  { config, vapid, outbound }: Pick<PushDeps, 'config' | 'vapid' | 'outbound'>,
  { endpoint, p256dh, auth }: Subscription,
  payload: PushPayload,
  { ttlSeconds, topic, totalMs, signal }: DeliveryOptions,
): Promise<DeliveryResult> {
  // Loaded with the first notice.
  const { default: webPush } = await import('web-push');
  const authorization = await vapid.authorize(new URL(endpoint).origin, contactOf(config));
  const { headers, body } = webPush.generateRequestDetails(
    { endpoint, keys: { p256dh, auth } },
    JSON.stringify(payload),
    {
      TTL: ttlSeconds,
      urgency: 'high',
      contentEncoding: 'aes128gcm',
      ...(topic !== undefined && { topic }),
    },
  );
  try {
    const answer = await outbound.post({
      url: endpoint,
      headers: { ...namesOf(headers), authorization },
      body,
      ...(totalMs !== undefined && { totalMs }),
      ...(signal && { signal }),
    });
    return resultOf(answer.status, answer.headers['retry-after']);
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    return { outcome: error.reason === 'refused' ? 'refused' : 'later', status: 0 };
  }
}

/** The contact that push services may write to. */
const contactOf = ({ PUSH_CONTACT, PUBLIC_URL }: PushDeps['config']): string =>
  PUSH_CONTACT ?? `mailto:admin@${new URL(PUBLIC_URL ?? 'http://localhost').hostname}`;

const namesOf = (headers: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));

const WAIT_MS_MAX = 3_600_000;

/**
 * What a push service's answer means.
 *
 * @param retryAfter its `Retry-After`: seconds, or a date.
 */
export function resultOf(status: number, retryAfter?: string): DeliveryResult {
  if (status >= 200 && status < 300) return { outcome: 'taken', status };
  if (status === 404 || status === 410) return { outcome: 'gone', status };
  if (status === 413) return { outcome: 'too_large', status };
  // 401 and 403: our clock, or a problem with our key at their side; it passes, or the notice expires.
  if (status === 429 || status >= 500 || status === 401 || status === 403) {
    const waitMs = waitOf(retryAfter);
    return { outcome: 'later', status, ...(waitMs !== undefined && { waitMs }) };
  }
  return { outcome: 'refused', status };
}

function waitOf(retryAfter: string | undefined): number | undefined {
  if (retryAfter === undefined) return undefined;
  const ms = /^\d{1,6}$/.test(retryAfter.trim())
    ? Number(retryAfter) * 1_000
    : Date.parse(retryAfter) - Date.now();
  return Number.isFinite(ms) ? Math.min(Math.max(0, ms), WAIT_MS_MAX) : undefined;
}
