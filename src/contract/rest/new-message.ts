import * as z from 'zod/mini';
import { TEXT_MAX } from '#contract/messages.ts';
import { type Output, schema } from '#contract/base/schema.ts';
import { Recipient, noted } from './notes.ts';

/** No message is planned for later: with its `ttl` it would leave the years that calendars write with four digits. */
const SEND_AT_END = Date.UTC(9999, 0, 1);

const Link = schema(() => z.url({ protocol: /^https?$/ }).check(z.maxLength(2000)));
const Caption = schema(() => z.optional(z.string().check(z.maxLength(1024))));

const METADATA_MAX = 20;

const envelope = () => ({
  to: Recipient(),
  /** The caller's own reference, unique per account: the same ref sends, and charges, once. */
  ref: z.optional(
    noted(z.string().check(z.regex(/^[ -~]{1,64}$/)), {
      expected: {
        id: 'teks 1–64 karakter: huruf, angka atau tanda baca ASCII',
        en: 'a string of 1 to 64 characters: ASCII letters, digits or punctuation',
      },
    }),
  ),
  send_at: z.optional(
    noted(z.iso.datetime({ offset: true }).check(z.refine((at) => Date.parse(at) < SEND_AT_END)), {
      expected: {
        id: 'waktu ISO 8601 dengan zona dan sebelum tahun 9999, misalnya "2026-12-24T09:00:00+07:00"',
        en: 'an ISO 8601 time with a zone and before the year 9999, such as "2026-12-24T09:00:00+07:00"',
      },
    }),
  ),
  /** Seconds after which an unsent message expires; the hold is then given back. */
  ttl: z.optional(z.int().check(z.minimum(30), z.maximum(2_592_000))),
  priority: z.optional(z.enum(['otp', 'normal', 'bulk'])),
  metadata: z.optional(
    noted(
      z
        .record(z.string().check(z.maxLength(40)), z.string().check(z.maxLength(500)))
        .check(z.refine((data) => Object.keys(data).length <= METADATA_MAX)),
      {
        expected: {
          id: `paling banyak ${METADATA_MAX} pasang nama (40 karakter) dan teks (500 karakter), misalnya {"pesanan": "A-17"}`,
          en: `up to ${METADATA_MAX} pairs of a name (40 characters) and a string (500 characters), such as {"order": "A-17"}`,
        },
      },
    ),
  ),
});

const shortest = '{"to": "0812-3456-7890", "text": {"body": "…"}}';

/** One message to send, by type; without `type` it is a text. */
export const NewMessage = schema(() => {
  const [shared, media, caption] = [envelope(), z.strictObject({ link: Link() }), Caption()];
  return noted(
    z.discriminatedUnion('type', [
      z.strictObject({
        ...shared,
        type: z.literal('text'),
        text: z.strictObject({ body: z.string().check(z.minLength(1), z.maxLength(TEXT_MAX)) }),
      }),
      z.strictObject({
        ...shared,
        type: z.literal('image'),
        image: media,
        caption,
      }),
      z.strictObject({
        ...shared,
        type: z.literal('video'),
        video: media,
        caption,
      }),
      z.strictObject({ ...shared, type: z.literal('audio'), audio: media }),
      z.strictObject({
        ...shared,
        type: z.literal('document'),
        document: z.strictObject({
          link: Link(),
          filename: z.optional(z.string().check(z.maxLength(240))),
        }),
        caption,
      }),
      z.strictObject({ ...shared, type: z.literal('sticker'), sticker: media }),
      z.strictObject({
        ...shared,
        type: z.literal('location'),
        location: z.strictObject({
          latitude: noted(z.number().check(z.minimum(-90), z.maximum(90)), { example: -6.2 }),
          longitude: noted(z.number().check(z.minimum(-180), z.maximum(180)), { example: 106.8 }),
          name: z.optional(z.string().check(z.maxLength(200))),
          address: z.optional(z.string().check(z.maxLength(400))),
        }),
      }),
      z.strictObject({
        ...shared,
        type: z.literal('contact'),
        contact: z.strictObject({
          name: z.string().check(z.minLength(1), z.maxLength(200)),
          phone: Recipient(),
        }),
      }),
    ]),
    { expected: { id: shortest, en: shortest } },
  );
});
export type NewMessage = Output<typeof NewMessage>;
