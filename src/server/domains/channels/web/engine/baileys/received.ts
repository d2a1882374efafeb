import { type WAMessage, normalizeMessageContent, proto } from 'baileys';
import type {
  ReceivedContent,
  ReceivedMessage,
} from '#server/domains/channels/web/engine/engine.ts';
import type { MediaKind } from '#contract/media/kinds.ts';
import { isPerson, lidIn, phoneIn } from './addresses.ts';

/**
 * A message of the library as ours; undefined for what is no message of a chat of two: groups, notices of the
 * protocol, what could not be decrypted (the library asks for it again by itself).
 *
 * @param phoneOfLid the number of an anonymous address, as far as the library knows it.
 */
export async function receivedFrom(
  message: WAMessage,
  phoneOfLid: (lid: string) => Promise<string | undefined>,
): Promise<ReceivedMessage | undefined> {
  const { key, pushName, messageTimestamp } = message;
  const content = normalizeMessageContent(message.message);
  if (!key.id || !content || !isPerson(key.remoteJid)) return undefined;
  const read = contentOf(content);
  if (!read) return undefined;
  const lid = lidIn(key.remoteJid) ?? lidIn(key.remoteJidAlt);
  const phone =
    phoneIn(key.remoteJid) ?? phoneIn(key.remoteJidAlt) ?? (lid && (await phoneOfLid(lid)));
  const fromMe = key.fromMe === true;
  return {
    wireId: key.id,
    ...(phone && { phone }),
    ...(lid && { lid }),
    fromMe,
    ...(pushName && !fromMe && { name: pushName }),
    atMs: Number(messageTimestamp ?? Date.now() / 1_000) * 1_000,
    content: read.content,
    ...(read.quotes && { quotes: read.quotes }),
  };
}

type Read = { content: ReceivedContent; quotes?: string | null | undefined };

function contentOf(message: proto.IMessage): Read | undefined {
  const text = textOf(message);
  if (text) return { content: { kind: 'text', text: text.text }, quotes: text.quotes };
  const { locationMessage: location, contactMessage: contact, reactionMessage: reaction } = message;
  if (location) {
    const { degreesLatitude: latitude, degreesLongitude: longitude, name, address } = location;
    return {
      content: {
        kind: 'location',
        latitude: latitude ?? 0,
        longitude: longitude ?? 0,
        ...(name && { name }),
        ...(address && { address }),
      },
      quotes: location.contextInfo?.stanzaId,
    };
  }
  if (contact) {
    const phone = /waid=(\d+)/.exec(contact.vcard ?? '')?.[1] ?? '';
    const organization = organizationIn(contact.vcard ?? '');
    return {
      content: {
        kind: 'contact',
        name: contact.displayName ?? phone,
        phone,
        ...(organization !== '' && { organization }),
      },
      quotes: contact.contextInfo?.stanzaId,
    };
  }
  if (reaction) {
    // Taken back: there is nothing to show of it.
    if (!reaction.text) return undefined;
    return { content: { kind: 'reaction', emoji: reaction.text }, quotes: reaction.key?.id };
  }
  return mediaOf(message);
}

/** Where somebody works, of a vCard: the first part of `ORG`, which departments follow. */
function organizationIn(vcard: string): string {
  const line =
    /^(?:[\w-]+\.)?ORG(?:;[^:\r\n]*)?:(?<said>.*)$/im.exec(vcard)?.groups?.['said'] ?? '';
  const [first = ''] = line.split(/(?<!\\);/);
  return first.replace(/\\([\\,;])/g, '$1').trim();
}

function textOf(
  message: proto.IMessage,
): { text: string; quotes?: string | null | undefined } | undefined {
  const { conversation, extendedTextMessage: extended } = message;
  if (conversation) return { text: conversation };
  if (extended?.text) return { text: extended.text, quotes: extended.contextInfo?.stanzaId };
  const { buttonsResponseMessage: button, listResponseMessage: list } = message;
  if (button?.selectedDisplayText) {
    return { text: button.selectedDisplayText, quotes: button.contextInfo?.stanzaId };
  }
  if (list?.title) return { text: list.title, quotes: list.contextInfo?.stanzaId };
  return undefined;
}

type AnyMedia = {
  mimetype?: string | null;
  caption?: string | null;
  fileName?: string | null;
  ptt?: boolean | null;
  contextInfo?: proto.IContextInfo | null;
};

function mediaOf(message: proto.IMessage): Read | undefined {
  const kinds: readonly [MediaKind, AnyMedia | null | undefined][] = [
    ['image', message.imageMessage],
    ['video', message.videoMessage],
    ['audio', message.audioMessage],
    ['document', message.documentMessage],
    ['sticker', message.stickerMessage],
  ];
  const found = kinds.find(([, media]) => media);
  if (!found) return undefined;
  const [media, facts] = found;
  const { mimetype, caption, fileName, ptt, contextInfo } = facts ?? {};
  return {
    content: {
      kind: 'media',
      media,
      reference: Buffer.from(proto.Message.encode(message).finish()).toString('base64'),
      mime: (mimetype ?? '').split(';')[0]?.trim() ?? '',
      ...(caption && { caption }),
      ...(fileName && { filename: fileName }),
      ...(ptt === true && { voice: true }),
    },
    quotes: contextInfo?.stanzaId,
  };
}
