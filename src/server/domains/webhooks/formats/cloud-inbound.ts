import { isHiddenPeer, storedPeer } from '#contract/messages/peer.ts';
import { wamidOf, type GraphCode, titleOf } from '#contract/dialects.ts';
import type { ChosenOption } from '#contract/messages/captions.ts';
import { type EventContext, type Received, fileIn, secondsOf, textIn } from './format.ts';

type Content = Received['data']['content'];

/**
 * A message that came in, as Meta tells of it. Null for a reaction to a message that is not known: it would
 * say nothing.
 */
export function inboundMessage(event: Received, context: EventContext): object | null {
  const { id, reply_to: replyTo, content } = event.data;
  const peer = storedPeer(event.data.peer);
  const about = content.choice?.of ?? replyTo;
  const said = typedContentOf(event);
  if (!said) return null;
  const [type, object] = said;
  return {
    ...(isHiddenPeer(peer) ? { from_user_id: peer } : { from: peer }),
    // A change has an id of its own, so that clients do not take it for the message that they know.
    id: event.type === 'message.received' ? wamidOf(id) : `${wamidOf(id)}.${event.data.seq}`,
    timestamp: String(secondsOf(event)),
    type,
    ...(type === 'unsupported' ? object : { [type]: object }),
    ...(about !== null && {
      context: { from: authorOf(content, event, context), id: wamidOf(about) },
    }),
  };
}

/** Who wrote the message that is quoted. */
function authorOf(
  { quoted, choice }: Content,
  { data: { peer } }: Received,
  { phone }: EventContext,
) {
  const isQuoted = (quoted as { direction?: unknown } | undefined)?.direction === 'out';
  const isOurs = choice !== undefined || isQuoted;
  return isOurs ? (phone ?? '') : storedPeer(peer);
}

/** The type and the object of that name. An edit and a deletion name the message that they are about. */
function typedContentOf({ type: event, data }: Received): [string, object] | null {
  const about = { original_message_id: wamidOf(data.id) };
  if (event === 'message.revoked') return ['revoke', about];
  const content = contentOf(data);
  if (event === 'message.received' || !content) return content;
  const [type, object] = content;
  return ['edit', { ...about, message: { type, [type]: object } }];
}

function contentOf({ type, content }: Received['data']): [string, object] | null {
  switch (type) {
    case 'text':
      return content.choice
        ? chosen(content.choice)
        : ['text', { body: textIn(content, 'text') ?? '' }];
    case 'location':
      return ['location', placeOf(content)];
    case 'contact':
      return ['contacts', [cardOf(content)]];
    case 'reaction': {
      const about = textIn(content, 'message_id');
      // Taking one back is an empty one: all clients read that, and one takes a missing emoji for a new one.
      const emoji = textIn(content, 'emoji') ?? '';
      return about === undefined ? null : ['reaction', { message_id: wamidOf(about), emoji }];
    }
    case 'template':
      return ['unsupported', { errors: [errorOf(131_051)] }];
    case 'other':
      return ['unsupported', { errors: [errorOf(131_051, textIn(content, 'text'))] }];
    case 'image':
    case 'video':
    case 'audio':
    case 'document':
    case 'sticker': {
      const file = fileOf(type, content);
      return file ? [type, file] : ['unsupported', { errors: [errorOf(131_052)] }];
    }
  }
}

/** A text that chooses an option, as if its button had been tapped. */
function chosen({ type, id, title, description }: ChosenOption): [string, object] {
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

const errorOf = (code: GraphCode, details?: string) => ({
  code,
  title: titleOf(code),
  message: titleOf(code),
  ...(details !== undefined && { error_data: { details } }),
});

/** Its id is good for `GET /{media-id}`; undefined where the file is gone. */
function fileOf(type: string, content: Content): object | undefined {
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

function placeOf(content: Content): object {
  const name = textIn(content, 'name');
  const address = textIn(content, 'address');
  return {
    latitude: content['latitude'],
    longitude: content['longitude'],
    ...(name !== undefined && { name }),
    ...(address !== undefined && { address }),
  };
}

function cardOf(content: Content): object {
  const several = Array.isArray(content['phones']) ? content['phones'] : [content['phone']];
  const phones = several.filter((phone) => typeof phone === 'string' && phone !== '');
  const company = textIn(content, 'organization');
  const email = textIn(content, 'email');
  // Meta's is never empty.
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
