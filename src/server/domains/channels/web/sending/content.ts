import { isMediaKind } from '#contract/media.ts';
import type { MessageBody, Outgoing } from '#server/domains/channels/channels.ts';
import { networkIdOf } from '#server/domains/channels/inbound-card.ts';
import type {
  EngineContent,
  EngineMessage,
  NamedMessage,
} from '#server/domains/channels/web/engine/engine.ts';
import { wireIdOf } from './wire-id.ts';

export type ReadFile = (
  accountId: string,
  fileId: string,
) => Promise<{ bytes: Uint8Array; mime: string; name: string } | undefined>;

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0);

/** A message for the engine without `isNewChat`. @returns undefined if its file is gone */
export async function engineMessageOf(
  message: Outgoing,
  readFile: ReadFile,
): Promise<Omit<EngineMessage, 'isNewChat'> | undefined> {
  const content = await engineContentOf(message, readFile);
  if (!content) return undefined;
  const quoted = message.type === 'reaction' ? undefined : namedIn(message.body, 'reply_to');
  return {
    to: message.to,
    wireId: wireIdOf(message.messageId),
    content,
    ...(quoted && { quoted }),
  };
}

async function engineContentOf(
  message: Outgoing,
  readFile: ReadFile,
): Promise<EngineContent | undefined> {
  const { type, body } = message;
  if (isMediaKind(type)) return mediaOf(message, type, readFile);
  switch (type) {
    case 'location':
      return {
        kind: 'location',
        latitude: numberOf(body['latitude']),
        longitude: numberOf(body['longitude']),
        ...named('name', body),
        ...named('address', body),
      };
    case 'contact':
      return {
        kind: 'contact',
        name: text(body['name']) ?? text(body['phone']) ?? '',
        ...named('phone', body),
        ...(Array.isArray(body['phones']) && { phones: body['phones'].map(String) }),
        ...named('organization', body),
        ...named('email', body),
      };
    case 'reaction': {
      const to = namedIn(body, 'message_id');
      return to && { kind: 'reaction', emoji: text(body['emoji']) ?? '', to };
    }
    case 'template': {
      const above = text(body['header_file']) ?? '';
      return isMediaKind(above) ? mediaOf(message, above, readFile) : textOf(message);
    }
    case 'text':
      return textOf(message);
    case 'other':
      return undefined;
  }
}

const textOf = ({ text: secret, body }: Outgoing): EngineContent => ({
  kind: 'text',
  text: secret ?? wordsOf(body),
});

/** The text of a text or template message, in which the receiver's options are numbered already. */
const wordsOf = (body: MessageBody): string =>
  [text(body['header']), text(body['text']), text(body['footer'])]
    .filter((part) => part !== undefined)
    .join('\n\n');

const named = <Name extends string>(name: Name, body: MessageBody) => {
  const value = text(body[name]);
  return value === undefined ? {} : ({ [name]: value } as Record<Name, string>);
};

async function mediaOf(
  { accountId, type, body }: Outgoing,
  media: Extract<EngineContent, { kind: 'media' }>['media'],
  readFile: ReadFile,
): Promise<EngineContent | undefined> {
  const fileId = text(body['file']);
  const file = fileId === undefined ? undefined : await readFile(accountId, fileId);
  if (!file) return undefined;
  const { seconds } = body;
  return {
    kind: 'media',
    media,
    bytes: file.bytes,
    mime: file.mime,
    ...(type === 'template' ? { caption: wordsOf(body) } : named('caption', body)),
    ...(media === 'document' && { filename: text(body['filename']) ?? file.name }),
    ...(body['voice'] === true && { voice: true }),
    ...(typeof seconds === 'number' && { seconds }),
  };
}

function namedIn(body: MessageBody, field: 'reply_to' | 'message_id'): NamedMessage | undefined {
  const messageId = text(body[field]);
  if (messageId === undefined) return undefined;
  const { quoted } = body;
  const facts = (typeof quoted === 'object' && quoted !== null ? quoted : {}) as MessageBody;
  const providerId = text(facts['provider_id']);
  const words = text(facts['text']) ?? '';
  const isTheirs = facts['direction'] === 'in' && providerId !== undefined;
  return isTheirs
    ? { wireId: networkIdOf(providerId), fromMe: false, text: words }
    : { wireId: wireIdOf(messageId), fromMe: true, text: words };
}
