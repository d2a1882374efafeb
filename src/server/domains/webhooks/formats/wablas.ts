import { shownPeer } from '#contract/messages/peer.ts';
import { uuidOf } from '#contract/base/ids.ts';
import type { MessageStatus } from '#contract/messages.ts';
import type { WebhookEvent } from '#contract/webhooks.ts';
import {
  type EventContext,
  type Format,
  type Received,
  type Sent,
  type TestEvent,
  fileIn,
  secondsOf,
  textIn,
} from './format.ts';
import { jsonRequest } from './request.ts';
import { coordinatesOf, wordsOf } from './words.ts';

/** As Wablas tells of messages and devices (docs/dialects.md#webhooks-of-wablas). */
export const wablas: Format = {
  build: (outgoing) => {
    const { event, context } = outgoing;
    const said = saidBy(event, context);
    const { token } = event.data;
    // They write the device in two ways: the first in webhooks, the other in their API.
    const body = {
      ...said,
      deviceId: token,
      device_id: token,
      sender: shownPeer(context.phone ?? ''),
    };
    return said && jsonRequest(JSON.stringify(body), outgoing);
  },
};

/** What it says beside the device; null for an event that Wablas has no word for. */
function saidBy(event: WebhookEvent | TestEvent, { phone }: EventContext): object | null {
  switch (event.type) {
    case 'message.accepted':
    case 'message.sent':
    case 'message.delivered':
    case 'message.read':
    case 'message.failed':
      return trackingOf(event);
    case 'message.received':
      return event.data.type === 'reaction' ? null : incomingOf(event);
    case 'token.connected':
    case 'token.linked':
      return { status: 'connected', note: '' };
    case 'token.disconnected':
      return { status: 'disconnected', note: '' };
    case 'webhook.test':
      return { status: phone === null ? 'disconnected' : 'connected', note: event.type };
    default:
      return null;
  }
}

/** How far a message is, in their words; a message that failed is rejected, one that was cancelled is not. */
const trackingOf = ({ type, data: { id, peer, status, failure } }: Sent): object => ({
  id: uuidOf('message', id) ?? id,
  phone: peer,
  status: wordOf(type, status),
  note: failure?.detail ?? '',
});

function wordOf(type: Sent['type'], status: MessageStatus): string {
  switch (type) {
    case 'message.accepted':
      return 'pending';
    case 'message.sent':
      return 'sent';
    case 'message.delivered':
      return 'received';
    case 'message.read':
      return 'read';
    case 'message.failed':
      return status === 'cancelled' ? 'cancel' : 'reject';
  }
}

function incomingOf(event: Received): object {
  const { id, peer, peer_name: name, type, content } = event.data;
  return {
    id: uuidOf('message', id) ?? id,
    pushName: name ?? '',
    isGroup: false,
    message: type === 'location' ? coordinatesOf(content) : wordsOf(type, content),
    phone: peer,
    messageType: type,
    file: textIn(content, 'filename') ?? '',
    url: textIn(content, 'link') ?? '',
    mimeType: fileIn(content).mime ?? '',
    timestamp: String(secondsOf(event)),
  };
}
