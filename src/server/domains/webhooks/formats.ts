import type { TEST_EVENT, WebhookEvent, WebhookFormat } from '#contract/webhooks.ts';
import type { MessageType, MessageStatus } from '#contract/messages.ts';
import { standardHeaders } from '#server/domains/webhooks/signature.ts';
import { shownPeer, isHiddenPeer, storedPeer } from '#contract/messages/peer.ts';
import { uuidOf } from '#contract/base/ids.ts';
import { createHmac } from 'node:crypto';
import {
  businessIdOf,
  numberIdOf,
  wamidOf,
  type GraphCode,
  graphCodeOf,
  titleOf,
} from '#contract/dialects.ts';
import type { SelectedOption } from '#contract/messages/captions.ts';

export type TestEvent = {
  type: typeof TEST_EVENT;
  timestamp: string;
  data: { account: string; token: string; message: string };
};

export type EventContext = {
  /** The token's number; null while no phone is linked. */
  phone: string | null;
  /** The caller's own key-value pairs of a sent message. */
  metadata: Readonly<Record<string, unknown>>;
};

export type Outgoing = {
  /** The same for every try of an event. */
  id: string;
  /** Time of this try. */
  at: Date;
  event: WebhookEvent | TestEvent;
  context: EventContext;
  /** The signing secrets: the current one, and during a rotation the previous ones. */
  secrets: readonly string[];
};

export type Format = {
  /** The exact body, in ASCII or UTF-8; null for an event that this format does not support. */
  build: (outgoing: Outgoing) => { headers: Record<string, string>; body: string } | null;
  /** True where the Cloud API's handshake, not a test event, confirms an address. */
  hasHandshake?: true;
};

/** An event of an incoming message, or of its edit or deletion by the sender. */
export type Received = Extract<
  WebhookEvent,
  { type: 'message.received' | 'message.edited' | 'message.revoked' }
>;

export type Sent = Extract<
  WebhookEvent,
  {
    type:
      | 'message.accepted'
      | 'message.sent'
      | 'message.delivered'
      | 'message.read'
      | 'message.failed';
  }
>;

/** A text field of a message's content. */
export const textIn = (content: Readonly<Record<string, unknown>>, field: string) => {
  const value = content[field];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

/** The file of a message's content; unknown fields are undefined. */
export function fileIn({ file }: Readonly<Record<string, unknown>>) {
  const known = typeof file === 'object' && file !== null ? { ...file } : {};
  return {
    /** As `med_…`, for reading the file through the API. */
    id: textIn(known, 'id'),
    mime: textIn(known, 'mime_type'),
    sha256: textIn(known, 'sha256'),
  };
}

/** An event's time in whole seconds since 1970. */
export const secondsOf = ({ timestamp }: { timestamp: string }): number =>
  Math.floor(Date.parse(timestamp) / 1_000);

/** `latitude,longitude`, as the other gateways write a location. */
export const coordinatesOf = ({ latitude, longitude }: Readonly<Record<string, unknown>>): string =>
  `${Number(latitude)},${Number(longitude)}`;

/** The text of an incoming message; empty for a file without a caption. */
export function wordsOf(type: MessageType, content: Readonly<Record<string, unknown>>): string {
  const some = (...fields: string[]) =>
    fields.flatMap((field) => textIn(content, field) ?? []).join('\n');
  switch (type) {
    case 'text':
    case 'other':
      return some('text');
    case 'location':
      return some('name', 'address');
    case 'contact':
      return contactWords(content);
    case 'image':
    case 'video':
    case 'audio':
    case 'document':
    case 'sticker':
    case 'template':
    case 'reaction':
      return some('caption');
  }
}

function contactWords(card: Readonly<Record<string, unknown>>): string {
  const phones = Array.isArray(card['phones']) ? card['phones'] : [card['phone']];
  return [card['name'], ...phones, card['organization'], card['email']]
    .filter((fact) => typeof fact === 'string' && fact !== '')
    .join('\n');
}

/** Adds the Standard Webhooks headers, which every format carries for repeats and signatures. */
export const jsonRequest = (
  body: string,
  { id, at, secrets }: Pick<Outgoing, 'id' | 'at' | 'secrets'>,
  headers: Record<string, string> = {},
): { headers: Record<string, string>; body: string } => ({
  headers: {
    'content-type': 'application/json',
    ...headers,
    ...standardHeaders({ id, at, body, secrets }),
  },
  body,
});

/** Kabari's format: the event as in the feed, signed by Standard Webhooks. */
export const kabari: Format = {
  build: (outgoing) => jsonRequest(JSON.stringify(outgoing.event), outgoing),
};

/** Fonnte's format (docs/dialects.md#webhooks-of-fonnte); each body carries the secret. */
export const fonnte: Format = {
  build: (outgoing) => {
    const { event, context, secrets } = outgoing;
    const fields = fonnteBody(event, context);
    const [secret] = secrets;
    const body = { device: shownPeer(context.phone ?? ''), ...fields, secret };
    return fields && jsonRequest(JSON.stringify(body), outgoing);
  },
};

/** Null for an event that Fonnte does not support. */
function fonnteBody(event: WebhookEvent | TestEvent, { phone }: EventContext): object | null {
  switch (event.type) {
    case 'message.sent':
    case 'message.delivered':
    case 'message.read':
    case 'message.failed':
      return fonnteStatus(event);
    case 'message.received':
      return event.data.type === 'reaction' ? null : fonnteMessage(event);
    case 'token.connected':
    case 'token.linked':
      return fonnteDevice(event, 'connect');
    case 'token.disconnected':
      return {
        ...fonnteDevice(event, 'disconnect'),
        ...(event.data.phone !== null && { device: event.data.phone }),
      };
    case 'webhook.test':
      return {
        ...fonnteDevice(event, phone === null ? 'disconnect' : 'connect'),
        reason: event.type,
      };
    default:
      return null;
  }
}

const fonnteDevice = (event: { timestamp: string }, status: 'connect' | 'disconnect') => ({
  status,
  timestamp: secondsOf(event),
  reason: '',
});

/** All four fields always: receivers read only `id` at first, and only `stateid` later. */
function fonnteStatus({ type, data: { id, status, failure } }: Sent): object {
  const state = type.slice('message.'.length);
  if (type !== 'message.failed') return { id, stateid: id, status: 'sent', state };
  return { id, stateid: id, status: fonnteFailure(status, failure?.code), state };
}

function fonnteFailure(status: string, failure: string | undefined): string {
  if (status === 'expired' || status === 'cancelled') return 'expired';
  return failure === 'media_unreachable' ? 'url unreachable' : 'invalid';
}

/** Every field is present, empty without a value: Fonnte's receivers read them unchecked. */
function fonnteMessage(event: Received): object {
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

/** Without the dot: from the file's name, else the second half of its MIME type. */
const extensionOf = (filename: string | undefined, mime: string | undefined): string | undefined =>
  /\.([A-Za-z0-9]{1,8})$/.exec(filename ?? '')?.[1]?.toLowerCase() ??
  /^[a-z]+\/([a-z0-9]{1,8})\b/.exec(mime ?? '')?.[1];

/** Wablas's format (docs/dialects.md#webhooks-of-wablas). */
export const wablas: Format = {
  build: (outgoing) => {
    const { event, context } = outgoing;
    const fields = wablasBody(event, context);
    const { token } = event.data;
    // Wablas has two names for the device: the first in webhooks, the other in its API.
    const body = {
      ...fields,
      deviceId: token,
      device_id: token,
      sender: shownPeer(context.phone ?? ''),
    };
    return fields && jsonRequest(JSON.stringify(body), outgoing);
  },
};

/** Null for an event that Wablas does not support. */
function wablasBody(event: WebhookEvent | TestEvent, { phone }: EventContext): object | null {
  switch (event.type) {
    case 'message.accepted':
    case 'message.sent':
    case 'message.delivered':
    case 'message.read':
    case 'message.failed':
      return wablasTracking(event);
    case 'message.received':
      return event.data.type === 'reaction' ? null : wablasMessage(event);
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

/** The status in Wablas's words; a failed message is rejected, a cancelled one is not. */
const wablasTracking = ({ type, data: { id, peer, status, failure } }: Sent): object => ({
  id: uuidOf('message', id) ?? id,
  phone: peer,
  status: wablasStatus(type, status),
  note: failure?.detail ?? '',
});

function wablasStatus(type: Sent['type'], status: MessageStatus): string {
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

function wablasMessage(event: Received): object {
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

/** Meta's envelope and signature (docs/dialects/cloud-api.md#webhooks). */
export const cloud: Format = {
  hasHandshake: true,
  build: (outgoing) => {
    const { event, context, secrets } = outgoing;
    const envelope = event.type === 'webhook.test' ? null : cloudBody(event, context);
    if (!envelope) return null;
    const body = inAscii(JSON.stringify(envelope));
    const [secret = ''] = secrets;
    return jsonRequest(body, outgoing, { 'x-hub-signature-256': hubSignature(body, secret) });
  },
};

/** `sha256=` and the HMAC in hex; the key is the secret exactly as its owner sees it. */
const hubSignature = (body: string, secret: string): string =>
  `sha256=${createHmac('sha256', secret).update(body, 'utf8').digest('hex')}`;

/** Escapes non-ASCII characters as Meta does: some clients check the signature of that form. */
const inAscii = (json: string): string =>
  json.replaceAll(/[^\0-~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Null for an event that Meta does not support. */
function cloudBody(event: WebhookEvent, context: EventContext): object | null {
  const fields = cloudValue(event, context);
  const { account, token } = event.data;
  if (!fields || token === null) return null;
  const value = {
    messaging_product: 'whatsapp',
    metadata: { display_phone_number: context.phone ?? '', phone_number_id: numberIdOf(token) },
    ...fields,
  };
  return {
    object: 'whatsapp_business_account',
    entry: [{ id: businessIdOf(account), changes: [{ value, field: 'messages' }] }],
  };
}

function cloudValue(event: WebhookEvent, context: EventContext): object | null {
  switch (event.type) {
    case 'message.sent':
    case 'message.delivered':
    case 'message.read':
    case 'message.failed':
      return { statuses: [cloudStatus(event, context)] };
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

function cloudStatus(event: Sent, { metadata }: EventContext): object {
  const { id } = event.data;
  const peer = storedPeer(event.data.peer);
  const echoed = metadata['biz_opaque_callback_data'];
  return {
    id: wamidOf(id),
    status: event.type.slice('message.'.length),
    timestamp: String(secondsOf(event)),
    ...(isHiddenPeer(peer) ? { recipient_user_id: peer } : { recipient_id: peer }),
    ...(typeof echoed === 'string' && { biz_opaque_callback_data: echoed }),
    ...(event.type === 'message.failed' && { errors: [cloudFailure(event)] }),
  };
}

function cloudFailure({ data: { failure, status } }: Sent): object {
  const code: GraphCode = failure ? graphCodeOf[failure.code] : 131_000;
  const title = titleOf(code);
  return { code, title, message: title, error_data: { details: failure?.detail ?? status } };
}

type Content = Received['data']['content'];

/** Null for a reaction to an unknown message, which would carry no information. */
function inboundMessage(event: Received, context: EventContext): object | null {
  const { id, reply_to: replyTo, content } = event.data;
  const peer = storedPeer(event.data.peer);
  const about = content.choice?.of ?? replyTo;
  const typed = typedContentOf(event);
  if (!typed) return null;
  const [type, object] = typed;
  return {
    ...(isHiddenPeer(peer) ? { from_user_id: peer } : { from: peer }),
    // A change has its own id, so that clients do not mistake it for the original message.
    id: event.type === 'message.received' ? wamidOf(id) : `${wamidOf(id)}.${event.data.seq}`,
    timestamp: String(secondsOf(event)),
    type,
    ...(type === 'unsupported' ? object : { [type]: object }),
    ...(about !== null && {
      context: { from: cloudSender(content, event, context), id: wamidOf(about) },
    }),
  };
}

function cloudSender(
  { quoted, choice }: Content,
  { data: { peer } }: Received,
  { phone }: EventContext,
) {
  const isQuoted = (quoted as { direction?: unknown } | undefined)?.direction === 'out';
  const isOurs = choice !== undefined || isQuoted;
  return isOurs ? (phone ?? '') : storedPeer(peer);
}

function typedContentOf({ type: event, data }: Received): [string, object] | null {
  const about = { original_message_id: wamidOf(data.id) };
  if (event === 'message.revoked') return ['revoke', about];
  const content = cloudContentOf(data);
  if (event === 'message.received' || !content) return content;
  const [type, object] = content;
  return ['edit', { ...about, message: { type, [type]: object } }];
}

function cloudContentOf({ type, content }: Received['data']): [string, object] | null {
  switch (type) {
    case 'text':
      return content.choice
        ? selectedOption(content.choice)
        : ['text', { body: textIn(content, 'text') ?? '' }];
    case 'location':
      return ['location', cloudLocation(content)];
    case 'contact':
      return ['contacts', [cloudContact(content)]];
    case 'reaction': {
      const about = textIn(content, 'message_id');
      // An empty emoji removes the reaction: all clients accept that, and one reads a missing emoji as a new
      // reaction.
      const emoji = textIn(content, 'emoji') ?? '';
      return about === undefined ? null : ['reaction', { message_id: wamidOf(about), emoji }];
    }
    case 'template':
      return ['unsupported', { errors: [cloudError(131_051)] }];
    case 'other':
      return ['unsupported', { errors: [cloudError(131_051, textIn(content, 'text'))] }];
    case 'image':
    case 'video':
    case 'audio':
    case 'document':
    case 'sticker': {
      const file = cloudFile(type, content);
      return file ? [type, file] : ['unsupported', { errors: [cloudError(131_052)] }];
    }
  }
}

function selectedOption({ type, id, title, description }: SelectedOption): [string, object] {
  switch (type) {
    case 'button':
      return ['interactive', { type: 'button_reply', button_reply: { id, title } }];
    case 'list': {
      const row = { id, title, ...(description !== undefined && { description }) };
      return ['interactive', { type: 'list_reply', list_reply: row }];
    }
    case 'template':
      return ['button', { payload: id, text: title }];
  }
}

const cloudError = (code: GraphCode, details?: string) => ({
  code,
  title: titleOf(code),
  message: titleOf(code),
  ...(details !== undefined && { error_data: { details } }),
});

/** Its id works with `GET /{media-id}`; undefined where the file is gone. */
function cloudFile(type: string, content: Content): object | undefined {
  const { id, mime, sha256 } = fileIn(content);
  if (id === undefined) return undefined;
  const caption = textIn(content, 'caption');
  const filename = textIn(content, 'filename');
  return {
    ...(caption !== undefined && { caption }),
    ...(type === 'document' && { filename: filename ?? 'berkas' }),
    mime_type: mime ?? 'application/octet-stream',
    ...(sha256 !== undefined && { sha256 }),
    id,
    ...(type === 'audio' && { voice: content['voice'] === true }),
    ...(type === 'sticker' && { animated: content['animated'] === true }),
  };
}

function cloudLocation(content: Content): object {
  const name = textIn(content, 'name');
  const address = textIn(content, 'address');
  return {
    latitude: content['latitude'],
    longitude: content['longitude'],
    ...(name !== undefined && { name }),
    ...(address !== undefined && { address }),
  };
}

function cloudContact(content: Content): object {
  const several = Array.isArray(content['phones']) ? content['phones'] : [content['phone']];
  const phones = several.filter((phone) => typeof phone === 'string' && phone !== '');
  const company = textIn(content, 'organization');
  const email = textIn(content, 'email');
  // Meta's name is never empty.
  const name = textIn(content, 'name') ?? company ?? phones[0] ?? email ?? 'Kontak';
  return {
    name: { formatted_name: name, first_name: name },
    phones: phones.map(storedPeer).map((phone) => ({
      phone: `+${phone}`,
      wa_id: phone,
      type: 'CELL',
    })),
    ...(company !== undefined && { org: { company } }),
    ...(email !== undefined && { emails: [{ email, type: 'WORK' }] }),
  };
}

export const formats: Readonly<Record<WebhookFormat, Format>> = { kabari, cloud, fonnte, wablas };
