import * as z from 'zod/mini';
import { WholeNumber } from '#contract/base/numbers.ts';
import { type Output, schema } from '#contract/base/schema.ts';
import {
  Delivery,
  DeliveryDetail,
  DeliveryState,
  REPLAY_MAX,
  ReplayWhich,
} from '#contract/webhooks/deliveries.ts';
import { EventType, WebhookEvent, eventTypeLabel, eventTypes } from '#contract/webhooks/events.ts';
import {
  SavedWebhook,
  WEBHOOK_LIMITS,
  Webhook,
  WebhookFormat,
  WebhookTest,
  isVerifyToken,
} from '#contract/webhooks/webhook.ts';
import type { InBoth } from '#contract/language/language.ts';
import { bodyRefused, endpoint } from './endpoint.ts';
import { API_LIMITS } from './limits.ts';
import { Recipient, noted } from './notes.ts';

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
