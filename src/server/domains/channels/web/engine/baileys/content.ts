import type { AnyMessageContent, WAMessage } from 'baileys';
import type {
  EngineContent,
  EngineMessage,
  NamedMessage,
} from '#server/domains/channels/web/engine/engine.ts';
import { addressOf } from './addresses.ts';

/** A message's content in the library's words. */
export function baileysContent({ to, content }: EngineMessage): AnyMessageContent {
  switch (content.kind) {
    case 'text':
      return { text: content.text };
    case 'location':
      return {
        location: {
          degreesLatitude: content.latitude,
          degreesLongitude: content.longitude,
          ...(content.name !== undefined && { name: content.name }),
          ...(content.address !== undefined && { address: content.address }),
        },
      };
    case 'contact':
      return {
        contacts: {
          displayName: content.name,
          contacts: [{ displayName: content.name, vcard: vcardOf(content) }],
        },
      };
    case 'reaction': {
      const { wireId: id, fromMe } = content.to;
      return { react: { text: content.emoji, key: { remoteJid: addressOf(to), id, fromMe } } };
    }
    case 'media':
      return mediaContent(content);
  }
}

type Media = Extract<EngineContent, { kind: 'media' }>;

function mediaContent({
  media,
  bytes,
  mime,
  caption,
  filename,
  voice,
  seconds,
}: Media): AnyMessageContent {
  const file = Buffer.from(bytes);
  const words = caption === undefined ? {} : { caption };
  switch (media) {
    case 'image':
      return { image: file, mimetype: mime, ...words };
    case 'video':
      return { video: file, mimetype: mime, ...words };
    case 'audio':
      return {
        audio: file,
        mimetype: voice ? 'audio/ogg; codecs=opus' : mime,
        ptt: voice === true,
        ...(seconds !== undefined && { seconds: Math.round(seconds) }),
      };
    case 'document':
      return { document: file, mimetype: mime, fileName: filename ?? 'dokumen', ...words };
    case 'sticker':
      return { sticker: file, mimetype: mime };
  }
}

/** The quoted message, as far as an answer shows it. */
export const quotedOf = (to: string, { wireId, fromMe, text }: NamedMessage): WAMessage => ({
  key: { remoteJid: addressOf(to), id: wireId, fromMe },
  message: { conversation: text },
});

const escaped = (words: string): string =>
  words.replace(/[\\,;]/g, '\\$&').replace(/[\r\n]+/g, ' ');

type Card = Extract<EngineContent, { kind: 'contact' }>;

const vcardOf = ({ name, phone, phones, organization, email }: Card): string =>
  [
    'BEGIN:VCARD',
    'VERSION:3.0',
    `FN:${escaped(name)}`,
    ...(organization === undefined ? [] : [`ORG:${escaped(organization)};`]),
    ...(phones ?? (phone === undefined ? [] : [phone])).map(
      (digits) => `TEL;type=CELL;type=VOICE;waid=${digits}:+${digits}`,
    ),
    ...(email === undefined ? [] : [`EMAIL:${escaped(email)}`]),
    'END:VCARD',
  ].join('\n');
