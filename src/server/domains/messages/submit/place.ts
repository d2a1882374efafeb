import { type Rupiah, rupiah } from '#contract/base/money.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { NewMessage } from '#contract/rest/new-message.ts';
import { hashOf } from './accept.ts';
import type { Item, ItemResult } from './send-request.ts';
import { newId } from '#server/infra/ids.ts';

const priorities = { otp: 0, normal: 1, bulk: 2 } as const;
/** A `send_at` nearer than this leaves at once. */
const IMMEDIATE_MS = 1000;

/** A message of the API as the accept path takes it: its price is frozen, its body is what is stored. */
export function itemFrom(message: NewMessage, tokenId: string, price: Rupiah, now: Date): Item {
  const at = message.send_at === undefined ? undefined : new Date(message.send_at);
  const readyAt = at !== undefined && at.getTime() > now.getTime() + IMMEDIATE_MS ? at : undefined;
  const lifeMs = message.ttl === undefined ? undefined : message.ttl * 1000;
  return {
    id: newId(now.getTime()),
    tokenId,
    peer: message.to,
    type: message.type,
    body: bodyOf(message),
    price,
    ref: message.ref,
    hash: message.ref === undefined ? noHash : hashOf(message),
    priority: priorities[message.priority ?? 'normal'],
    readyAt,
    expiresAt: lifeMs === undefined ? undefined : new Date((readyAt ?? now).getTime() + lifeMs),
  };
}

/** Only refs are compared by hash; an item without one needs none. */
const noHash = Buffer.alloc(0);

function bodyOf(message: NewMessage): object {
  const { metadata } = message;
  return { ...contentOf(message), ...(metadata !== undefined && { metadata }) };
}

function contentOf(message: NewMessage): object {
  switch (message.type) {
    case 'text':
      return { text: message.text.body };
    case 'image':
      return { ...message.image, caption: message.caption };
    case 'video':
      return { ...message.video, caption: message.caption };
    case 'audio':
      return message.audio;
    case 'document':
      return { ...message.document, caption: message.caption };
    case 'sticker':
      return message.sticker;
    case 'location':
      return message.location;
    case 'contact':
      return message.contact;
  }
}

/** The refusal behind an item's outcome; `undefined` when it was accepted. */
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
