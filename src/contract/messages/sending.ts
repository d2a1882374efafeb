import * as z from 'zod/mini';
import { act } from '#contract/base/act.ts';
import { IdInput } from '#contract/base/ids.ts';
import { schema, type Output } from '#contract/base/schema.ts';
import { CardPhone, TypedPeer } from '#contract/messages/peer.ts';
import { TEMPLATE_LIMITS, templateLanguage } from '#contract/messages/templates.ts';
import { ConversationMessage, sendRefusals } from '#contract/messages.ts';
import { CARD_MAX, LOCATION_MAX, CAPTION_MAX } from '#contract/rest/endpoint.ts';

/** The sender and the recipient; a quoted message must belong to that conversation. */
const conversationFields = () => ({ token_id: IdInput('token'), to: TypedPeer() });
const replyFields = () => ({ ...conversationFields(), reply_to: z.optional(IdInput('message')) });

const line = (what: string, max: number) =>
  z.optional(
    z.string().check(z.trim(), z.maxLength(max, `${what} paling panjang ${max} karakter.`)),
  );

const decimal = /^-?\d{1,3}(?:[.,]\d{1,20})?$/;

const Degrees = (max: number, sentence: string) =>
  z.pipe(
    z.transform((given: string | number) =>
      typeof given === 'string' && decimal.test(given)
        ? Number(given.replace(',', '.'))
        : typeof given === 'number'
          ? given
          : Number.NaN,
    ),
    z.number(sentence).check(z.minimum(-max, sentence), z.maximum(max, sentence)),
  );

/** Degrees north. */
export const Latitude = schema(() => Degrees(90, 'Garis lintang antara -90 dan 90.'));
/** Degrees east. */
export const Longitude = schema(() => Degrees(180, 'Garis bujur antara -180 dan 180.'));

export const sendLocation = act({
  name: 'message_send_location',
  by: 'customer',
  changes: true,
  input: () => ({
    ...replyFields(),
    latitude: Latitude(),
    longitude: Longitude(),
    name: line('Nama tempat', LOCATION_MAX.name),
    address: line('Alamat', LOCATION_MAX.address),
  }),
  output: ConversationMessage,
  refuses: sendRefusals,
});

export const sendContact = act({
  name: 'message_send_contact',
  by: 'customer',
  changes: true,
  input: () => ({
    ...replyFields(),
    name: z
      .string()
      .check(
        z.trim(),
        z.minLength(1, 'Tulis namanya.'),
        z.maxLength(CARD_MAX.name, `Nama paling panjang ${CARD_MAX.name} karakter.`),
      ),
    phone: CardPhone(),
    organization: line('Organisasi', CARD_MAX.organization),
  }),
  output: ConversationMessage,
  refuses: sendRefusals,
});

const tooLong = (max: number) => `Isian paling panjang ${max} karakter.`;

const filled = (max: number) =>
  z.string().check(z.minLength(1, 'Isi semuanya.'), z.maxLength(max, tooLong(max)));

export const sendTemplate = act({
  name: 'message_send_template',
  by: 'customer',
  changes: true,
  input: () => ({
    ...replyFields(),
    name: z.string().check(z.minLength(1), z.maxLength(TEMPLATE_LIMITS.name)),
    language: z.string().check(z.regex(templateLanguage, 'Pilih bahasanya.')),
    /** In the order of the body. */
    variables: z.optional(
      z
        .array(filled(TEMPLATE_LIMITS.variable))
        .check(z.maxLength(TEMPLATE_LIMITS.variables, 'Terlalu banyak isian.')),
    ),
    header: z.optional(filled(TEMPLATE_LIMITS.header)),
    upload: z.optional(IdInput('upload')),
    /** By their positions among all its buttons; empty if a button takes no value. */
    buttons: z.optional(
      z
        .array(
          z
            .string()
            .check(z.maxLength(TEMPLATE_LIMITS.buttonValue, tooLong(TEMPLATE_LIMITS.buttonValue))),
        )
        .check(z.maxLength(TEMPLATE_LIMITS.buttons, 'Terlalu banyak isian.')),
    ),
  }),
  output: ConversationMessage,
  refuses: [
    ...sendRefusals,
    'template_not_found',
    'template_language_needed',
    'template_not_approved',
    'template_variables_unfit',
    'template_value_unfit',
    'template_parts_unfit',
    'upload_gone',
    'storage_full',
    'media_not_found',
    'media_unfit',
  ],
});

/** Reacts to a message of a conversation; an empty emoji removes the reaction. Free of charge. */
export const sendReaction = act({
  name: 'message_react',
  by: 'customer',
  changes: true,
  input: () => ({ ...conversationFields(), message_id: IdInput('message'), emoji: Emoji() }),
  output: ConversationMessage,
  refuses: [...sendRefusals, 'reaction_refused'],
});

export const sendFile = act({
  name: 'message_send_file',
  by: 'customer',
  changes: true,
  input: () => ({
    token_id: IdInput('token'),
    to: TypedPeer(),
    upload: IdInput('upload'),
    /** Audio has no caption: it is ignored. */
    caption: z.optional(
      z
        .string()
        .check(z.maxLength(CAPTION_MAX, `Keterangan paling panjang ${CAPTION_MAX} karakter.`)),
    ),
    reply_to: z.optional(IdInput('message')),
  }),
  output: ConversationMessage,
  refuses: [...sendRefusals, 'upload_gone', 'storage_full', 'media_not_found'],
});

const EMOJI_MAX = 40;
const pictured = /\p{Extended_Pictographic}|\p{Regional_Indicator}|\u20E3/u;
const graphemes = new Intl.Segmenter('id', { granularity: 'grapheme' });

/** True for exactly one emoji as people see it, of any number of code points. */
export function isEmoji(text: string): boolean {
  if (text.length > EMOJI_MAX || !pictured.test(text)) return false;
  const [first, second] = graphemes.segment(text);
  return first !== undefined && second === undefined;
}

export const Emoji = schema(() =>
  z.string().check(
    z.maxLength(EMOJI_MAX),
    z.refine((text) => text === '' || isEmoji(text)),
  ),
);

export type Card = {
  /** '' if it has none. */
  name: string;
  phones: {
    written: string;
    whatsapp?: string;
  }[];
  organization?: string;
  email?: string;
};

/** Further phones of a card are ignored. */
const PHONES_MAX = 50;

/** Reads the first contact of a vCard; of several e-mails it keeps the first. */
export function readCard(text: string): Card {
  const [own = ''] = text.split(/^END:VCARD/im, 1);
  const lines = own.replace(/\r?\n[ \t]/g, '').split(/\r?\n/);
  const valuesOf = (property: string) => {
    const pattern = new RegExp(`^(?:[\\w-]+\\.)?${property}(;[^:]*)?:(.*)$`, 'is');
    return lines.flatMap((line) => {
      const [whole, parameters = '', value = ''] = pattern.exec(line) ?? [];
      return whole === undefined || value.trim() === '' ? [] : [{ parameters, value }];
    });
  };
  const first = (property: string) => valuesOf(property)[0]?.value ?? '';
  const phones = valuesOf('TEL').flatMap(({ parameters, value }) => {
    const written = plain(value).replace(/^tel:/i, '');
    const whatsapp = /waid=(\d+)/i.exec(parameters)?.[1];
    return /[\d０-９]/.test(written)
      ? [{ written, ...(whatsapp !== undefined && { whatsapp }) }]
      : [];
  });
  // ORG lists departments after the organisation; N begins with the family name.
  const [organization = ''] = partsOf(first('ORG'));
  const email = plain(first('EMAIL')).replace(/^mailto:/i, '');
  return {
    name: plain(first('FN')) || partsOf(first('N')).filter(Boolean).toReversed().join(' '),
    phones: phones.slice(0, PHONES_MAX),
    ...(organization !== '' && { organization }),
    ...(email !== '' && { email }),
  };
}

const plain = (value: string): string =>
  value.replace(/\\([\\,:;n])/gi, (_, sign: string) => (/n/i.test(sign) ? ' ' : sign)).trim();

const partsOf = (value: string): readonly string[] => value.split(/(?<!\\);/).map(plain);

export const REPLY_MAX = { all: 100, name: 40, text: 4096 } as const;

export const QuickReply = schema(() =>
  z.object({ name: z.string(), text: z.string(), updated_at: z.coerce.date() }),
);
export type QuickReply = Output<typeof QuickReply>;

export const ReplyName = schema(() =>
  z
    .string()
    .check(
      z.trim(),
      z.toLowerCase(),
      z.regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'Pakai huruf kecil, angka, dan tanda hubung.'),
    ),
);

/** `{nama}` is replaced by the recipient's name. */
export const ReplyText = schema(() =>
  z
    .string()
    .check(
      z.trim(),
      z.minLength(1, 'Tulis isinya.'),
      z.maxLength(REPLY_MAX.text, `Isi paling panjang ${REPLY_MAX.text} karakter.`),
    ),
);

export const listQuickReplies = act({
  name: 'quick_reply_list',
  by: 'customer',
  output: () => z.object({ replies: z.array(QuickReply()) }),
});

/** Creates a quick reply, or replaces the text of an existing one. */
export const saveQuickReply = act({
  name: 'quick_reply_save',
  by: 'customer',
  changes: true,
  input: () => ({ name: ReplyName(), text: ReplyText() }),
  output: QuickReply,
  refuses: ['quick_replies_full'],
});

export const deleteQuickReply = act({
  name: 'quick_reply_delete',
  by: 'customer',
  changes: true,
  input: () => ({ name: ReplyName() }),
  output: () => z.object({}),
});
