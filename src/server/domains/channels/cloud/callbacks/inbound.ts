import { formatRupiah } from '#contract/base/money.ts';
import { Peer, formatPeer, isHiddenPeer } from '#contract/messages/peer.ts';
import { type MediaKind, isMediaKind } from '#contract/media.ts';
import type { Inbound, MessageBody } from '#server/domains/channels/channels.ts';
import { otherContent, locationContent } from '#server/domains/channels/other-content.ts';
import { CARDS_MAX, idOfCard, inboundCard } from '#server/domains/channels/inbound-card.ts';
import type { CloudNumber } from '#server/domains/channels/cloud/numbers.ts';
import { newId } from '#server/infra/ids.ts';
import { asJson, at, given, listAt, textAt } from '#server/infra/net/json-values.ts';
import type { InboundFile, WithFile } from './files.ts';
import { timeIn } from './read.ts';

/** Our message by Meta's id; undefined if there is none. */
export type MessageOf = (accountId: string, wamid: string) => Promise<string | undefined>;

/** Meta's ids have about sixty characters; longer ones cannot be told apart. */
const WAMID_MAX = 512;

type Content = Pick<Inbound, 'type' | 'body' | 'changes'> & {
  file?: InboundFile;
};

export type InboundMessage = { inbound: Inbound } | WithFile;

/**
 * Converts an inbound message; each of several contact cards becomes a message. A sender with a hidden number is
 * identified by Meta's user id.
 *
 * @param value the part of the callback with the message, which names its sender
 * @returns nothing for a message without a sender or without Meta's id: it cannot be answered
 */
export async function inboundFrom(
  messageOf: MessageOf,
  { accountId, tokenId }: CloudNumber,
  { message, value }: { message: unknown; value: unknown },
): Promise<InboundMessage[]> {
  const from = senderOf(message);
  const id = idOf(message);
  if (from === undefined || id === undefined) return [];
  const name = nameOf(value, from);
  const quoted =
    textAt(message, 'type') === 'reaction'
      ? textAt(message, 'reaction', 'message_id')
      : textAt(message, 'context', 'id');
  const quotes =
    quoted === undefined ? undefined : ((await messageOf(accountId, quoted)) ?? quoted);
  const about = aboutOf(message);
  return contentsOf(message).map(({ file, body, ...content }, index) => {
    const inbound: Inbound = {
      accountId,
      tokenId,
      from,
      ...(name !== undefined && { name }),
      ...content,
      body: { ...body, ...about },
      at: timeIn(message),
      messageId: newId(),
      providerId: idOfCard(id, index),
      ...(quotes !== undefined && { quotes }),
    };
    return file ? { inbound, file } : { inbound };
  });
}

export function idOf(message: unknown): string | undefined {
  const id = textAt(message, 'id');
  return id === undefined || id.length > WAMID_MAX ? undefined : id;
}

function senderOf(message: unknown): string | undefined {
  const number = textAt(message, 'from')?.replace(/^\+/, '');
  const sender =
    number ?? textAt(message, 'from_user_id') ?? textAt(message, 'from_parent_user_id');
  return Peer().safeParse(sender).data;
}

const aboutOf = (message: unknown): MessageBody => {
  const product = at(message, 'context', 'referred_product');
  return given({
    referral: textsOf(at(message, 'referral')),
    product: textsOf(product),
    forwarded: at(message, 'context', 'forwarded') === true || undefined,
    frequently_forwarded: at(message, 'context', 'frequently_forwarded') === true || undefined,
  });
};

const FIELDS_MAX = 40;
const FIELD_MAX = 2_000;

function textsOf(object: unknown): MessageBody | undefined {
  if (typeof object !== 'object' || object === null || Array.isArray(object)) return undefined;
  const fields = Object.entries(object).flatMap(([name, value]): [string, unknown][] => {
    if (typeof value === 'string') return [[name.slice(0, 100), value.slice(0, FIELD_MAX)]];
    return typeof value === 'number' || typeof value === 'boolean'
      ? [[name.slice(0, 100), value]]
      : [];
  });
  return fields.length === 0 ? undefined : Object.fromEntries(fields.slice(0, FIELDS_MAX));
}

function nameOf(value: unknown, from: string): string | undefined {
  const contact = listAt(value, 'contacts').find(
    (one) => textAt(one, isHiddenPeer(from) ? 'user_id' : 'wa_id') === from,
  );
  return textAt(contact, 'profile', 'name');
}

function contentsOf(message: unknown): Content[] {
  const type = textAt(message, 'type') ?? '';
  const own = at(message, type);
  if (isMediaKind(type)) return [mediaContent(type, own)];
  switch (type) {
    case 'text':
      return [textContent(textAt(own, 'body') ?? '')];
    case 'button':
      return [textContent(textAt(own, 'text') ?? textAt(own, 'payload') ?? '')];
    case 'interactive':
      return [interactiveContent(own)];
    case 'location':
      return [locationContent(locationIn(own))];
    case 'contacts':
      return Array.isArray(own) && own.length > 0
        ? own.slice(0, CARDS_MAX).map((card) => ({ type: 'contact', body: cardIn(card) }))
        : [otherContent('unsupported')];
    case 'reaction':
      return [{ type, body: { emoji: textAt(own, 'emoji') ?? '' } }];
    case 'order':
      return [orderContent(own)];
    case 'system':
      return [otherContent('system', systemWords(own))];
    case 'request_welcome':
      return [otherContent('request_welcome')];
    case 'edit':
    case 'revoke':
      return [changeContent(type, own)];
    default:
      return [unsupportedContent(message)];
  }
}

function systemWords(notice: unknown): string | undefined {
  switch (textAt(notice, 'type')) {
    case 'user_changed_number':
    case 'customer_changed_number': {
      const next = textAt(notice, 'wa_id') ?? textAt(notice, 'new_wa_id');
      const peer = Peer().safeParse(next).data;
      return peer === undefined ? 'pelanggan berganti nomor' : `nomor baru ${formatPeer(peer)}`;
    }
    case 'user_changed_user_id':
      return 'pelanggan mendapat ID baru dari WhatsApp';
    case 'customer_identity_changed':
      return 'kode keamanan pelanggan berubah';
    default:
      return textAt(notice, 'body');
  }
}

const textContent = (text: string): Content => ({ type: 'text', body: { text } });

const withMore = ({ type, body }: Content, more: MessageBody): Content => ({
  type,
  body: { ...body, ...more },
});

function unsupportedContent(message: unknown): Content {
  const error = at(message, 'errors', 0);
  const code = at(error, 'code');
  return withMore(
    otherContent('unsupported'),
    given({
      error: typeof code === 'number' ? { code, title: textAt(error, 'title') } : undefined,
    }),
  );
}

function changeContent(type: 'edit' | 'revoke', own: unknown): Content {
  const providerId = textAt(own, 'original_message_id') ?? '';
  if (type === 'revoke') return { ...otherContent('revoked'), changes: { providerId } };
  const edited = at(own, 'message');
  const text =
    textAt(edited, 'text', 'body') ??
    textAt(at(edited, textAt(edited, 'type') ?? ''), 'caption') ??
    '';
  return { ...otherContent('edited', text), changes: { providerId, text } };
}

/** The selected option, by its title; its id is in the choices of the message that it answers. */
function interactiveContent(own: unknown): Content {
  const kind = textAt(own, 'type') ?? '';
  const answer = at(own, kind);
  switch (kind) {
    case 'nfm_reply':
      return formContent(answer);
    case 'call_permission_reply':
      return callContent(answer);
    default: {
      const title = textAt(answer, 'title') ?? textAt(answer, 'id');
      return title === undefined ? otherContent('interactive') : textContent(title);
    }
  }
}

const formInternals: ReadonlySet<string> = new Set(['flow_token', 'wa_flow_response_params']);

/** Limits of a form's answers: characters and depth. No form that people fill in exceeds them. */
const RESPONSE_MAX = 50_000;
const DEPTH_MAX = 20;

const isShallow = (value: unknown, depth: number): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (depth > 0 && Object.values(value).every((one) => isShallow(one, depth - 1)));

/** `name: answer` for each question; answers of nested groups stand among the others. */
const answersOf = (response: unknown): string[] =>
  typeof response !== 'object' || response === null
    ? []
    : Object.entries(response).flatMap(([name, value]): string[] => {
        if (formInternals.has(name) || value === null) return [];
        if (typeof value !== 'object') return [`${name}: ${String(value).slice(0, FIELD_MAX)}`];
        const options = Array.isArray(value) && value.filter((one) => typeof one !== 'object');
        return options && options.length > 0
          ? [`${name}: ${options.join(', ')}`]
          : answersOf(value);
      });

function formContent(answer: unknown): Content {
  const written = (textAt(answer, 'response_json') ?? '').slice(0, RESPONSE_MAX);
  const parsed = asJson(written);
  const response = isShallow(parsed, DEPTH_MAX) ? parsed : undefined;
  const line = answersOf(response).slice(0, FIELDS_MAX).join(', ');
  return withMore(
    otherContent('form', line || textAt(answer, 'body')),
    given({
      form: given({
        name: textAt(answer, 'name'),
        body: textAt(answer, 'body'),
        // Unchanged: a form may nest data that its own program reads.
        response: response ?? (written === '' ? undefined : written),
      }),
    }),
  );
}

function callContent(answer: unknown): Content {
  const isAccepted = textAt(answer, 'response') === 'accept';
  const expires = numberAt(answer, 'expiration_timestamp');
  return withMore(
    otherContent('call_permission', isAccepted ? 'diizinkan' : 'ditolak'),
    given({
      call_permission: given({
        is_accepted: isAccepted,
        is_permanent: at(answer, 'is_permanent') === true,
        expires_at: expires === undefined ? undefined : timeOf(expires),
        source: textAt(answer, 'response_source'),
      }),
    }),
  );
}

const SECONDS_MAX = Date.UTC(9999, 0) / 1000;

const timeOf = (seconds: number): string | undefined =>
  seconds > 0 && seconds < SECONDS_MAX ? new Date(seconds * 1000).toISOString() : undefined;

function locationIn(place: unknown): MessageBody {
  const coordinate = (which: string) => Number(at(place, which));
  return given({
    latitude: coordinate('latitude'),
    longitude: coordinate('longitude'),
    name: textAt(place, 'name'),
    address: textAt(place, 'address'),
  });
}

function cardIn(card: unknown): MessageBody {
  const phones = listAt(card, 'phones').flatMap((phone) => {
    const written = textAt(phone, 'phone');
    const whatsapp = textAt(phone, 'wa_id');
    if (written === undefined && whatsapp === undefined) return [];
    return [{ written: written ?? '', ...(whatsapp !== undefined && { whatsapp }) }];
  });
  const parts = ['first_name', 'middle_name', 'last_name'].flatMap(
    (part) => textAt(card, 'name', part) ?? [],
  );
  const organization = textAt(card, 'org', 'company');
  const [email] = listAt(card, 'emails').flatMap((one) => textAt(one, 'email') ?? []);
  return inboundCard({
    name: textAt(card, 'name', 'formatted_name') ?? parts.join(' '),
    phones,
    ...(organization !== undefined && { organization }),
    ...(email !== undefined && { email }),
  });
}

function orderContent(order: unknown): Content {
  const items = listAt(order, 'product_items').map((item) => ({
    product: textAt(item, 'product_retailer_id'),
    quantity: numberAt(item, 'quantity') ?? 1,
    price: numberAt(item, 'item_price'),
    currency: textAt(item, 'currency'),
  }));
  const lines = items.map(({ product, quantity, price, currency }) => {
    const isRupiah = currency === 'IDR' && Number.isSafeInteger(price);
    const amount = isRupiah ? formatRupiah(price ?? 0) : `${currency ?? ''} ${price}`.trim();
    return `${quantity} × ${product ?? '?'}${price === undefined ? '' : ` (${amount})`}`;
  });
  const words = textAt(order, 'text');
  return withMore(
    otherContent('order', [...lines, ...(words ? [words] : [])].join(', ')),
    given({
      order: given({ catalog: textAt(order, 'catalog_id'), text: words, items: items.map(given) }),
    }),
  );
}

function numberAt(value: unknown, name: string): number | undefined {
  const found = Number(at(value, name) ?? Number.NaN);
  return Number.isFinite(found) ? found : undefined;
}

function mediaContent(type: MediaKind, own: unknown): Content {
  const filename = textAt(own, 'filename');
  const mediaId = textAt(own, 'id');
  const body = given({
    caption: textAt(own, 'caption'),
    filename: type === 'document' ? filename : undefined,
    voice: type === 'audio' && at(own, 'voice') === true ? true : undefined,
  });
  if (mediaId === undefined) return { type, body: { missing: 'expired', ...body } };
  const mime = textAt(own, 'mime_type') ?? '';
  return { type, body, file: { mediaId, kind: type, name: filename ?? type, mime } };
}
