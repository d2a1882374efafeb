import { type WAMessage, normalizeMessageContent, type proto } from 'baileys';
import type {
  ReceivedContent,
  ReceivedMessage,
} from '#server/domains/channels/web/engine/engine.ts';
import type { MediaKind } from '#contract/media/kinds.ts';
import { normalizePhone } from '#contract/base/written-number.ts';
import { readCard } from '#contract/messages/vcard.ts';
import { isPerson, lidIn, phoneIn } from './addresses.ts';
import { referenceOf } from './media.ts';

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
  const read = contentOf(content, message);
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

function contentOf(message: proto.IMessage, whole: WAMessage): Read | undefined {
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
    const cards = several.contacts ?? [];
    const [only] = cards;
    const content =
      only && cards.length === 1
        ? cardOf(only)
        : { kind: 'text' as const, text: cardsText(cards) || (several.displayName ?? '') };
    return { content, quotes: several.contextInfo?.stanzaId };
  }
  if (reaction) {
    // Taken back: there is nothing to show of it.
    if (!reaction.text) return undefined;
    return { content: { kind: 'reaction', emoji: reaction.text }, quotes: reaction.key?.id };
  }
  return mediaOf(message, whole);
}

type CardMessage = { displayName?: string | null; vcard?: string | null };

/** A contact card, with all that its vCard says. */
function cardOf({
  displayName,
  vcard,
}: CardMessage): Extract<ReceivedContent, { kind: 'contact' }> {
  const { name, phones: all, ...more } = readCard(vcard ?? '');
  const phones = all.map(
    ({ written, whatsapp }) => whatsapp ?? normalizePhone(written).replace(/\D/g, ''),
  );
  const [phone] = phones;
  return {
    kind: 'contact',
    name: displayName || name || (phone ?? ''),
    ...(phone !== undefined && { phone }),
    ...(phones.length > 1 && { phones }),
    ...more,
  };
}

/** Several cards of one message, as a text: a message has one content. */
const cardsText = (cards: readonly CardMessage[]): string =>
  cards
    .map((card) => {
      const { name, phone, phones, organization, email } = cardOf(card);
      const numbers = phones ?? (phone === undefined ? [] : [phone]);
      const facts = [...numbers.map((digits) => `+${digits}`), organization, email];
      return [name, ...facts.filter((fact) => fact !== undefined)].join(', ');
    })
    .join('\n');

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

type AnyMedia = Parameters<typeof referenceOf>[1]['file'] & {
  caption?: string | null;
  fileName?: string | null;
  ptt?: boolean | null;
  contextInfo?: proto.IContextInfo | null;
};

function mediaOf(message: proto.IMessage, whole: WAMessage): Read | undefined {
  const kinds: readonly [MediaKind, AnyMedia | null | undefined][] = [
    ['image', message.imageMessage],
    ['video', message.videoMessage],
    ['audio', message.audioMessage],
    ['document', message.documentMessage],
    ['sticker', message.stickerMessage],
  ];
  const found = kinds.find(([, media]) => media);
  if (!found) return undefined;
  const [media, file] = found;
  const { mimetype, caption, fileName, ptt, contextInfo } = file ?? {};
  return {
    content: {
      kind: 'media',
      media,
      reference: referenceOf(whole, { kind: media, file: file ?? {} }),
      mime: (mimetype ?? '').split(';')[0]?.trim() ?? '',
      ...(caption && { caption }),
      ...(fileName && { filename: fileName }),
      ...(ptt === true && { voice: true }),
    },
    quotes: contextInfo?.stanzaId,
  };
}
