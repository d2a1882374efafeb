import { isHiddenPeer, storedPeer } from '#contract/messages/peer.ts';
import { createHmac } from 'node:crypto';
import {
  businessIdOf,
  numberIdOf,
  wamidOf,
  type GraphCode,
  graphCodeOf,
  titleOf,
} from '#contract/dialects.ts';
import type { WebhookEvent } from '#contract/webhooks.ts';
import { inboundMessage } from './cloud-inbound.ts';
import { type EventContext, type Format, type Sent, secondsOf } from './format.ts';
import { jsonRequest } from './request.ts';

/** In the envelope of the WhatsApp Cloud API, signed as Meta signs (docs/dialects/cloud-api.md#webhooks). */
export const cloud: Format = {
  hasHandshake: true,
  build: (outgoing) => {
    const { event, context, secrets } = outgoing;
    const envelope = event.type === 'webhook.test' ? null : envelopeOf(event, context);
    if (!envelope) return null;
    const body = inAscii(JSON.stringify(envelope));
    const [secret = ''] = secrets;
    return jsonRequest(body, outgoing, { 'x-hub-signature-256': hubSignature(body, secret) });
  },
};

/** `sha256=` and the HMAC in hex; the key is the secret as its owner sees it, letter by letter. */
const hubSignature = (body: string, secret: string): string =>
  `sha256=${createHmac('sha256', secret).update(body, 'utf8').digest('hex')}`;

/** With `\u…` in place of what is not ASCII, as Meta writes bodies: some clients check the signature of that form. */
const inAscii = (json: string): string =>
  json.replaceAll(/[^\0-~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** The event in Meta's envelope; null for one that Meta has no word for. */
function envelopeOf(event: WebhookEvent, context: EventContext): object | null {
  const said = valueOf(event, context);
  const { account, token } = event.data;
  if (!said || token === null) return null;
  const value = {
    messaging_product: 'whatsapp',
    metadata: { display_phone_number: context.phone ?? '', phone_number_id: numberIdOf(token) },
    ...said,
  };
  return {
    object: 'whatsapp_business_account',
    entry: [{ id: businessIdOf(account), changes: [{ value, field: 'messages' }] }],
  };
}

function valueOf(event: WebhookEvent, context: EventContext): object | null {
  switch (event.type) {
    case 'message.sent':
    case 'message.delivered':
    case 'message.read':
    case 'message.failed':
      return { statuses: [statusOf(event, context)] };
    case 'message.received':
    case 'message.edited':
    case 'message.revoked': {
      const message = inboundMessage(event, context);
      const { peer_name: name } = event.data;
      const peer = storedPeer(event.data.peer);
      return (
        message && {
          contacts: [
            {
              profile: { name: name ?? peer },
              ...(isHiddenPeer(peer) ? { user_id: peer } : { wa_id: peer }),
            },
          ],
          messages: [message],
        }
      );
    }
    default:
      return null;
  }
}

function statusOf(event: Sent, { metadata }: EventContext): object {
  const { id } = event.data;
  const peer = storedPeer(event.data.peer);
  const echoed = metadata['biz_opaque_callback_data'];
  return {
    id: wamidOf(id),
    status: event.type.slice('message.'.length),
    timestamp: String(secondsOf(event)),
    ...(isHiddenPeer(peer) ? { recipient_user_id: peer } : { recipient_id: peer }),
    ...(typeof echoed === 'string' && { biz_opaque_callback_data: echoed }),
    ...(event.type === 'message.failed' && { errors: [errorOf(event)] }),
  };
}

/** Why it failed; of one that was cancelled, or was too late to be sent, what became of it. */
function errorOf({ data: { failure, status } }: Sent): object {
  const code: GraphCode = failure ? graphCodeOf[failure.code] : 131_000;
  const title = titleOf(code);
  return { code, title, message: title, error_data: { details: failure?.detail ?? status } };
}
