import * as z from 'zod/mini';
import { Id } from '#contract/base/ids.ts';
import { Rupiah } from '#contract/base/money.ts';
import { ShownPeer, ShownPhone } from '#contract/messages/peer.ts';
import { type Output, schema } from '#contract/base/schema.ts';
import { Failure, MessageStatus, MessageType } from '#contract/messages.ts';
import { ApiContent } from '#contract/messages/choices.ts';
import { OptoutSource } from '#contract/messages/optouts.ts';

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

const ofToken = <Type extends EventType>(type: Type) =>
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
    ofToken('token.connected'),
    ofToken('token.disconnected'),
    ofToken('token.linked'),
    event('saldo.low', { ...facts(), threshold: Rupiah(), available: Rupiah() }),
    event('topup.paid', { ...facts(), id: Id('topup'), amount: Rupiah(), total: Rupiah() }),
    ofInvoice('invoice.issued'),
    ofInvoice('invoice.paid'),
    event('optout.added', { ...facts(), peer: ShownPeer(), source: OptoutSource() }),
  ]),
);
export type WebhookEvent = Output<typeof WebhookEvent>;
