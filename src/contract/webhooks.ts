import * as z from 'zod/mini';
import type { Bilingual } from '#contract/language/language.ts';
import { act, paging } from '#contract/base/act.ts';
import { Id, IdInput } from '#contract/base/ids.ts';
import { type Output, schema } from '#contract/base/schema.ts';
import { Rupiah } from '#contract/base/money.ts';
import { ShownPeer, ShownPhone, TypedPeer } from '#contract/messages/peer.ts';
import { Failure, MessageStatus, MessageType } from '#contract/messages.ts';
import { ApiContent } from '#contract/messages/captions.ts';
import { OptoutSource } from '#contract/messages/optouts.ts';
import { CivilDay } from '#contract/base/days.ts';
import { WholeNumber } from '#contract/base/numbers.ts';
import { bodyRefused, endpoint, API_LIMITS, Recipient, withNote } from './rest/endpoint.ts';

/** Events for customers' programs, by webhook and feed. New ones may be added. */
export const eventTypes = [
  'message.accepted',
  'message.sent',
  'message.delivered',
  'message.read',
  'message.failed',
  'message.received',
  'message.edited',
  'message.revoked',
  'token.connected',
  'token.disconnected',
  'token.linked',
  'saldo.low',
  'topup.paid',
  'invoice.issued',
  'invoice.paid',
  'optout.added',
] as const;
export type EventType = (typeof eventTypes)[number];
export const EventType = schema(() => z.enum(eventTypes));

export const eventTypeLabel: Record<EventType, string> = {
  'message.accepted': 'Pesan diterima untuk dikirim',
  'message.sent': 'Pesan terkirim',
  'message.delivered': 'Pesan sampai',
  'message.read': 'Pesan dibaca',
  'message.failed': 'Pesan gagal',
  'message.received': 'Pesan masuk',
  'message.edited': 'Pesan masuk diubah pengirimnya',
  'message.revoked': 'Pesan masuk dihapus pengirimnya',
  'token.connected': 'Token tersambung',
  'token.disconnected': 'Token terputus',
  'token.linked': 'Nomor ditautkan ke token',
  'saldo.low': 'Saldo hampir habis',
  'topup.paid': 'Isi saldo dibayar',
  'invoice.issued': 'Tagihan terbit',
  'invoice.paid': 'Tagihan dibayar',
  'optout.added': 'Penerima berhenti langganan',
};

/** Sent by the test button and to confirm a new address; never in the feed. */
export const TEST_EVENT = 'webhook.test';

const facts = () => ({
  account: Id('account'),
  /** Null for events of the whole account: saldo, top-ups, invoices. */
  token: z.nullable(Id('token')),
  /** Rises by one or more with each event of the account: the cursor of the feed. */
  seq: z.int(),
});

const messageFacts = () => ({
  ...facts(),
  id: Id('message'),
  peer: ShownPeer(),
  type: MessageType(),
  /** Rises within the conversation. */
  conversation_seq: z.nullable(z.int()),
});

const event = <Type extends string, Shape extends z.core.$ZodLooseShape>(type: Type, data: Shape) =>
  z.object({
    type: z.literal(type),
    timestamp: z.iso.datetime(),
    data: z.object(data),
  });

const outgoing = <Type extends EventType>(type: Type) =>
  event(type, {
    ...messageFacts(),
    /** The status with this event; for `message.failed` also `cancelled` and `expired`. */
    status: MessageStatus(),
    ref: z.nullable(z.string()),
    price: Rupiah(),
    failure: z.nullable(z.object({ code: Failure(), detail: z.string() })),
  });

/** The current state of an inbound message. */
const incoming = <Type extends EventType>(type: Type) =>
  event(type, {
    ...messageFacts(),
    peer_name: z.nullable(z.string()),
    content: ApiContent(),
    reply_to: z.nullable(Id('message')),
  });

const tokenEvent = <Type extends EventType>(type: Type) =>
  event(type, {
    ...facts(),
    name: z.string(),
    phone: z.nullable(ShownPhone()),
  });

const ofInvoice = <Type extends EventType>(type: Type) =>
  event(type, {
    ...facts(),
    id: Id('invoice'),
    number: z.nullable(z.string()),
    kind: z.string(),
    total: Rupiah(),
    status: z.string(),
  });

export const WebhookEvent = schema(() =>
  z.discriminatedUnion('type', [
    outgoing('message.accepted'),
    outgoing('message.sent'),
    outgoing('message.delivered'),
    outgoing('message.read'),
    outgoing('message.failed'),
    incoming('message.received'),
    incoming('message.edited'),
    incoming('message.revoked'),
    tokenEvent('token.connected'),
    tokenEvent('token.disconnected'),
    tokenEvent('token.linked'),
    event('saldo.low', { ...facts(), threshold: Rupiah(), available: Rupiah() }),
    event('topup.paid', { ...facts(), id: Id('topup'), amount: Rupiah(), total: Rupiah() }),
    ofInvoice('invoice.issued'),
    ofInvoice('invoice.paid'),
    event('optout.added', { ...facts(), peer: ShownPeer(), source: OptoutSource() }),
  ]),
);
export type WebhookEvent = Output<typeof WebhookEvent>;

/** The format of events: Kabari's own (Standard Webhooks), or that of another service. */
export const webhookFormats = ['kabari', 'cloud', 'fonnte', 'wablas'] as const;
export type WebhookFormat = (typeof webhookFormats)[number];
export const WebhookFormat = schema(() => z.enum(webhookFormats));

const ofMessages = [
  'message.sent',
  'message.delivered',
  'message.read',
  'message.failed',
  'message.received',
] as const satisfies readonly EventType[];
const ofDevices = [
  'token.connected',
  'token.disconnected',
  'token.linked',
] as const satisfies readonly EventType[];

/** The events that each format can express; the others are skipped. */
export const formatEvents: Readonly<Record<WebhookFormat, readonly EventType[]>> = {
  kabari: eventTypes,
  cloud: [...ofMessages, 'message.edited', 'message.revoked'],
  fonnte: [...ofMessages, ...ofDevices],
  wablas: ['message.accepted', ...ofMessages, ...ofDevices],
};

export const WEBHOOK_LIMITS = {
  urlLength: 2_048,
  verifyTokenLength: 255,
  /** Hours after a rotation in which events are also signed with the old secret. */
  rotationHours: 24,
  /** Days of failed deliveries only, after which it is switched off. */
  failingDays: 3,
  /** Days for which deliveries and their attempts are shown before they are erased. */
  keptDays: 30,
  timeoutSeconds: 10,
  /** Tests per account, enough to save and then switch on ten tokens. */
  testsPerMinute: 20,
} as const;

/**
 * Why a webhook is off: it never passed the test, its owner switched it off, it answered 410, or every delivery failed
 * for three days.
 */
export const WebhookOffReason = schema(() => z.enum(['unconfirmed', 'owner', 'gone', 'failing']));
export type WebhookOffReason = Output<typeof WebhookOffReason>;

export const Webhook = schema(() =>
  z.object({
    token_id: Id('token'),
    url: z.string(),
    format: WebhookFormat(),
    /** The events to send; null: all, including those of later versions. */
    kinds: z.nullable(z.array(EventType())),
    state: z.enum(['on', 'off']),
    off_reason: z.nullable(WebhookOffReason()),
    /** The secret's last four characters; the secret itself is shown once, at creation. */
    secret_hint: z.string(),
    /**
     * The `hub.verify_token` of the handshake in the format `cloud`: set by its owner, or generated by Kabari before
     * that format is selected.
     */
    verify_token: z.string(),
    /** Until then events are also signed with the previous secret. */
    previous_secret_until: z.nullable(z.coerce.date()),
    /** Since when no delivery has succeeded; null if all is well. */
    failing_since: z.nullable(z.coerce.date()),
    /** No delivery is tried before then, after several failures in a row; null if not paused. */
    paused_until: z.nullable(z.coerce.date()),
    /** Deliveries that wait to be sent, also because of an earlier one of their conversation; counted up to 10,000. */
    pending: z.int(),
    created_at: z.coerce.date(),
    changed_at: z.coerce.date(),
  }),
);
export type Webhook = Output<typeof Webhook>;

const Url = schema(() =>
  z
    .string()
    .check(
      z.trim(),
      z.minLength(1, 'Isi alamat webhook.'),
      z.maxLength(WEBHOOK_LIMITS.urlLength, 'Alamat paling panjang 2.048 karakter.'),
    ),
);

const Kinds = schema(() =>
  z
    .array(EventType())
    .check(
      z.minLength(1, 'Pilih minimal satu peristiwa.'),
      z.maxLength(eventTypes.length, 'Terlalu banyak peristiwa.'),
    ),
);

/** The printable characters that a program may expect as `hub.verify_token`. */
export const isVerifyToken = (text: string): boolean =>
  text.length <= WEBHOOK_LIMITS.verifyTokenLength && /^[!-~]+$/.test(text);

const VerifyToken = schema(() =>
  z
    .string()
    .check(
      z.refine(isVerifyToken, 'Verify token 1 sampai 255 huruf, angka, atau tanda, tanpa spasi.'),
    ),
);

/** The stored fields of a webhook; without `kinds` all events are sent, including those of later versions. */
export const webhookFields = () => ({
  url: Url(),
  format: z.optional(WebhookFormat()),
  kinds: z.optional(Kinds()),
  /** Left out: unchanged; null: the generated one. */
  verify_token: z.optional(z.nullable(VerifyToken())),
});

const ofToken = () => ({ token_id: IdInput('token') });

export const getWebhook = act({
  name: 'webhook_get',
  by: 'customer',
  input: ofToken,
  output: () => z.object({ webhook: z.nullable(Webhook()) }),
});

export const WebhookTest = schema(() =>
  z.object({
    /** True for 2xx. */
    ok: z.boolean(),
    status: z.nullable(z.int()),
    error: z.nullable(z.enum(['refused', 'late', 'unreachable'])),
    ms: z.int(),
    answer: z.string(),
  }),
);
export type WebhookTest = Output<typeof WebhookTest>;

export const SavedWebhook = schema(() =>
  z.object({
    webhook: Webhook(),
    /** The secret of a new webhook, shown once; null if it existed before. */
    secret: z.nullable(z.string()),
    /** The response of its address; null if the address is unchanged and was not tested. */
    test: z.nullable(WebhookTest()),
  }),
);
export type SavedWebhook = Output<typeof SavedWebhook>;

/**
 * Sets the webhook of a token. A new address is tested first: it must answer a signed `webhook.test` with 2xx (or the
 * handshake of its format), and is then on. A webhook that was not on is saved off (`unconfirmed`) if the test fails:
 * its owner stores the secret there and switches it on. One that is on stays unchanged if the new address fails the
 * test (`webhook_unconfirmed`).
 */
export const saveWebhook = act({
  name: 'webhook_save',
  by: 'customer',
  changes: true,
  audited: true,
  requiresRecentPassword: 'to_make',
  input: () => ({ ...ofToken(), ...webhookFields() }),
  output: SavedWebhook,
  refuses: ['webhook_unconfirmed'],
});

/** Switches a webhook off, or on again: then its address is tested first, and waiting deliveries continue. */
export const switchWebhook = act({
  name: 'webhook_switch',
  by: 'customer',
  changes: true,
  audited: true,
  input: () => ({ ...ofToken(), state: z.enum(['on', 'off']) }),
  output: Webhook,
  refuses: ['webhook_unconfirmed'],
});

/** Creates a new secret; events are also signed with the old one for another 24 hours. */
export const rotateWebhookSecret = act({
  name: 'webhook_secret_rotate',
  by: 'customer',
  changes: true,
  audited: true,
  requiresRecentPassword: 'to_take',
  input: ofToken,
  output: () => z.object({ webhook: Webhook(), secret: z.string() }),
});

/** Deletes the webhook of a token with its deliveries and its secret. */
export const deleteWebhook = act({
  name: 'webhook_delete',
  by: 'customer',
  changes: true,
  audited: true,
  input: ofToken,
  output: () => z.object({}),
});

/** Sends `webhook.test` now, also while it is off; a success ends a pause. */
export const testWebhook = act({
  name: 'webhook_test',
  by: 'customer',
  changes: true,
  input: ofToken,
  output: WebhookTest,
});

/** Why a webhook address is refused; `local` also explains how to receive on one's own machine. */
export const addressRefused = {
  public: {
    id: 'Alamat ini tidak dapat dipakai: isi alamat https umum, pada port 443, 80, atau 8443, tanpa kata sandi di dalamnya.',
    en: 'This address cannot be used: expected a public https:// address on port 443, 80 or 8443, without a password in it.',
  },
  local: {
    id: 'Alamat komputer sendiri tidak dapat dihubungi. Untuk mencoba, jalankan `npx kabari forward` di komputer itu; untuk seterusnya isi alamat https umum. Operator dapat mengizinkan alamat lokal dengan pengaturan `WEBHOOK_ORIGINS`.',
    en: 'An address of your own machine cannot be asked. To try things out, run `npx kabari forward` there; for good give a public https:// address. Operators may allow local addresses by the setting `WEBHOOK_ORIGINS`.',
  },
} as const satisfies Record<string, Bilingual>;

/**
 * waiting: for its turn or its next try; delivered: answered with 2xx; parked: given up after the last try, until it is
 * replayed; skipped: nothing was sent, because its message was erased or the format cannot express the event.
 */
export const DeliveryState = schema(() => z.enum(['waiting', 'delivered', 'parked', 'skipped']));
export type DeliveryState = Output<typeof DeliveryState>;

export const deliveryStateLabel: Record<DeliveryState, string> = {
  waiting: 'Menunggu',
  delivered: 'Terkirim',
  parked: 'Dihentikan',
  skipped: 'Dilewati',
};

/**
 * Why a try had no usable response; null if there was a status. `ours`: nothing was sent, because of a fault of
 * Kabari's.
 */
export const AttemptError = schema(() => z.enum(['refused', 'late', 'unreachable', 'ours']));
export type AttemptError = Output<typeof AttemptError>;

export const Delivery = schema(() =>
  z.object({
    /** The header `webhook-id`: the same for every try. */
    id: Id('delivery'),
    seq: z.int(),
    type: EventType(),
    /** When the event happened. */
    created_at: z.coerce.date(),
    state: DeliveryState(),
    tries: z.int(),
    /** The time of the next try; null if there is none, or while it waits for an earlier delivery. */
    next_at: z.nullable(z.coerce.date()),
    last_status: z.nullable(z.int()),
    last_error: z.nullable(AttemptError()),
    ended_at: z.nullable(z.coerce.date()),
    peer: z.nullable(ShownPeer()),
    /** The account's name for the peer, else the peer's own; null without one. */
    name: z.nullable(z.string()),
    message_id: z.nullable(Id('message')),
  }),
);
export type Delivery = Output<typeof Delivery>;

export const DeliveryAttempt = schema(() =>
  z.object({
    n: z.int(),
    at: z.coerce.date(),
    ms: z.int(),
    status: z.nullable(z.int()),
    error: z.nullable(AttemptError()),
    headers: z.record(z.string(), z.string()),
    answer: z.string(),
  }),
);
export type DeliveryAttempt = Output<typeof DeliveryAttempt>;

export const DeliveryDetail = schema(() =>
  z.extend(Delivery(), {
    /** The body as it would be sent now: file links are signed anew. Null if there is nothing left to send. */
    body: z.nullable(z.string()),
    /** The latest 50, the newest first. */
    attempts: z.array(DeliveryAttempt()),
  }),
);
export type DeliveryDetail = Output<typeof DeliveryDetail>;

/** The newest first; `start` counts from the newest. The days are in WIB, and inclusive. */
export const listDeliveries = act({
  name: 'webhook_delivery_list',
  by: 'customer',
  list: 'manual',
  input: () => ({
    ...paging(['seq']),
    ...ofToken(),
    state: z.optional(DeliveryState()),
    type: z.optional(EventType()),
    peer: z.optional(TypedPeer()),
    from: z.optional(CivilDay()),
    to: z.optional(CivilDay()),
  }),
  output: Delivery,
});

export const getDelivery = act({
  name: 'webhook_delivery_get',
  by: 'customer',
  input: () => ({ ...ofToken(), delivery_id: IdInput('delivery') }),
  output: DeliveryDetail,
});

/** Sends one again in any state, after earlier waiting ones of its conversation. */
export const replayDelivery = act({
  name: 'webhook_delivery_replay',
  by: 'customer',
  changes: true,
  input: () => ({ ...ofToken(), delivery_id: IdInput('delivery') }),
  output: Delivery,
  refuses: ['webhook_off'],
});

/** The deliveries of a period to replay: given up ones, or all, delivered ones included. */
export const ReplayWhich = schema(() => z.enum(['parked', 'all']));

/** Deliveries that one call replays at most. */
export const REPLAY_MAX = 50_000;

/** Replays the deliveries of a period, in their order; `more`: some remain. The days are in WIB, and inclusive. */
export const replayDeliveries = act({
  name: 'webhook_deliveries_replay',
  by: 'customer',
  changes: true,
  audited: true,
  input: () => ({ ...ofToken(), from: CivilDay(), to: CivilDay(), which: ReplayWhich() }),
  output: () => z.object({ replayed: z.int(), more: z.boolean() }),
  refuses: ['webhook_off'],
});

const eventInEnglish: Record<EventType, string> = {
  'message.accepted': 'A message was accepted',
  'message.sent': 'A message was sent',
  'message.delivered': 'A message was delivered',
  'message.read': 'A message was read',
  'message.failed': 'A message failed, expired or was cancelled',
  'message.received': 'A message came in',
  'message.edited': 'The sender edited a message that came in',
  'message.revoked': 'The sender deleted a message that came in',
  'token.connected': 'The token was connected to a phone',
  'token.disconnected': 'The token lost its phone',
  'token.linked': 'A phone was linked to the token',
  'saldo.low': 'The saldo is running low',
  'topup.paid': 'A top-up was paid',
  'invoice.issued': 'An invoice was issued',
  'invoice.paid': 'An invoice was paid',
  'optout.added': 'A phone receives nothing more from the token',
};

export const eventSummary = Object.fromEntries(
  eventTypes.map((type) => [type, { id: eventTypeLabel[type], en: eventInEnglish[type] }]),
) as Record<EventType, Bilingual>;

const WebhookAnswer = schema(() => z.object({ webhook: z.nullable(Webhook()) }));

/** Omitted fields get the values of a new webhook. */
const NewWebhook = schema(() =>
  z.strictObject({
    url: withNote(
      z.string().check(z.trim(), z.minLength(1), z.maxLength(WEBHOOK_LIMITS.urlLength)),
      {
        expected: {
          id: 'alamat https:// yang umum, paling panjang 2.048 karakter',
          en: 'a public https:// address of at most 2,048 characters',
        },
        example: 'https://toko.example/kabari',
      },
    ),
    format: z.optional(WebhookFormat()),
    kinds: z.optional(
      withNote(
        z.nullable(z.array(EventType()).check(z.minLength(1), z.maxLength(eventTypes.length))),
        {
          expected: {
            id: 'daftar peristiwa, misalnya ["message.received", "message.failed"], atau null untuk semua',
            en: 'a list of events, such as ["message.received", "message.failed"], or null for all',
          },
          example: ['message.received', 'message.failed'],
        },
      ),
    ),
    verify_token: z.optional(
      withNote(z.nullable(z.string().check(z.refine(isVerifyToken))), {
        expected: {
          id: 'teks 1 sampai 255 karakter ASCII tanpa spasi, atau null untuk yang dibuat Kabari',
          en: 'a text of 1 to 255 ASCII characters without blanks, or null for the one that Kabari makes',
        },
        example: 'kata-sandi-webhook-saya',
      }),
    ),
  }),
);
export type NewWebhook = Output<typeof NewWebhook>;

const RotatedSecret = schema(() => z.object({ webhook: Webhook(), secret: z.string() }));

const FIRST_TIME = Date.UTC(1971, 0, 1);
const LAST_TIME = Date.UTC(9000, 0, 1);

const Time = schema(() =>
  withNote(
    z.pipe(
      z.iso.datetime({ offset: true }).check(
        z.refine((text) => {
          const at = Date.parse(text);
          return at >= FIRST_TIME && at < LAST_TIME;
        }),
      ),
      z.transform((text) => new Date(text)),
    ),
    {
      expected: {
        id: 'waktu ISO 8601 dengan zonanya, misalnya "2026-11-21T02:05:00Z" (di alamat, + ditulis %2B)',
        en: 'an ISO 8601 time with its zone, such as "2026-11-21T02:05:00Z" (in an address, + is written %2B)',
      },
      example: '2026-11-21T02:05:00Z',
    },
  ),
);

const PageLimit = schema(() =>
  withNote(WholeNumber({ minimum: 1, maximum: API_LIMITS.pageMax }), {
    expected: {
      id: `bilangan bulat 1 sampai ${API_LIMITS.pageMax}`,
      en: `a whole number from 1 to ${API_LIMITS.pageMax}`,
    },
  }),
);

const DeliveryQuery = schema(() =>
  z.strictObject({
    limit: z.optional(PageLimit()),
    cursor: z.optional(
      withNote(WholeNumber({ minimum: 1 }), {
        expected: {
          id: 'nilai `next_cursor` dari halaman sebelumnya',
          en: 'the `next_cursor` of the page before',
        },
      }),
    ),
    state: z.optional(DeliveryState()),
    type: z.optional(EventType()),
    peer: z.optional(Recipient()),
    /** The time of the event: `from` is inclusive, `to` exclusive. */
    from: z.optional(Time()),
    to: z.optional(Time()),
  }),
);

const DeliveryPage = schema(() =>
  z.object({ data: z.array(Delivery()), next_cursor: z.nullable(z.int()) }),
);

const ReplayPeriod = schema(() =>
  /** `to` is exclusive. */
  z.strictObject({ from: Time(), to: Time(), which: ReplayWhich() }),
);

const ReplayResult = schema(() =>
  z.object({ replayed: z.int().check(z.maximum(REPLAY_MAX)), more: z.boolean() }),
);

export const webhookEndpoints = {
  getWebhook: endpoint({
    method: 'GET',
    path: '/v1/webhook',
    scope: 'webhooks',
    status: 200,
    summary: { id: 'Webhook token ini', en: 'The webhook of the token' },
    answer: WebhookAnswer,
    refuses: [],
  }),
  setWebhook: endpoint({
    method: 'PUT',
    path: '/v1/webhook',
    scope: 'webhooks',
    status: 200,
    summary: { id: 'Atur webhook', en: 'Set the webhook' },
    body: NewWebhook,
    answer: SavedWebhook,
    refuses: ['body_too_large', 'media_type_unsupported', 'input_invalid', 'webhook_unconfirmed'],
  }),
  removeWebhook: endpoint({
    method: 'DELETE',
    path: '/v1/webhook',
    scope: 'webhooks',
    status: 204,
    summary: { id: 'Hapus webhook', en: 'Delete the webhook' },
    refuses: ['not_found'],
  }),
  testWebhook: endpoint({
    method: 'POST',
    path: '/v1/webhook/test',
    scope: 'webhooks',
    status: 200,
    summary: { id: 'Uji webhook', en: 'Test the webhook' },
    answer: WebhookTest,
    refuses: [...bodyRefused, 'not_found'],
  }),
  rotateWebhookSecret: endpoint({
    method: 'POST',
    path: '/v1/webhook/rotate-secret',
    scope: 'webhooks',
    status: 200,
    summary: { id: 'Ganti kunci webhook', en: 'Replace the secret of the webhook' },
    answer: RotatedSecret,
    refuses: [...bodyRefused, 'not_found'],
  }),
  listDeliveries: endpoint({
    method: 'GET',
    path: '/v1/deliveries',
    scope: 'webhooks',
    status: 200,
    summary: {
      id: 'Daftar pengiriman webhook, terbaru dahulu',
      en: 'List deliveries of the webhook, the newest first',
    },
    query: DeliveryQuery,
    answer: DeliveryPage,
    refuses: ['input_invalid', 'not_found'],
  }),
  getDelivery: endpoint({
    method: 'GET',
    path: '/v1/deliveries/:id',
    scope: 'webhooks',
    status: 200,
    summary: {
      id: 'Satu pengiriman dengan percobaannya',
      en: 'One delivery with its tries',
    },
    answer: DeliveryDetail,
    refuses: ['not_found'],
  }),
  replayDelivery: endpoint({
    method: 'POST',
    path: '/v1/deliveries/:id/replay',
    scope: 'webhooks',
    status: 202,
    summary: { id: 'Kirim ulang satu pengiriman', en: 'Send one delivery anew' },
    answer: Delivery,
    refuses: [...bodyRefused, 'not_found', 'webhook_off'],
  }),
  replayDeliveries: endpoint({
    method: 'POST',
    path: '/v1/deliveries/replay',
    scope: 'webhooks',
    status: 202,
    summary: { id: 'Kirim ulang satu rentang waktu', en: 'Send the deliveries of a period anew' },
    body: ReplayPeriod,
    answer: ReplayResult,
    refuses: [...bodyRefused, 'not_found', 'webhook_off'],
  }),
} as const;

/** The position behind the newest event, to receive only future ones. */
export const LATEST = 'latest';

const Types = schema(() =>
  withNote(
    z.pipe(
      z.pipe(
        z.string().check(z.maxLength(500)),
        z.transform((text) => text.split(',')),
      ),
      z.array(EventType()),
    ),
    {
      expected: {
        id: `nama peristiwa dengan koma di antaranya, dari ${eventTypes.join(', ')}`,
        en: `names of events with commas between them, of ${eventTypes.join(', ')}`,
      },
      example: 'message.received,message.failed',
    },
  ),
);

const EventQuery = schema(() =>
  z.strictObject({
    after: z.optional(
      withNote(z.union([z.literal(LATEST), WholeNumber({ minimum: 0 })]), {
        expected: {
          id: 'nilai `next` dari jawaban sebelumnya, `seq` sebuah peristiwa, 0, atau "latest"',
          en: 'the `next` of the answer before, the `seq` of an event, 0, or "latest"',
        },
      }),
    ),
    limit: z.optional(PageLimit()),
    types: z.optional(Types()),
  }),
);

/** Events in their order; `next` is the position to continue from, also if there are none. */
const EventPage = schema(() =>
  z.object({ data: z.array(WebhookEvent()), next: z.int(), has_more: z.boolean() }),
);

export const eventEndpoints = {
  listEvents: endpoint({
    method: 'GET',
    path: '/v1/events',
    scope: 'webhooks',
    status: 200,
    summary: {
      id: 'Peristiwa sesudah sebuah posisi, terlama dahulu',
      en: 'Events after a position, the oldest first',
    },
    query: EventQuery,
    answer: EventPage,
    refuses: ['input_invalid'],
  }),
} as const;
