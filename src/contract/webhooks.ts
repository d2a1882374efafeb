import * as z from 'zod/mini';
import type { InBoth } from '#contract/language/language.ts';
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
import { bodyRefused, endpoint, API_LIMITS, Recipient, noted } from './rest/endpoint.ts';

/** What a customer's program is told of, by webhook and by the feed. New ones may be added. */
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

/** The event in the interface's words. */
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
  'optout.added': 'Penerima berhenti berlangganan',
};

/** What the test button sends, and what a new address must answer; never in the feed. */
export const TEST_EVENT = 'webhook.test';

/** What every event says of itself. */
const facts = () => ({
  account: Id('account'),
  /** Null of events that are the whole account's: saldo, top-ups, invoices. */
  token: z.nullable(Id('token')),
  /** Rises by one or more with each event of the account: where to go on reading the feed. */
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
    /** When it happened. */
    timestamp: z.iso.datetime(),
    data: z.object(data),
  });

const outgoing = <Type extends EventType>(type: Type) =>
  event(type, {
    ...messageFacts(),
    /** As it became with this event; of `message.failed` also `cancelled` and `expired`. */
    status: MessageStatus(),
    /** The caller's own reference. */
    ref: z.nullable(z.string()),
    /** What it costs after this event. */
    price: Rupiah(),
    failure: z.nullable(z.object({ code: Failure(), detail: z.string() })),
  });

/** A message that came in, as it is now. */
const incoming = <Type extends EventType>(type: Type) =>
  event(type, {
    ...messageFacts(),
    peer_name: z.nullable(z.string()),
    /** As `content` of `GET /v1/messages/{id}`: links of files are signed anew. */
    content: ApiContent(),
    /** The message of this conversation that it answers. */
    reply_to: z.nullable(Id('message')),
  });

const tokenEvent = <Type extends EventType>(type: Type) =>
  event(type, {
    ...facts(),
    name: z.string(),
    /** The number that is linked, or was until now. */
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

/** An event as webhooks carry it and the feed lists it. */
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

/** In whose shape events are sent: Kabari's own (Standard Webhooks), or that of another service. */
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

/** The events that each format has words for; the others are passed over. */
export const formatEvents: Readonly<Record<WebhookFormat, readonly EventType[]>> = {
  kabari: eventTypes,
  cloud: [...ofMessages, 'message.edited', 'message.revoked'],
  fonnte: [...ofMessages, ...ofDevices],
  wablas: ['message.accepted', ...ofMessages, ...ofDevices],
};

export const WEBHOOK_LIMITS = {
  urlLength: 2_048,
  verifyTokenLength: 255,
  /** For so many hours after a rotation events are signed with the old secret too. */
  rotationHours: 24,
  /** After so many days of nothing but failures it is switched off. */
  failingDays: 3,
  /** Deliveries and their attempts are shown for so many days, then erased. */
  keptDays: 30,
  /** How long an endpoint may take to answer. */
  timeoutSeconds: 10,
  /** Tests of an account, of all its tokens together: ten tokens that are set, and then switched on. */
  testsPerMinute: 20,
} as const;

/**
 * Why a webhook is off: it never answered the test, its owner switched it off, it answered 410, or nothing
 * succeeded for three days.
 */
export const WebhookOffReason = schema(() => z.enum(['unconfirmed', 'owner', 'gone', 'failing']));
export type WebhookOffReason = Output<typeof WebhookOffReason>;

/** Where the events of a token go. A token has one webhook, or none. */
export const Webhook = schema(() =>
  z.object({
    token_id: Id('token'),
    url: z.string(),
    format: WebhookFormat(),
    /** Which events are sent; null: all, those of later versions too. */
    kinds: z.nullable(z.array(EventType())),
    state: z.enum(['on', 'off']),
    off_reason: z.nullable(WebhookOffReason()),
    /** The secret's last four characters; the secret itself is shown when it is made, and never again. */
    secret_hint: z.string(),
    /**
     * The `hub.verify_token` of the handshake in the format `cloud`: chosen by its owner, or made by Kabari and
     * known before that format is chosen.
     */
    verify_token: z.string(),
    /** Until then events are signed with the secret from before, too. */
    previous_secret_until: z.nullable(z.coerce.date()),
    /** Nothing has succeeded since then; null while all is well. */
    failing_since: z.nullable(z.coerce.date()),
    /** Not tried before then, because it failed several times in a row; null while it is tried freely. */
    paused_until: z.nullable(z.coerce.date()),
    /** Deliveries that wait to be sent, also because of an earlier one of their conversation; at most 10,000 are counted. */
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
      z.minLength(1, 'Pilih paling sedikit satu peristiwa.'),
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

/** What is saved of a webhook; without `kinds` all events are sent, those of later versions too. */
export const webhookFields = () => ({
  url: Url(),
  format: z.optional(WebhookFormat()),
  kinds: z.optional(Kinds()),
  /** Left out: as it was; null: the one that Kabari makes. */
  verify_token: z.optional(z.nullable(VerifyToken())),
});

const ofToken = () => ({ token_id: IdInput('token') });

/** The webhook of a token; null where it has none. */
export const getWebhook = act({
  name: 'webhook_get',
  by: 'customer',
  input: ofToken,
  output: () => z.object({ webhook: z.nullable(Webhook()) }),
});

/** What an endpoint answered to the test. */
export const WebhookTest = schema(() =>
  z.object({
    /** True for 2xx. */
    ok: z.boolean(),
    /** Null without an answer. */
    status: z.nullable(z.int()),
    /** Why there was none: an address that may not be asked, too late, no connection. */
    error: z.nullable(z.enum(['refused', 'late', 'unreachable'])),
    ms: z.int(),
    /** The first 200 printable characters of the answer. */
    answer: z.string(),
  }),
);
export type WebhookTest = Output<typeof WebhookTest>;

/** What saving did. */
export const SavedWebhook = schema(() =>
  z.object({
    webhook: Webhook(),
    /** The secret of a new webhook, this once; null for one that has its secret. */
    secret: z.nullable(z.string()),
    /** What its address answered; null where it was not asked, for nothing about it changed. */
    test: z.nullable(WebhookTest()),
  }),
);
export type SavedWebhook = Output<typeof SavedWebhook>;

/**
 * Sets the webhook of a token. A new address is asked first: it must answer a signed `webhook.test` with
 * 2xx (or the handshake of its format), and is on then. A webhook that was not on is saved all the same, off
 * (`unconfirmed`): its owner stores the secret there and switches it on. One that is on stays as it is
 * when the new address does not answer (`webhook_unconfirmed`).
 */
export const saveWebhook = act({
  name: 'webhook_save',
  by: 'customer',
  changes: true,
  audited: true,
  requiresRecentPassword: true,
  input: () => ({ ...ofToken(), ...webhookFields() }),
  output: SavedWebhook,
  refuses: ['webhook_unconfirmed'],
});

/** Switches a webhook off, or on again: then its address is asked first, and what waited goes on. */
export const switchWebhook = act({
  name: 'webhook_switch',
  by: 'customer',
  changes: true,
  audited: true,
  input: () => ({ ...ofToken(), state: z.enum(['on', 'off']) }),
  output: Webhook,
  refuses: ['webhook_unconfirmed'],
});

/** A new secret; events are signed with the old one too for another 24 hours. */
export const rotateWebhookSecret = act({
  name: 'webhook_secret_rotate',
  by: 'customer',
  changes: true,
  audited: true,
  requiresRecentPassword: true,
  input: ofToken,
  output: () => z.object({ webhook: Webhook(), secret: z.string() }),
});

/** Forgets the webhook of a token, its deliveries and its secret. */
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

/** Why a webhook address is refused; `local` also says how to receive on one's own machine. */
export const addressRefused = {
  public: {
    id: 'Alamat ini tidak dapat dipakai: isi alamat https umum, pada port 443, 80, atau 8443, tanpa kata sandi di dalamnya.',
    en: 'This address cannot be used: expected a public https:// address on port 443, 80 or 8443, without a password in it.',
  },
  local: {
    id: 'Alamat komputer sendiri tidak dapat dihubungi. Untuk mencoba, jalankan `npx kabari forward` di komputer itu; untuk seterusnya isi alamat https umum. Operator dapat mengizinkan alamat lokal dengan setelan `WEBHOOK_ORIGINS`.',
    en: 'An address of your own machine cannot be asked. To try things out, run `npx kabari forward` there; for good give a public https:// address. Operators may allow local addresses by the setting `WEBHOOK_ORIGINS`.',
  },
} as const satisfies Record<string, InBoth>;

/**
 * waiting: for its turn or its next try; delivered: answered with 2xx; parked: given up after the last try,
 * until it is sent anew; skipped: nothing was sent, its message was erased or the format has no word for the event.
 */
export const DeliveryState = schema(() => z.enum(['waiting', 'delivered', 'parked', 'skipped']));
export type DeliveryState = Output<typeof DeliveryState>;

/** The state in the interface's words. */
export const deliveryStateLabel: Record<DeliveryState, string> = {
  waiting: 'Menunggu',
  delivered: 'Terkirim',
  parked: 'Dihentikan',
  skipped: 'Dilewati',
};

/** Why a try had no usable answer; null where there was a status. `ours`: nothing was sent, for a fault of Kabari's. */
export const AttemptError = schema(() => z.enum(['refused', 'late', 'unreachable', 'ours']));
export type AttemptError = Output<typeof AttemptError>;

/** One event on its way to a webhook. */
export const Delivery = schema(() =>
  z.object({
    /** The header `webhook-id`: the same for every try. */
    id: Id('delivery'),
    /** The event's position in the account. */
    seq: z.int(),
    type: EventType(),
    /** When the event happened. */
    created_at: z.coerce.date(),
    state: DeliveryState(),
    tries: z.int(),
    /** When it is tried next; null when it is not, or while it waits for one before it. */
    next_at: z.nullable(z.coerce.date()),
    /** What was answered last; null without an answer. */
    last_status: z.nullable(z.int()),
    last_error: z.nullable(AttemptError()),
    ended_at: z.nullable(z.coerce.date()),
    /** Whom the event is about: the number at the other end; null where it is about nobody, or was erased. */
    peer: z.nullable(ShownPeer()),
    /** The message whose event it is. */
    message_id: z.nullable(Id('message')),
  }),
);
export type Delivery = Output<typeof Delivery>;

/** One try: what was sent, what was answered, and how long it took. */
export const DeliveryAttempt = schema(() =>
  z.object({
    n: z.int(),
    at: z.coerce.date(),
    ms: z.int(),
    status: z.nullable(z.int()),
    error: z.nullable(AttemptError()),
    /** As they were sent, the signature too. */
    headers: z.record(z.string(), z.string()),
    /** The first 200 printable characters of the answer. */
    answer: z.string(),
  }),
);
export type DeliveryAttempt = Output<typeof DeliveryAttempt>;

export const DeliveryDetail = schema(() =>
  z.extend(Delivery(), {
    /** What is sent, as it would be now: links of files are signed anew. Null when there is nothing left to send. */
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

/** Sends one anew, whatever became of it, after what waits before it in its conversation. */
export const replayDelivery = act({
  name: 'webhook_delivery_replay',
  by: 'customer',
  changes: true,
  input: () => ({ ...ofToken(), delivery_id: IdInput('delivery') }),
  output: Delivery,
  refuses: ['webhook_off'],
});

/** Which of a period: those that were given up, or all, also those that arrived. */
export const ReplayWhich = schema(() => z.enum(['parked', 'all']));

/** So many are sent anew by one call, at most. */
export const REPLAY_MAX = 50_000;

/** Sends those of a period anew, in their order; `more`: not all of them yet. The days are in WIB, and inclusive. */
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

/** Each event in a few words. */
export const eventSummary = Object.fromEntries(
  eventTypes.map((type) => [type, { id: eventTypeLabel[type], en: eventInEnglish[type] }]),
) as Record<EventType, InBoth>;

/** The webhook of the key's token; null while it has none. */
const WebhookAnswer = schema(() => z.object({ webhook: z.nullable(Webhook()) }));

/** A webhook as it is set: what is left out is as for a new one. */
const NewWebhook = schema(() =>
  z.strictObject({
    url: noted(z.string().check(z.trim(), z.minLength(1), z.maxLength(WEBHOOK_LIMITS.urlLength)), {
      expected: {
        id: 'alamat https:// yang umum, paling panjang 2.048 karakter',
        en: 'a public https:// address of at most 2,048 characters',
      },
      example: 'https://toko.example/kabari',
    }),
    format: z.optional(WebhookFormat()),
    kinds: z.optional(
      noted(
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
      noted(z.nullable(z.string().check(z.refine(isVerifyToken))), {
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

/** A new secret, this once. */
const RotatedSecret = schema(() => z.object({ webhook: Webhook(), secret: z.string() }));

/** The instants that ids and the database can tell. */
const FIRST_TIME = Date.UTC(1971, 0, 1);
const LAST_TIME = Date.UTC(9000, 0, 1);

const Time = schema(() =>
  noted(
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
  noted(WholeNumber({ minimum: 1, maximum: API_LIMITS.pageMax }), {
    expected: {
      id: `bilangan bulat 1 sampai ${API_LIMITS.pageMax}`,
      en: `a whole number from 1 to ${API_LIMITS.pageMax}`,
    },
  }),
);

/** Query of `GET /v1/deliveries`: cursor paging, the newest event first. */
const DeliveryQuery = schema(() =>
  z.strictObject({
    limit: z.optional(PageLimit()),
    cursor: z.optional(
      noted(WholeNumber({ minimum: 1 }), {
        expected: {
          id: 'nilai `next_cursor` dari halaman sebelumnya',
          en: 'the `next_cursor` of the page before',
        },
      }),
    ),
    state: z.optional(DeliveryState()),
    type: z.optional(EventType()),
    peer: z.optional(Recipient()),
    /** When the event happened: from then on, and before `to`. */
    from: z.optional(Time()),
    to: z.optional(Time()),
  }),
);

const DeliveryPage = schema(() =>
  z.object({ data: z.array(Delivery()), next_cursor: z.nullable(z.int()) }),
);

/** The events of which period are sent anew; `to` is not part of it. */
const ReplayPeriod = schema(() =>
  z.strictObject({ from: Time(), to: Time(), which: ReplayWhich() }),
);

/** How many are sent anew, at most `REPLAY_MAX`; `more`: not all of them yet. */
const Replayed = schema(() =>
  z.object({ replayed: z.int().check(z.maximum(REPLAY_MAX)), more: z.boolean() }),
);

/** Where the events of a key's token are sent, and what became of each. */
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
    summary: { id: 'Ganti rahasia webhook', en: 'Replace the secret of the webhook' },
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
    answer: Replayed,
    refuses: [...bodyRefused, 'not_found', 'webhook_off'],
  }),
} as const;

/** Behind the newest event: for who wants what happens from now on. */
export const LATEST = 'latest';

const Types = schema(() =>
  noted(
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

/** Query of `GET /v1/events`: what happened after a position, the oldest first. */
const EventQuery = schema(() =>
  z.strictObject({
    after: z.optional(
      noted(z.union([z.literal(LATEST), WholeNumber({ minimum: 0 })]), {
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

/** Events in their order; `next` is where to go on, also where there are none. */
const EventPage = schema(() =>
  z.object({ data: z.array(WebhookEvent()), next: z.int(), has_more: z.boolean() }),
);

/** What happened to a token and its account, for who has no webhook. */
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
