import { Peer, isUserId } from '#contract/messages/peer.ts';
import type { MediaKind } from '#contract/media/kinds.ts';
import type { Inbound, MessageBody } from '#server/domains/channels/channels.ts';
import { CARDS_MAX, idOfCard, inboundCard } from '#server/domains/channels/inbound-card.ts';
import { takeInbound } from '#server/domains/channels/inbound-file.ts';
import type { CloudNumber } from '#server/domains/channels/cloud/numbers.ts';
import type { Library } from '#server/domains/media/media.ts';
import { idOfText } from '#server/infra/ids.ts';
import { at, given, listAt, textAt } from '#server/infra/net/json-values.ts';
import { timeIn } from './read.ts';

/** What reading an inbound message needs. */
export type InboundDeps = {
  library: Pick<Library, 'take'>;
  /** The bytes of a file of Meta's; undefined where it has it no more. */
  download: (number: CloudNumber, mediaId: string) => Promise<Buffer | undefined>;
  /** The message of ours that Meta calls so; undefined where there is none. */
  messageOf: (accountId: string, wamid: string) => Promise<string | undefined>;
};

/** Meta's ids have some sixty characters; what is longer than this cannot be told apart from others. */
const WAMID_MAX = 512;

type Content = Pick<Inbound, 'type' | 'body'>;

/**
 * A message that came to a number, as the conversations have it: several contact cards are a message each.
 *
 * @param value the part of the callback that it stands in, which names its sender.
 * Somebody whose number WhatsApp does not show is known by the user id that Meta gives them.
 *
 * @returns nothing for one without its sender, or an id of Meta's: there is nobody to answer.
 * @throws what passes, such as trouble with the file's host: Meta brings the callback again.
 */
export async function inboundFrom(
  deps: InboundDeps,
  number: CloudNumber,
  { message, value }: { message: unknown; value: unknown },
): Promise<Inbound[]> {
  const from = senderOf(message);
  const id = textAt(message, 'id');
  if (from === undefined || id === undefined || id.length > WAMID_MAX) return [];
  const { accountId, tokenId } = number;
  const name = nameOf(value, from);
  const quoted =
    textAt(message, 'type') === 'reaction'
      ? textAt(message, 'reaction', 'message_id')
      : textAt(message, 'context', 'id');
  const quotes =
    quoted === undefined ? undefined : ((await deps.messageOf(accountId, quoted)) ?? quoted);
  const contents = await contentsOf(deps, number, message);
  return contents.map((content, index) => ({
    accountId,
    tokenId,
    from,
    ...(name !== undefined && { name }),
    ...content,
    at: timeIn(message),
    providerId: idOfCard(id, index),
    ...(quotes !== undefined && { quotes }),
  }));
}

function senderOf(message: unknown): string | undefined {
  const number = textAt(message, 'from')?.replace(/^\+/, '');
  const said = number ?? textAt(message, 'from_user_id');
  return Peer().safeParse(said).data;
}

function nameOf(value: unknown, from: string): string | undefined {
  const contact = listAt(value, 'contacts').find(
    (one) => textAt(one, isUserId(from) ? 'user_id' : 'wa_id') === from,
  );
  return textAt(contact, 'profile', 'name');
}

const mediaTypes: ReadonlySet<string> = new Set(['image', 'video', 'audio', 'document', 'sticker']);

async function contentsOf(
  deps: InboundDeps,
  number: CloudNumber,
  message: unknown,
): Promise<Content[]> {
  const type = textAt(message, 'type') ?? '';
  const own = at(message, type);
  if (mediaTypes.has(type))
    return [await mediaContent(deps, number, { type: type as MediaKind, own })];
  switch (type) {
    case 'text':
      return [spoken(textAt(own, 'body') ?? '')];
    case 'button':
      return [spoken(textAt(own, 'text') ?? textAt(own, 'payload') ?? '')];
    case 'interactive':
      return [spoken(chosenIn(own))];
    case 'location':
      return [{ type, body: placeIn(own) }];
    case 'contacts':
      return (Array.isArray(own) ? own : [])
        .slice(0, CARDS_MAX)
        .map((card) => ({ type: 'contact', body: cardIn(card) }));
    case 'reaction':
      return [{ type, body: { emoji: textAt(own, 'emoji') ?? '' } }];
    case 'order':
      return [spoken(orderIn(own))];
    case 'system':
      return [spoken(textAt(own, 'body') ?? 'Penerima mengganti nomor atau perangkatnya.')];
    default:
      return [
        spoken(
          'Pesan ini jenisnya belum dapat ditampilkan. Minta pengirim mengirimnya sebagai teks.',
        ),
      ];
  }
}

const spoken = (text: string): Content => ({ type: 'text', body: { text } });

/** What was chosen, by its title: the choices of the message that it answers say its id. */
function chosenIn(interactive: unknown): string {
  const kind = textAt(interactive, 'type') ?? '';
  if (kind === 'nfm_reply') {
    return textAt(interactive, kind, 'body') ?? textAt(interactive, kind, 'name') ?? '';
  }
  return textAt(interactive, kind, 'title') ?? textAt(interactive, kind, 'id') ?? '';
}

function placeIn(place: unknown): MessageBody {
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

function orderIn(order: unknown): string {
  const lines = listAt(order, 'product_items').map((item) => {
    const price = numberAt(item, 'item_price');
    const amount = price === undefined ? '' : ` (${price} ${textAt(item, 'currency') ?? ''})`;
    return `${numberAt(item, 'quantity') ?? 1} × ${textAt(item, 'product_retailer_id') ?? '?'}${amount}`;
  });
  return ['Pesanan dari katalog:', ...lines, textAt(order, 'text') ?? ''].join('\n').trim();
}

function numberAt(value: unknown, name: string): number | undefined {
  const found = at(value, name);
  return typeof found === 'number' ? found : undefined;
}

type Media = { type: MediaKind; own: unknown };

/** A file that a customer sent, kept in the library; a message is not lost for its file. */
async function mediaContent(
  { library, download }: InboundDeps,
  number: CloudNumber,
  { type, own }: Media,
): Promise<Content> {
  const caption = textAt(own, 'caption');
  const filename = textAt(own, 'filename');
  const more = given({
    caption,
    filename: type === 'document' ? filename : undefined,
    voice: type === 'audio' && at(own, 'voice') === true ? true : undefined,
  });
  const mediaId = textAt(own, 'id');
  const bytes = mediaId === undefined ? undefined : await download(number, mediaId);
  if (mediaId === undefined || !bytes) return { type, body: { missing: 'expired', ...more } };
  const file = await takeInbound(library, {
    accountId: number.accountId,
    // Always the same, so that a callback that comes twice keeps it once.
    fileId: idOfText(`cloud-media:${number.tokenId}:${mediaId}`),
    said: { name: filename ?? `${type}`, type: textAt(own, 'mime_type') ?? '' },
    bytes,
    kind: type,
  });
  return { type, body: { ...file, ...more } };
}
