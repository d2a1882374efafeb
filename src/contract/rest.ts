import * as z from 'zod/mini';
import { Id } from './ids.ts';
import { MessageStatus, MessageType, TEXT_MAX, TimelineStep } from './messages.ts';
import { Rupiah } from './money.ts';
import { WholeNumber } from './numbers.ts';
import { Phone, TypedPhone } from './phone.ts';

/** No message is planned for later: with its `ttl` it would leave the years that calendars write with four digits. */
const SEND_AT_END = Date.UTC(9999, 0, 1);

/** Messages in one request, at most. */
export const MESSAGES_MAX = 1000;

const Link = z
  .url({
    protocol: /^https?$/,
    error: 'Tautan harus diawali https:// atau http://.',
  })
  .check(z.maxLength(2000));
const Caption = z.optional(
  z.string().check(z.maxLength(1024, 'Keterangan paling panjang 1024 karakter.')),
);

const envelope = {
  to: TypedPhone,
  /** The caller's own reference, unique per account: the same ref sends, and charges, once. */
  ref: z.optional(
    z
      .string()
      .check(z.regex(/^[ -~]{1,64}$/, 'Ref: 1 sampai 64 huruf, angka atau tanda baca biasa.')),
  ),
  send_at: z.optional(
    z.iso
      .datetime({ offset: true, error: 'send_at ditulis ISO 8601 dengan zona waktu.' })
      .check(z.refine((at) => Date.parse(at) < SEND_AT_END, 'send_at paling lambat tahun 9998.')),
  ),
  /** Seconds after which an unsent message expires; the hold is then given back. */
  ttl: z.optional(
    z
      .int('ttl ditulis dalam detik bulat.')
      .check(
        z.minimum(30, 'ttl paling sedikit 30 detik.'),
        z.maximum(2_592_000, 'ttl paling lama 30 hari.'),
      ),
  ),
  priority: z.optional(z.enum(['otp', 'normal', 'bulk'], 'priority: otp, normal, atau bulk.')),
  metadata: z.optional(
    z
      .record(z.string().check(z.maxLength(40)), z.string().check(z.maxLength(500)))
      .check(
        z.refine((data) => Object.keys(data).length <= 20, 'metadata paling banyak 20 kunci.'),
      ),
  ),
};

const media = z.strictObject({ link: Link });

/** One message to send, by type; without `type` it is a text. */
export const NewMessage = z.discriminatedUnion('type', [
  z.strictObject({
    ...envelope,
    type: z.literal('text'),
    text: z.strictObject({
      body: z
        .string('Tulis isi pesan di text.body.')
        .check(
          z.minLength(1, 'Isi pesan tidak boleh kosong.'),
          z.maxLength(TEXT_MAX, `Isi pesan paling panjang ${TEXT_MAX} karakter.`),
        ),
    }),
  }),
  z.strictObject({ ...envelope, type: z.literal('image'), image: media, caption: Caption }),
  z.strictObject({ ...envelope, type: z.literal('video'), video: media, caption: Caption }),
  z.strictObject({ ...envelope, type: z.literal('audio'), audio: media }),
  z.strictObject({
    ...envelope,
    type: z.literal('document'),
    document: z.strictObject({
      link: Link,
      filename: z.optional(z.string().check(z.maxLength(240))),
    }),
    caption: Caption,
  }),
  z.strictObject({ ...envelope, type: z.literal('sticker'), sticker: media }),
  z.strictObject({
    ...envelope,
    type: z.literal('location'),
    location: z.strictObject({
      latitude: z.number().check(z.minimum(-90), z.maximum(90)),
      longitude: z.number().check(z.minimum(-180), z.maximum(180)),
      name: z.optional(z.string().check(z.maxLength(200))),
      address: z.optional(z.string().check(z.maxLength(400))),
    }),
  }),
  z.strictObject({
    ...envelope,
    type: z.literal('contact'),
    contact: z.strictObject({
      name: z.string().check(z.minLength(1), z.maxLength(200)),
      phone: TypedPhone,
    }),
  }),
]);
export type NewMessage = z.output<typeof NewMessage>;

/** What `POST /v1/messages` answers for one accepted message. */
export const Accepted = z.object({
  id: Id('message'),
  status: z.enum(['accepted', 'scheduled']),
  price: Rupiah,
  saldo: Rupiah,
  ref: z.optional(z.string()),
  /** True when this ref had been accepted before: nothing new was sent or charged. */
  duplicate: z.optional(z.literal(true)),
  simulated: z.boolean(),
});
export type Accepted = z.output<typeof Accepted>;

/** RFC 9457 problem details, as every error of `/v1` answers. */
export const Problem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  code: z.string(),
  request_id: z.string(),
  retryable: z.boolean(),
  fields: z.optional(z.record(z.string(), z.string())),
});
export type Problem = z.output<typeof Problem>;

/** A message as `GET /v1/messages` shows it; one alone carries its `timeline`. */
export const ApiMessage = z.object({
  id: Id('message'),
  direction: z.enum(['out', 'in']),
  token: Id('token'),
  peer: Phone,
  type: MessageType,
  status: MessageStatus,
  price: Rupiah,
  possible_duplicate: z.boolean(),
  failure: z.nullable(z.object({ code: z.string(), detail: z.string() })),
  ref: z.nullable(z.string()),
  content: z.record(z.string(), z.unknown()),
  created_at: z.coerce.date(),
  simulated: z.boolean(),
  timeline: z.optional(z.array(TimelineStep)),
});
export type ApiMessage = z.output<typeof ApiMessage>;

/** Query of `GET /v1/messages`: cursor paging, newest first. */
export const ApiMessageQuery = z.strictObject({
  limit: z.optional(
    WholeNumber({
      sentence: 'limit ditulis dengan angka.',
      minimum: 1,
      maximum: 100,
      tooBig: 'limit paling banyak 100.',
    }),
  ),
  cursor: z.optional(Id('message')),
  status: z.optional(MessageStatus),
  direction: z.optional(z.enum(['out', 'in'])),
  peer: z.optional(TypedPhone),
});

export const API_LIMITS = {
  /** JSON body of one request, in bytes (`security.md`, T41). */
  bodyBytes: 1_048_576,
  idempotencyKeyMax: 255,
} as const;
