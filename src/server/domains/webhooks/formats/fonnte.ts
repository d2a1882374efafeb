import { shownPeer } from '#contract/messages/peer.ts';
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

/** As Fonnte tells of messages and devices (docs/dialects.md#webhooks-of-fonnte); the secret is a field of each body. */
export const fonnte: Format = {
  build: (outgoing) => {
    const { event, context, secrets } = outgoing;
    const said = saidBy(event, context);
    const [secret] = secrets;
    const body = { device: shownPeer(context.phone ?? ''), ...said, secret };
    return said && jsonRequest(JSON.stringify(body), outgoing);
  },
};

/** What it says beside the device and the secret; null for an event that Fonnte has no word for. */
function saidBy(event: WebhookEvent | TestEvent, { phone }: EventContext): object | null {
  switch (event.type) {
    case 'message.sent':
    case 'message.delivered':
    case 'message.read':
    case 'message.failed':
      return statusOf(event);
    case 'message.received':
      return event.data.type === 'reaction' ? null : replyOf(event);
    case 'token.connected':
    case 'token.linked':
      return deviceOf(event, 'connect');
    case 'token.disconnected':
      return {
        ...deviceOf(event, 'disconnect'),
        ...(event.data.phone !== null && { device: event.data.phone }),
      };
    case 'webhook.test':
      return { ...deviceOf(event, phone === null ? 'disconnect' : 'connect'), reason: event.type };
    default:
      return null;
  }
}

const deviceOf = (event: { timestamp: string }, status: 'connect' | 'disconnect') => ({
  status,
  timestamp: secondsOf(event),
  reason: '',
});

/** All four always: their own receivers take `id` alone for a first word, and `stateid` alone for a later one. */
function statusOf({ type, data: { id, status, failure } }: Sent): object {
  const state = type.slice('message.'.length);
  if (type !== 'message.failed') return { id, stateid: id, status: 'sent', state };
  return { id, stateid: id, status: failedAs(status, failure?.code), state };
}

function failedAs(status: string, failure: string | undefined): string {
  if (status === 'expired' || status === 'cancelled') return 'expired';
  return failure === 'media_unreachable' ? 'url unreachable' : 'invalid';
}

/** Each field always, empty where there is nothing: their receivers read them without asking. */
function replyOf(event: Received): object {
  const { id, peer, peer_name: name, type, content } = event.data;
  const filename = textIn(content, 'filename');
  const { mime } = fileIn(content);
  return {
    sender: peer,
    message: wordsOf(type, content),
    text: '',
    member: '',
    name: name ?? '',
    location: type === 'location' ? coordinatesOf(content) : '',
    pollname: '',
    choices: '',
    timestamp: secondsOf(event),
    inboxid: id,
    url: textIn(content, 'link') ?? '',
    filename: filename ?? '',
    extension: extensionOf(filename, mime) ?? '',
  };
}

/** Without the dot: of the file's name, else the second half of its MIME type. */
const extensionOf = (filename: string | undefined, mime: string | undefined): string | undefined =>
  /\.([A-Za-z0-9]{1,8})$/.exec(filename ?? '')?.[1]?.toLowerCase() ??
  /^[a-z]+\/([a-z0-9]{1,8})\b/.exec(mime ?? '')?.[1];
