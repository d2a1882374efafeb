import { type WAMessage, normalizeMessageContent, proto } from 'baileys';
import type {
  ReceivedContent,
  ReceivedMessage,
} from '#server/domains/channels/web/engine/engine.ts';
import type { MediaKind } from '#contract/media/kinds.ts';
import { readCard } from '#contract/messages/vcard.ts';
import { CARDS_MAX, idOfCard, inboundCard } from '#server/domains/channels/inbound-card.ts';
import { isPerson, lidIn, phoneIn } from './addresses.ts';

/**
 * A message of the library as ours, several contact cards as a message each; none for what is no message of a chat
 * of two: groups, notices of the protocol, what could not be decrypted (the library asks for it again by itself).
 *
 * @param phoneOfLid the number of an anonymous address, as far as the library knows it.
 */
export async function receivedFrom(
  message: WAMessage,
  phoneOfLid: (lid: string) => Promise<string | undefined>,
): Promise<ReceivedMessage[]> {
  const { key, pushName, messageTimestamp } = message;
  const content = normalizeMessageContent(message.message);
  const wireId = key.id;
  if (!wireId || !content || !isPerson(key.remoteJid)) return [];
  const read = contentOf(content);
  if (!read) return [];
  const lid = lidIn(key.remoteJid) ?? lidIn(key.remoteJidAlt);
  const phone =
    phoneIn(key.remoteJid) ?? phoneIn(key.remoteJidAlt) ?? (lid && (await phoneOfLid(lid)));
  const fromMe = key.fromMe === true;
  return [read.content].flat().map((one, index) => ({
    wireId: idOfCard(wireId, index),
    ...(phone && { phone }),
    ...(lid && { lid }),
    fromMe,
    ...(pushName && !fromMe && { name: pushName }),
    atMs: Number(messageTimestamp ?? Date.now() / 1_000) * 1_000,
    content: one,
    ...(read.quotes && { quotes: read.quotes }),
  }));
}

type Read = { content: ReceivedContent | ReceivedContent[]; quotes?: string | null | undefined };

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
  if (contact) return { content: cardOf(contact), quotes: contact.contextInfo?.stanzaId };
  const { contactsArrayMessage: several } = message;
  if (several) {
    const cards = (several.contacts ?? []).slice(0, CARDS_MAX).map(cardOf);
    const content = cards.length > 0 ? cards : cardOf(several);
    return { content, quotes: several.contextInfo?.stanzaId };
  }
  if (reaction) {
    // Taken back: there is nothing to show of it.
    if (!reaction.text) return undefined;
    return { content: { kind: 'reaction', emoji: reaction.text }, quotes: reaction.key?.id };
  }
  return mediaOf(message);
}

type CardMessage = { displayName?: string | null; vcard?: string | null };

/** A contact card, under the name that the app shows. */
function cardOf({ displayName, vcard }: CardMessage): ReceivedContent {
  const card = readCard(vcard ?? '');
  return { kind: 'contact', ...inboundCard({ ...card, name: displayName || card.name }) };
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
