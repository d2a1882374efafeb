import * as z from 'zod/mini';
import { act } from '#contract/base/act.ts';
import { IdInput } from '#contract/base/ids.ts';
import { schema } from '#contract/base/schema.ts';
import { Emoji } from '#contract/messages/emoji.ts';
import { CardPhone, TypedPeer } from '#contract/messages/peer.ts';
import { TEMPLATE_LIMITS, templateLanguage } from '#contract/messages/templates.ts';
import { ConversationMessage, sendRefusals } from '#contract/messages.ts';
import { CARD_MAX, PLACE_MAX } from '#contract/rest/limits.ts';

/** Who sends to whom; what is answered is a message of that conversation. */
const place = () => ({ token_id: IdInput('token'), to: TypedPeer() });
const answering = () => ({ ...place(), reply_to: z.optional(IdInput('message')) });

const line = (what: string, max: number) =>
  z.optional(
    z.string().check(z.trim(), z.maxLength(max, `${what} paling panjang ${max} karakter.`)),
  );

const decimal = /^-?\d{1,3}(?:[.,]\d{1,20})?$/;

/** Degrees as people and maps write them, with a point or a comma, and nothing else around them. */
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

/** How far north, in degrees. */
export const Latitude = schema(() => Degrees(90, 'Garis lintang antara -90 dan 90.'));
/** How far east, in degrees. */
export const Longitude = schema(() => Degrees(180, 'Garis bujur antara -180 dan 180.'));

/** Sends a place from the browser. */
export const sendLocation = act({
  name: 'message_send_location',
  by: 'customer',
  changes: true,
  input: () => ({
    ...answering(),
    latitude: Latitude(),
    longitude: Longitude(),
    name: line('Nama tempat', PLACE_MAX.name),
    address: line('Alamat', PLACE_MAX.address),
  }),
  output: ConversationMessage,
  refuses: sendRefusals,
});

/** Sends a contact card with one number from the browser. */
export const sendContact = act({
  name: 'message_send_contact',
  by: 'customer',
  changes: true,
  input: () => ({
    ...answering(),
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

/** Sends an approved template from the browser, by what it takes (`Template`). */
export const sendTemplate = act({
  name: 'message_send_template',
  by: 'customer',
  changes: true,
  input: () => ({
    ...answering(),
    name: z.string().check(z.minLength(1), z.maxLength(TEMPLATE_LIMITS.name)),
    language: z.string().check(z.regex(templateLanguage, 'Pilih bahasanya.')),
    /** In the order in which its body names them. */
    variables: z.optional(
      z
        .array(filled(TEMPLATE_LIMITS.variable))
        .check(z.maxLength(TEMPLATE_LIMITS.variables, 'Terlalu banyak isian.')),
    ),
    /** What fills in the variable of its header. */
    header: z.optional(filled(TEMPLATE_LIMITS.header)),
    /** An upload for `media`: the file above its text. */
    upload: z.optional(IdInput('upload')),
    /** By their places among all its buttons; empty where a button takes nothing. */
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
    'template_parts_unfit',
    'upload_gone',
    'storage_full',
    'media_not_found',
    'media_unfit',
  ],
});

/** Reacts to a message of a conversation; an empty emoji takes the reaction away. It costs nothing. */
export const sendReaction = act({
  name: 'message_react',
  by: 'customer',
  changes: true,
  input: () => ({ ...place(), message_id: IdInput('message'), emoji: Emoji() }),
  output: ConversationMessage,
  refuses: [...sendRefusals, 'reaction_refused'],
});
