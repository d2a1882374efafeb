import { errorInWebhook, unknownObject } from '#tests/support/meta/errors.ts';
import type { MediaFile, MediaStore } from '#tests/support/meta/media.ts';
import type { BusinessNumber, MetaState } from '#tests/support/meta/state.ts';
import type { Outbox } from './outbox.ts';
import { metadataOf, secondsOf, userIdOf } from './statuses.ts';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

type Sample = { content: object; file?: MediaFile };

const flowReply = { flow_token: 'f-1', rating: '5' };

const samples = {
  text: { content: { body: 'Halo, kakak — masih ada? 👍' } },
  image: { content: { caption: 'Foto' }, file: { bytes: png, mimeType: 'image/png' } },
  video: { content: {}, file: { bytes: Buffer.from('video'), mimeType: 'video/mp4' } },
  audio: {
    content: { voice: true },
    file: { bytes: Buffer.from('OggS'), mimeType: 'audio/ogg; codecs=opus' },
  },
  document: {
    content: { filename: 'nota.pdf', caption: 'Nota' },
    file: { bytes: Buffer.from('%PDF-1.4'), mimeType: 'application/pdf' },
  },
  sticker: {
    content: { animated: false },
    file: { bytes: Buffer.from('RIFF'), mimeType: 'image/webp' },
  },
  location: { content: { latitude: -6.2, longitude: 106.8, name: 'Monas', address: 'Jakarta' } },
  contacts: {
    content: [
      {
        name: { formatted_name: 'Ani', first_name: 'Ani' },
        phones: [{ phone: '+62 812-1111-2222', type: 'CELL', wa_id: '6281211112222' }],
      },
    ],
  },
  reaction: { content: { message_id: 'wamid.unknown', emoji: '👍' } },
  button: { content: { payload: 'YA', text: 'Ya' } },
  button_reply: { content: { type: 'button_reply', button_reply: { id: 'ya', title: 'Ya' } } },
  list_reply: {
    content: {
      type: 'list_reply',
      list_reply: { id: 'a', title: 'Tawar', description: 'Rp10.000' },
    },
  },
  nfm_reply: {
    content: {
      type: 'nfm_reply',
      nfm_reply: { name: 'flow', body: 'Sent', response_json: JSON.stringify(flowReply) },
    },
  },
  order: {
    content: {
      catalog_id: '194836987003835',
      product_items: [
        { product_retailer_id: 'roti-1', quantity: 2, item_price: 10_000, currency: 'IDR' },
      ],
      text: 'Tolong dikirim',
    },
  },
  system: {
    content: {
      body: 'Budi changed the number',
      type: 'user_changed_number',
      wa_id: '6281299990000',
      new_wa_id: '6281299990000',
    },
  },
  unsupported: { content: {} },
} as const satisfies Record<string, Sample>;

export type InboundType = keyof typeof samples;

export const inboundTypes = Object.keys(samples) as readonly InboundType[];

export type Inbound = {
  /** `button_reply`, `list_reply` and `nfm_reply` mean that kind of `interactive`. */
  type: InboundType;
  /** The type's object, as in Meta's table; a sample by default. */
  content?: object;
  file?: MediaFile;
  contextId?: string;
  isForwarded?: boolean;
  name?: string;
  /** The recipient number; the first one by default. */
  phoneNumberId?: string;
  /** Only the user id (BSUID) is included, without the number. */
  isNumberHidden?: boolean;
  more?: Readonly<Record<string, unknown>>;
  /** Instead of a new id, to repeat a message. */
  id?: string;
  at?: Date;
};

function contentOf(message: Inbound, store: MediaStore, number: BusinessNumber): object {
  const sample: Sample = samples[message.type];
  const content = message.content ?? sample.content;
  const file = message.file ?? sample.file;
  if (!file || 'id' in content) return content;
  return { ...content, ...store.add(file, number.id) };
}

const interactive = new Set<string>(['button_reply', 'list_reply', 'nfm_reply']);

type Services = { state: MetaState; store: MediaStore; outbox: Outbox };

/**
 * A customer writes: opens the 24 hours, stores the file, and posts the webhook.
 * @returns the message's id, once its webhook is on the way.
 */
export function receive(
  phone: string,
  message: Inbound,
  { state, store, outbox }: Services,
): string {
  const { phoneNumberId = state.numbers[0]?.id, type, name = 'Budi', isNumberHidden } = message;
  const number = state.numbers.find(({ id }) => id === phoneNumberId);
  if (!number) throw unknownObject(String(phoneNumberId), 'post');
  const id = message.id ?? state.wamid();
  state.received.add(id);
  for (const one of [phone, userIdOf(phone)]) state.windows.set(one, true);
  const field = interactive.has(type) ? 'interactive' : type;
  const context = {
    ...(message.contextId !== undefined && { from: number.phone, id: message.contextId }),
    ...(message.isForwarded && { forwarded: true }),
  };
  const userId = userIdOf(phone);
  const shown = isNumberHidden ? {} : { wa_id: phone };
  const value = {
    ...metadataOf(number),
    contacts: [{ profile: { name }, ...shown, user_id: userId }],
    messages: [
      {
        ...(!isNumberHidden && { from: phone }),
        from_user_id: userId,
        id,
        timestamp: secondsOf(message.at ?? state.now()),
        type: field,
        ...(type === 'unsupported'
          ? { errors: [errorInWebhook(131_051, 'Message type is currently not supported.')] }
          : { [field]: contentOf(message, store, number) }),
        ...(Object.keys(context).length > 0 && { context }),
        ...message.more,
      },
    ],
  };
  const { wabaId } = number;
  if (state.isSubscribed) void outbox.add(phone, { field: 'messages', value, wabaId });
  return id;
}
