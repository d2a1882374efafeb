import { type Rupiah, rupiah } from '#contract/base/money.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { Choices } from '#contract/messages/captions.ts';
import type { MediaKind } from '#contract/media.ts';
import type { PlacedMessage } from '#contract/rest/messages.ts';
import type { CloudPrices } from '#server/domains/pricing/pricing.ts';
import { hashOf } from './accept.ts';
import { fileFacts } from '#server/domains/messages/content.ts';
import type { Found } from './lookups.ts';
import type { Item, ItemResult } from './send-request.ts';
import { newId } from '#server/infra/ids.ts';

const priorities = { otp: 0, normal: 1, bulk: 2 } as const;
/** A `send_at` nearer than this leaves at once. */
const IMMEDIATE_MS = 1000;

type Placing = {
  tokenId: string;
  price: Rupiah;
  cloudPrices?: CloudPrices | undefined;
  now: Date;
  found?: Found | undefined;
};

/**
 * An API message as an item of the accept path, with its frozen price and its stored body. A reaction is free
 * (docs/decisions/009-templates-and-message-types.md).
 */
export function itemFrom(message: PlacedMessage, placing: Placing): Item {
  const { tokenId, now, found } = placing;
  const at = message.send_at === undefined ? undefined : new Date(message.send_at);
  const readyAt = at !== undefined && at.getTime() > now.getTime() + IMMEDIATE_MS ? at : undefined;
  const lifeMs = message.ttl === undefined ? undefined : message.ttl * 1000;
  return {
    id: newId(now.getTime()),
    tokenId,
    peer: message.to,
    type: message.type,
    body: bodyOf(message, found ?? {}),
    price: message.type === 'reaction' ? rupiah(0) : priceOf(placing),
    ref: message.ref,
    hash: message.ref === undefined ? noHash : hashOf(message),
    priority: priorities[message.priority ?? 'normal'],
    readyAt,
    expiresAt: lifeMs === undefined ? undefined : new Date((readyAt ?? now).getTime() + lifeMs),
  };
}

/**
 * By the Cloud API a template has the price of its category, and any other message is an answer within 24 hours.
 */
const priceOf = ({ price, cloudPrices, found }: Placing): Rupiah =>
  cloudPrices ? cloudPrices[found?.template?.category ?? 'service'] : price;

/** Only refs are compared by hash; an item without one needs none. */
const noHash = Buffer.alloc(0);

function bodyOf(message: PlacedMessage, found: Found): object {
  const { metadata } = message;
  const replyTo = message.type === 'reaction' ? undefined : message.reply_to;
  return {
    ...contentOf(message, found),
    ...(replyTo !== undefined && { reply_to: replyTo }),
    ...(found.quoted !== undefined && { quoted: found.quoted }),
    ...(metadata !== undefined && { metadata }),
    ...choicesOf(message, found),
  };
}

/** The choices of its receiver, unless its body contains them, as the buttons of a template do. */
function choicesOf({ choices, interactive, payloads }: PlacedMessage, { template }: Found): object {
  if (choices !== undefined) return { choices, ...(interactive && { interactive }) };
  if (!template) return {};
  const { buttons = [], reply_places: known } = template;
  const replies = known ?? buttons.map((_, place) => place);
  if (buttons.length === 0 || (payloads ?? known) === undefined) return {};
  const options = replies.map((place) => {
    const title = buttons[place] ?? '';
    return { id: payloads?.[place] ?? title, title };
  });
  return { choices: { type: 'template', options } satisfies Choices };
}

function contentOf(message: PlacedMessage, found: Found): object {
  switch (message.type) {
    case 'text':
      return { text: message.text.body };
    case 'image':
      return { ...sourceOf('image', message.image, found), caption: message.caption };
    case 'video':
      return { ...sourceOf('video', message.video, found), caption: message.caption };
    case 'audio':
      return sourceOf('audio', message.audio, found);
    case 'document':
      return { ...sourceOf('document', message.document, found), caption: message.caption };
    case 'sticker':
      return sourceOf('sticker', message.sticker, found);
    case 'location':
      return message.location;
    case 'contact':
      return cardOf(message.contact);
    case 'template':
      return templateOf(message.template, found);
    case 'reaction':
      return message.reaction;
  }
}

function templateOf({ header }: TemplateMessage['template'], found: Found): object {
  if (!found.template) return {};
  const { category: _, ...template } = found.template;
  const kind = template.header_file;
  if (kind === undefined || header === undefined) return template;
  const { link, id, filename } = header;
  const source = { link, id, ...(kind === 'document' && { filename }) };
  return { ...template, ...sourceOf(kind, source, found) };
}

type TemplateMessage = Extract<PlacedMessage, { type: 'template' }>;

type Source = { link?: string | undefined; id?: string | undefined; filename?: string | undefined };

function sourceOf(type: MediaKind, { id, ...source }: Source, { file }: Found): object {
  if (id === undefined || !file) return source;
  return { ...source, ...fileFacts(file, type, source) };
}

type Contact = Extract<PlacedMessage, { type: 'contact' }>['contact'];

function cardOf({ phones, ...contact }: Contact): object {
  if (!phones) return contact;
  return { ...contact, phone: phones[0], ...(phones.length > 1 && { phones }) };
}

export function refusalOf(result: ItemResult, item: { ref?: string | undefined; price: Rupiah }) {
  switch (result.outcome) {
    case 'accepted':
    case 'duplicate':
      return undefined;
    case 'ref_conflict':
      return new Refusal('ref_conflict', { ref: item.ref ?? '' });
    case 'saldo_short':
      return new Refusal('saldo_short', {
        required: rupiah(result.price ?? item.price),
        available: rupiah(result.fact ?? 0),
      });
    case 'limit':
      return new Refusal('token_limit_reached', { limit: result.fact ?? 0 });
    case 'opted_out':
      return new Refusal('recipient_opted_out', {});
    case 'not_linked':
      return new Refusal('token_not_linked', {});
    case 'bonus_only':
      return new Refusal('bonus_only', {});
    case 'suspended':
      return new Refusal('account_suspended', {});
    case 'frozen':
      return new Refusal('wallet_frozen', {});
  }
}
