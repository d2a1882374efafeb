import { publicId } from '#contract/base/ids.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { TEST_EVENT } from '#contract/webhooks/events.ts';
import type { WebhookFormat, WebhookTest } from '#contract/webhooks/webhook.ts';
import { newId } from '#server/infra/ids.ts';
import { OutboundError } from '#server/infra/net/outbound.ts';
import type { TokenRef } from '#server/domains/webhooks/api.ts';
import { isTaken, post, withAgent } from '#server/domains/webhooks/delivery/post.ts';
import type { WebhookDeps } from '#server/domains/webhooks/deps.ts';
import type { Format } from '#server/domains/webhooks/formats/format.ts';
import { formatOf } from '#server/domains/webhooks/formats/formats.ts';

/** Where a test goes, and how it is signed. */
export type Target = {
  token: TokenRef;
  url: string;
  format: WebhookFormat;
  secrets: readonly string[];
};

/** @throws Refusal `input_invalid` for a format that cannot be had yet. */
export function requireFormat(name: WebhookFormat): Format {
  const format = formatOf(name);
  if (format) return format;
  const sentence = 'Format ini belum tersedia. Pilih kabari.';
  throw new Refusal('input_invalid', { fields: { format: sentence } });
}

/** @throws Refusal `input_invalid` for an address that may not be asked, as far as its words say. */
export function checkUrl({ outbound }: Pick<WebhookDeps, 'outbound'>, url: string): void {
  try {
    outbound.check(url);
  } catch (error) {
    if (error instanceof OutboundError) throw addressRefused();
    throw error;
  }
}

const addressRefused = () =>
  new Refusal('input_invalid', {
    fields: {
      url: 'Alamat ini tidak dapat dipakai: isi alamat https umum, pada port 443, 80, atau 8443, tanpa kata sandi di dalamnya.',
    },
  });

/** Sends `webhook.test` now, and says what came of it. */
export async function sendTest(deps: WebhookDeps, target: Target): Promise<WebhookTest> {
  const { token, url, format, secrets } = target;
  const at = deps.now();
  const request = requireFormat(format).build({
    id: publicId('delivery', newId(at.getTime())),
    at,
    secrets,
    event: {
      type: TEST_EVENT,
      timestamp: at.toISOString(),
      data: {
        account: publicId('account', token.accountId),
        token: publicId('token', token.tokenId),
        message: 'Uji coba webhook dari Kabari.',
      },
    },
  });
  if (!request) throw new Error(`the format ${format} has no test`);
  const result = await post(deps, { url, headers: withAgent(request.headers), body: request.body });
  const { status, error, ms, answer } = result;
  const why = error === 'interrupted' ? 'unreachable' : error;
  return { ok: isTaken(result), status, error: why, ms, answer };
}

/** Why a test confirmed nothing. */
export function unconfirmed({ status, error }: WebhookTest): Refusal {
  if (error === 'refused') return addressRefused();
  const isRedirect = status !== null && status >= 300 && status < 400;
  return new Refusal('webhook_unconfirmed', {
    status,
    why: error ?? (isRedirect ? 'redirect' : 'status'),
  });
}
