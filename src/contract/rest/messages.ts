import * as z from 'zod/mini';
import { Id } from '#contract/base/ids.ts';
import { Rupiah } from '#contract/base/money.ts';
import { WholeNumber } from '#contract/base/numbers.ts';
import { ShownPeer } from '#contract/messages/peer.ts';
import { type Output, schema } from '#contract/base/schema.ts';
import { ApiContent, type Choices, type ShownChoices } from '#contract/messages/captions.ts';
import { Failure, MessageStatus, MessageType, TimelineStep, TEXT_MAX } from '#contract/messages.ts';
import {
  bodyRefused,
  endpoint,
  API_LIMITS,
  MESSAGES_MAX,
  Recipient,
  withNote,
  RefusedItem,
  CAPTION_MAX,
  CARD_MAX,
  LOCATION_MAX,
  WrittenPhone,
} from './endpoint.ts';
import { Emoji } from '#contract/messages/sending.ts';
import { TEMPLATE_LIMITS, type TemplateFile } from '#contract/messages/templates.ts';

/** The latest send time: with its `ttl` the expiry must stay within four-digit years. */
const SEND_AT_END = Date.UTC(9999, 0, 1);

const METADATA_MAX = 20;
export const CONTACT_PHONES_MAX = 10;

const Link = schema(() => z.url({ protocol: /^https?$/ }).check(z.maxLength(2000)));
const Caption = schema(() => z.optional(z.string().check(z.maxLength(CAPTION_MAX))));

const MessageId = schema(() =>
  withNote(Id('message'), {
    expected: {
      id: 'id pesan dalam percakapan ini, misalnya "msg_01KB3Y6QJ4T0X9V2M8ZC5W7D1E"',
      en: 'the id of a message of this conversation, such as "msg_01KB3Y6QJ4T0X9V2M8ZC5W7D1E"',
    },
    example: 'msg_01KB3Y6QJ4T0X9V2M8ZC5W7D1E',
  }),
);

type Context = Parameters<Parameters<typeof z.transform>[0]>[1];

/**
 * Refuses too many pairs before any is parsed, and `__proto__`, which the record would drop: accepted metadata is
 * always stored.
 */
function checkMetadata(given: Record<string, string>, { issues }: Context) {
  if (typeof given !== 'object' || given === null) return given;
  if (Object.keys(given).length > METADATA_MAX || Object.hasOwn(given, '__proto__')) {
    issues.push({ code: 'custom', input: given });
  }
  return given;
}

/** Refuses an overlong list before any of its items is parsed. */
const checkLength =
  (maximum: number) =>
  (given: string[], { issues }: Context) => {
    if (Array.isArray(given) && given.length > maximum) {
      issues.push({ code: 'too_big', origin: 'array', maximum, inclusive: true, input: given });
    }
    return given;
  };

const envelope = () => ({
  to: Recipient(),
  /** The caller's own reference, unique per account: the same ref sends, and charges, once. */
  ref: z.optional(
    withNote(z.string().check(z.regex(/^[ -~]{1,64}$/)), {
      expected: {
        id: 'teks 1–64 karakter: huruf, angka atau tanda baca ASCII',
        en: 'a string of 1 to 64 characters: ASCII letters, digits or punctuation',
      },
    }),
  ),
  send_at: z.optional(
    withNote(
      z.iso.datetime({ offset: true }).check(z.refine((at) => Date.parse(at) < SEND_AT_END)),
      {
        expected: {
          id: 'waktu ISO 8601 dengan zona dan sebelum tahun 9999, misalnya "2026-12-24T09:00:00+07:00"',
          en: 'an ISO 8601 time with a zone and before the year 9999, such as "2026-12-24T09:00:00+07:00"',
        },
      },
    ),
  ),
  /** Seconds after which an unsent message expires; the hold is then released. */
  ttl: z.optional(z.int().check(z.minimum(30), z.maximum(2_592_000))),
  priority: z.optional(z.enum(['otp', 'normal', 'bulk'])),
  metadata: z.optional(
    withNote(
      z.pipe(
        z.transform(checkMetadata),
        z.record(z.string().check(z.maxLength(40)), z.string().check(z.maxLength(500))),
      ),
      {
        expected: {
          id: `paling banyak ${METADATA_MAX} pasang nama (40 karakter) dan teks (500 karakter), misalnya {"pesanan": "A-17"}`,
          en: `up to ${METADATA_MAX} pairs of a name (40 characters) and a string (500 characters), such as {"order": "A-17"}`,
        },
      },
    ),
  ),
});

const mediaFields = () => ({
  link: z.optional(Link()),
  id: z.optional(
    withNote(Id('media'), {
      expected: {
        id: 'id berkas, misalnya "med_01KB3Y6QJ4T0X9V2M8ZC5W7D1E"',
        en: 'the id of a file, such as "med_01KB3Y6QJ4T0X9V2M8ZC5W7D1E"',
      },
    }),
  ),
});

const oneSource = ({ link, id }: { link?: unknown; id?: unknown }): boolean =>
  (link === undefined) !== (id === undefined);

const mediaNote = {
  expected: {
    id: '{"link": "https://…"} atau {"id": "med_…"}, salah satu saja',
    en: '{"link": "https://…"} or {"id": "med_…"}, one of them',
  },
};

const Media = schema(() =>
  withNote(z.strictObject(mediaFields()).check(z.refine(oneSource)), mediaNote),
);
const Audio = schema(() =>
  withNote(
    z
      .strictObject({
        ...mediaFields(),
        voice: z.optional(z.boolean()),
      })
      .check(z.refine(oneSource)),
    mediaNote,
  ),
);
const Document = schema(() =>
  withNote(
    z
      .strictObject({
        ...mediaFields(),
        filename: z.optional(z.string().check(z.maxLength(240))),
      })
      .check(z.refine(oneSource)),
    mediaNote,
  ),
);

const Location = schema(() =>
  z.strictObject({
    latitude: withNote(z.number().check(z.minimum(-90), z.maximum(90)), { example: -6.2 }),
    longitude: withNote(z.number().check(z.minimum(-180), z.maximum(180)), { example: 106.8 }),
    name: z.optional(z.string().check(z.maxLength(LOCATION_MAX.name))),
    address: z.optional(z.string().check(z.maxLength(LOCATION_MAX.address))),
  }),
);

const Contact = schema(() =>
  withNote(
    z
      .strictObject({
        name: z.string().check(z.minLength(1), z.maxLength(CARD_MAX.name)),
        phone: z.optional(WrittenPhone()),
        phones: z.optional(
          withNote(
            z.pipe(
              z.transform(checkLength(CONTACT_PHONES_MAX)),
              z.array(WrittenPhone()).check(z.minLength(1), z.maxLength(CONTACT_PHONES_MAX)),
            ),
            {
              expected: {
                id: `daftar 1 sampai ${CONTACT_PHONES_MAX} nomor telepon`,
                en: `a list of 1 to ${CONTACT_PHONES_MAX} phone numbers`,
              },
            },
          ),
        ),
        organization: z.optional(z.string().check(z.maxLength(CARD_MAX.organization))),
        email: z.optional(z.string().check(z.maxLength(254))),
      })
      .check(z.refine(({ phone, phones }) => (phone === undefined) !== (phones === undefined))),
    {
      expected: {
        id: '{"name": "…", "phone": "0812-3456-7890"}, atau "phones" dengan beberapa nomor',
        en: '{"name": "…", "phone": "0812-3456-7890"}, or "phones" with several numbers',
      },
    },
  ),
);

const HEADER_SOURCES = ['link', 'id', 'text'] as const;

const TemplateHeader = schema(() =>
  withNote(
    z
      .strictObject({
        ...mediaFields(),
        filename: z.optional(z.string().check(z.maxLength(240))),
        text: z.optional(z.string().check(z.minLength(1), z.maxLength(TEMPLATE_LIMITS.header))),
      })
      .check(
        z.refine((given) => HEADER_SOURCES.filter((one) => given[one] !== undefined).length === 1),
      ),
    {
      expected: {
        id: '{"link": "https://…"}, {"id": "med_…"} atau {"text": "…"}, salah satu saja',
        en: '{"link": "https://…"}, {"id": "med_…"} or {"text": "…"}, one of them',
      },
    },
  ),
);

const hasOwnPlaces = (buttons: readonly { index: number }[]): boolean =>
  new Set(buttons.map(({ index }) => index)).size === buttons.length;

const TemplateButtons = schema(() =>
  withNote(
    z
      .array(
        z.strictObject({
          index: z.int().check(z.minimum(0), z.maximum(TEMPLATE_LIMITS.buttons - 1)),
          text: z.string().check(z.minLength(1), z.maxLength(TEMPLATE_LIMITS.buttonValue)),
        }),
      )
      .check(z.maxLength(TEMPLATE_LIMITS.buttons), z.refine(hasOwnPlaces)),
    {
      expected: {
        id: 'daftar isian tombol, masing-masing satu kali, misalnya [{"index": 0, "text": "A-17"}]',
        en: 'a list of what fills in buttons, each once, such as [{"index": 0, "text": "A-17"}]',
      },
    },
  ),
);

const Template = schema(() =>
  z.strictObject({
    name: z.string().check(z.minLength(1), z.maxLength(TEMPLATE_LIMITS.name)),
    /** May be omitted if the name has one language only. */
    language: z.optional(z.string().check(z.maxLength(10))),
    variables: z.optional(
      withNote(
        z.pipe(
          z.transform(checkLength(TEMPLATE_LIMITS.variables)),
          z
            .array(z.string().check(z.minLength(1), z.maxLength(TEMPLATE_LIMITS.variable)))
            .check(z.maxLength(TEMPLATE_LIMITS.variables)),
        ),
        {
          expected: {
            id: `daftar paling banyak ${TEMPLATE_LIMITS.variables} teks, misalnya ["Ani", "INV-1182"]`,
            en: `a list of up to ${TEMPLATE_LIMITS.variables} strings, such as ["Ani", "INV-1182"]`,
          },
        },
      ),
    ),
    header: z.optional(TemplateHeader()),
    buttons: z.optional(TemplateButtons()),
  }),
);

const Reaction = schema(() =>
  z.strictObject({
    message_id: MessageId(),
    emoji: withNote(Emoji(), {
      expected: {
        id: 'satu emoji, misalnya "👍", atau "" untuk menghapus reaksi',
        en: 'one emoji, such as "👍", or "" to remove the reaction',
      },
      example: '👍',
    }),
  }),
);

const shortest = '{"to": "0812-3456-7890", "text": {"body": "…"}}';

/** A message to send, by type; without `type` the type of the object that it has. */
export const NewMessage = schema(() => {
  const caption = Caption();
  const shared = envelope();
  /** All types can quote a message except a reaction, which names its own. */
  const quoting = { ...shared, reply_to: z.optional(MessageId()) };
  return withNote(
    z.discriminatedUnion('type', [
      z.strictObject({
        ...quoting,
        type: z.literal('text'),
        text: z.strictObject({ body: z.string().check(z.minLength(1), z.maxLength(TEXT_MAX)) }),
      }),
      z.strictObject({ ...quoting, type: z.literal('image'), image: Media(), caption }),
      z.strictObject({ ...quoting, type: z.literal('video'), video: Media(), caption }),
      z.strictObject({ ...quoting, type: z.literal('audio'), audio: Audio() }),
      z.strictObject({ ...quoting, type: z.literal('document'), document: Document(), caption }),
      z.strictObject({ ...quoting, type: z.literal('sticker'), sticker: Media() }),
      z.strictObject({ ...quoting, type: z.literal('location'), location: Location() }),
      z.strictObject({ ...quoting, type: z.literal('contact'), contact: Contact() }),
      z.strictObject({ ...quoting, type: z.literal('template'), template: Template() }),
      z.strictObject({ ...shared, type: z.literal('reaction'), reaction: Reaction() }),
    ]),
    { expected: { id: shortest, en: shortest } },
  );
});
export type NewMessage = Output<typeof NewMessage>;

/** A message as it is accepted; dialects may add choices. */
export type PlacedMessage = NewMessage & {
  choices?: Choices | undefined;
  interactive?: ShownChoices | undefined;
  payloads?: readonly (string | undefined)[] | undefined;
  headerKind?: TemplateFile | undefined;
};

export const ManyMessages = schema(() =>
  z.strictObject({
    messages: z.array(z.unknown()).check(z.minLength(1), z.maxLength(MESSAGES_MAX)),
  }),
);

export const Accepted = schema(() =>
  z.object({
    id: Id('message'),
    status: z.enum(['accepted', 'scheduled']),
    price: Rupiah(),
    saldo: Rupiah(),
    ref: z.optional(z.string()),
    /** True if this ref was accepted before: nothing new was sent or charged. */
    duplicate: z.optional(z.literal(true)),
    simulated: z.boolean(),
  }),
);
export type Accepted = Output<typeof Accepted>;

/** The file of a message, in its `content.file`. Unknown facts are null. */
export type ApiFile = {
  id: string | null;
  mime_type: string | null;
  size: number | null;
  /** In hexadecimal. */
  sha256: string | null;
  /** A download address without a key, valid until `content.expires_at`; null once it is deleted. */
  url: string | null;
};

/** A message as `GET /v1/messages` shows it; a single one includes its `timeline`. */
export const ApiMessage = schema(() =>
  z.object({
    id: Id('message'),
    direction: z.enum(['out', 'in']),
    token: Id('token'),
    peer: ShownPeer(),
    /** The account's name for the peer, else the peer's own; null without one. */
    name: z.nullable(z.string()),
    type: MessageType(),
    status: MessageStatus(),
    price: Rupiah(),
    possible_duplicate: z.boolean(),
    failure: z.nullable(z.object({ code: z.string(), detail: z.string() })),
    ref: z.nullable(z.string()),
    /** The content. A file of ours is its `file` (`ApiFile`), and a `link`, absolute, valid until `expires_at`. */
    content: ApiContent(),
    created_at: z.coerce.date(),
    /** The scheduled time; null for immediate sending. */
    send_at: z.nullable(z.coerce.date()),
    /** Seconds from `send_at` (or `created_at`) after which it expires unsent; null: never. */
    ttl: z.nullable(z.int()),
    /** Set after a failed or unanswered try while another follows; `detail` names any action needed. */
    retrying: z.nullable(
      z.object({
        code: Failure(),
        detail: z.string(),
        tries: z.int(),
        /** The earliest time of the next try; null while a try is in progress. */
        next_try_at: z.nullable(z.coerce.date()),
      }),
    ),
    simulated: z.boolean(),
    timeline: z.optional(z.array(TimelineStep())),
  }),
);
export type ApiMessage = Output<typeof ApiMessage>;

export const ApiMessageQuery = schema(() =>
  z.strictObject({
    limit: z.optional(
      withNote(WholeNumber({ minimum: 1, maximum: API_LIMITS.pageMax }), {
        expected: {
          id: `bilangan bulat 1 sampai ${API_LIMITS.pageMax}`,
          en: `a whole number from 1 to ${API_LIMITS.pageMax}`,
        },
      }),
    ),
    cursor: z.optional(
      withNote(Id('message'), {
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

const ApiMessagePage = schema(() =>
  z.object({ data: z.array(ApiMessage()), next_cursor: z.nullable(Id('message')) }),
);

const ManyAccepted = schema(() =>
  z.object({
    data: z.array(z.union([Accepted(), RefusedItem()])),
    accepted: z.int(),
    refused: z.int(),
    saldo: Rupiah(),
  }),
);

export const messageEndpoints = {
  sendMessage: endpoint({
    method: 'POST',
    path: '/v1/messages',
    scope: 'messages.send',
    status: 202,
    summary: { id: 'Kirim satu pesan atau banyak', en: 'Send one message or many' },
    bodies: [NewMessage, ManyMessages],
    answers: [Accepted, ManyAccepted],
    problem: 'SendProblem',
    refuses: [
      ...bodyRefused,
      'saldo_short',
      'bonus_only',
      'ref_conflict',
      'recipient_opted_out',
      'recipient_without_number',
      'quoted_not_found',
      'reaction_refused',
      'media_not_found',
      'media_unfit',
      'template_not_found',
      'template_language_needed',
      'template_not_approved',
      'window_closed',
      'template_variables_unfit',
      'template_value_unfit',
      'template_parts_unfit',
      'token_not_linked',
      'wallet_frozen',
      'token_limit_reached',
      'queue_full',
    ],
  }),
  listMessages: endpoint({
    method: 'GET',
    path: '/v1/messages',
    scope: 'messages.read',
    status: 200,
    summary: { id: 'Daftar pesan, terbaru dahulu', en: 'List messages, the newest first' },
    query: ApiMessageQuery,
    answer: ApiMessagePage,
    refuses: ['input_invalid'],
  }),
  getMessage: endpoint({
    method: 'GET',
    path: '/v1/messages/:id',
    scope: 'messages.read',
    status: 200,
    summary: {
      id: 'Satu pesan dengan perjalanannya',
      en: 'One message with its timeline',
    },
    answer: ApiMessage,
    refuses: ['not_found'],
  }),
  cancelMessage: endpoint({
    method: 'POST',
    path: '/v1/messages/:id/cancel',
    scope: 'messages.send',
    status: 200,
    summary: { id: 'Batalkan pesan yang belum dikirim', en: 'Cancel a message not yet sent' },
    answer: ApiMessage,
    refuses: [...bodyRefused, 'not_found', 'message_final', 'message_in_flight'],
  }),
} as const;
