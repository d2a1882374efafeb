import * as z from 'zod/mini';
import { Id } from './base/ids.ts';
import type { InBoth } from './language/language.ts';
import { Failure, MessageStatus, MessageType, TEXT_MAX, TimelineStep } from './messages.ts';
import { Rupiah } from './base/money.ts';
import { WholeNumber } from './base/numbers.ts';
import { Phone, TypedPhone } from './base/phone.ts';
import type { RefusalCode } from './base/refusals.ts';
import { type Output, schema } from './base/schema.ts';

/** No message is planned for later: with its `ttl` it would leave the years that calendars write with four digits. */
const SEND_AT_END = Date.UTC(9999, 0, 1);

/** Messages in one request, at most. */
export const MESSAGES_MAX = 1000;

export const API_LIMITS = {
  /** JSON body of one request, in bytes (docs/threats.md, T41). */
  bodyBytes: 1_048_576,
  idempotencyKeyMax: 255,
  /** Messages on a page, at most. */
  pageMax: 100,
} as const;

/** Under which all of the API lies. */
export const API_PREFIX = '/v1';

/** Every endpoint of the API; where GET works, HEAD does too, and OPTIONS everywhere. */
export const apiEndpoints = {
  send: { method: 'POST', path: '/v1/messages' },
  list: { method: 'GET', path: '/v1/messages' },
  one: { method: 'GET', path: '/v1/messages/:id' },
  cancel: { method: 'POST', path: '/v1/messages/:id/cancel' },
  balance: { method: 'GET', path: '/v1/balance' },
} as const;
export type ApiEndpoint = keyof typeof apiEndpoints;

/** What the API may answer instead of a yes. */
export const apiRefusals: readonly RefusalCode[] = [
  'request_malformed',
  'token_missing',
  'token_invalid',
  'saldo_short',
  'bonus_only',
  'path_unknown',
  'not_found',
  'method_not_allowed',
  'idempotency_conflict',
  'request_in_flight',
  'ref_conflict',
  'recipient_opted_out',
  'message_final',
  'message_in_flight',
  'token_not_linked',
  'body_too_large',
  'media_type_unsupported',
  'input_invalid',
  'account_suspended',
  'wallet_frozen',
  'too_many_requests',
  'token_limit_reached',
  'queue_full',
  'our_fault',
  'busy',
  'timed_out',
];

/** What a field takes, where its schema cannot say it: in words, or by an example within a larger one. */
export const fieldNotes = z.registry<{ expected?: InBoth; example?: unknown }>();

const Link = schema(() => z.url({ protocol: /^https?$/ }).check(z.maxLength(2000)));
const Caption = schema(() => z.optional(z.string().check(z.maxLength(1024))));
const Recipient = schema(() =>
  noted(z.pipe(z.string(), TypedPhone()), {
    expected: {
      id: 'nomor telepon sebagai teks, misalnya "0812-3456-7890" atau "6281234567890"',
      en: 'a phone number as a string, such as "0812-3456-7890" or "6281234567890"',
    },
    example: '0812-3456-7890',
  }),
);

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

/** Many messages in one request; each is then read by itself. */
export const ManyMessages = schema(() =>
  z.strictObject({
    messages: z.array(z.unknown()).check(z.minLength(1), z.maxLength(MESSAGES_MAX)),
  }),
);

/** What `POST /v1/messages` answers for one accepted message. */
export const Accepted = schema(() =>
  z.object({
    id: Id('message'),
    status: z.enum(['accepted', 'scheduled']),
    price: Rupiah(),
    saldo: Rupiah(),
    ref: z.optional(z.string()),
    /** True when this ref had been accepted before: nothing new was sent or charged. */
    duplicate: z.optional(z.literal(true)),
    simulated: z.boolean(),
  }),
);
export type Accepted = Output<typeof Accepted>;

/** RFC 9457 problem details, as every error of `/v1` answers. */
export const Problem = schema(() =>
  z.object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.string(),
    request_id: z.string(),
    retryable: z.boolean(),
    fields: z.optional(z.record(z.string(), z.string())),
  }),
);
export type Problem = Output<typeof Problem>;

/** A message as `GET /v1/messages` shows it; one alone carries its `timeline`. */
export const ApiMessage = schema(() =>
  z.object({
    id: Id('message'),
    direction: z.enum(['out', 'in']),
    token: Id('token'),
    peer: Phone(),
    type: MessageType(),
    status: MessageStatus(),
    price: Rupiah(),
    possible_duplicate: z.boolean(),
    failure: z.nullable(z.object({ code: z.string(), detail: z.string() })),
    ref: z.nullable(z.string()),
    /** What it says; a file that came in is a `link`, absolute, good until `expires_at`. */
    content: z.record(z.string(), z.unknown()),
    created_at: z.coerce.date(),
    /** When it was to leave; null when it was to leave at once. */
    send_at: z.nullable(z.coerce.date()),
    /** Seconds from `send_at` (or `created_at`) after which it expires unsent; null when it never does. */
    ttl: z.nullable(z.int()),
    /** A try failed, or nobody answered, and the next follows by itself: nothing need be done. */
    retrying: z.nullable(
      z.object({
        code: Failure(),
        detail: z.string(),
        /** Tries made so far. */
        tries: z.int(),
        /** Not before; null while a try is under way. */
        next_try_at: z.nullable(z.coerce.date()),
      }),
    ),
    simulated: z.boolean(),
    timeline: z.optional(z.array(TimelineStep())),
  }),
);
export type ApiMessage = Output<typeof ApiMessage>;

/** Query of `GET /v1/messages`: cursor paging, newest first. */
export const ApiMessageQuery = schema(() =>
  z.strictObject({
    limit: z.optional(
      noted(WholeNumber({ minimum: 1, maximum: API_LIMITS.pageMax }), {
        expected: {
          id: `bilangan bulat 1 sampai ${API_LIMITS.pageMax}`,
          en: `a whole number from 1 to ${API_LIMITS.pageMax}`,
        },
      }),
    ),
    cursor: z.optional(
      noted(Id('message'), {
        expected: {
          id: 'nilai `next_cursor` dari halaman sebelumnya',
          en: 'the `next_cursor` of the page before',
        },
      }),
    ),
    status: z.optional(MessageStatus()),
    direction: z.optional(z.enum(['out', 'in'])),
    peer: z.optional(Recipient()),
  }),
);
export type ApiMessageQuery = Output<typeof ApiMessageQuery>;

/** A schema with a note on what it takes: one of its own, for others have the same without the note. */
function noted<Schema extends z.ZodMiniType>(
  schema: Schema,
  note: z.core.$replace<NonNullable<ReturnType<typeof fieldNotes.get>>, Schema>,
): Schema {
  const own = schema.clone();
  fieldNotes.add(own, note);
  return own;
}
