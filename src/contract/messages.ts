import * as z from 'zod/mini';
import { act, paging } from './base/act.ts';
import { CivilDay } from './base/days.ts';
import { Id, IdInput } from './base/ids.ts';
import { Rupiah } from './base/money.ts';
import type { RefusalCode } from './base/refusals.ts';
import { Peer, TypedPeer } from './messages/peer.ts';
import { ChatContent } from './messages/content.ts';
import { ChannelName, TokenStatus } from './tokens.ts';
import { type Output, schema } from './base/schema.ts';

/** Seen from the account. */
export const Direction = schema(() => z.enum(['out', 'in']));
export type Direction = Output<typeof Direction>;

export const directionLabel: Record<Direction, string> = { out: 'Keluar', in: 'Masuk' };

/** Meanings: docs/wire.md#message-states. */
export const MessageStatus = schema(() =>
  z.enum([
    'scheduled',
    'accepted',
    'queued',
    'sending',
    'sent',
    'delivered',
    'read',
    'failed',
    'cancelled',
    'expired',
    'received',
  ]),
);
export type MessageStatus = Output<typeof MessageStatus>;

/**
 * The order of the statuses; `status_rank` in the database is the same. A status only rises: late or repeated reports
 * change nothing.
 */
export const statusRank: Record<MessageStatus, number> = {
  scheduled: 0,
  accepted: 1,
  queued: 2,
  sending: 3,
  sent: 4,
  failed: 5,
  cancelled: 5,
  expired: 5,
  delivered: 6,
  read: 7,
  received: 7,
};

const ends: ReadonlySet<MessageStatus> = new Set(['failed', 'cancelled', 'expired']);

/**
 * Whether `next` supersedes `now`. The exception is not covered here: an assumed final state that `sent` disproves is
 * corrected, and only the database knows which final states were assumed.
 */
export const rises = (now: MessageStatus, next: MessageStatus): boolean =>
  statusRank[next] > statusRank[now] || (ends.has(now) && next === 'sent');

export const messageStatusLabel: Record<MessageStatus, string> = {
  scheduled: 'Terjadwal',
  accepted: 'Antre',
  queued: 'Antre',
  sending: 'Mengirim',
  sent: 'Terkirim',
  delivered: 'Sampai',
  read: 'Dibaca',
  failed: 'Gagal',
  cancelled: 'Dibatalkan',
  expired: 'Kedaluwarsa',
  received: 'Diterima',
};

/** A new type needs further changes: docs/contributing.md#a-message-type. */
export const MessageType = schema(() =>
  z.enum([
    'text',
    'image',
    'video',
    'audio',
    'document',
    'sticker',
    'location',
    'contact',
    'template',
    'reaction',
    /** Only inbound: a kind without a type of its own. `content.kind` names it, `content.text` describes it. */
    'other',
  ]),
);
export type MessageType = Output<typeof MessageType>;

export const messageTypeLabel: Record<MessageType, string> = {
  text: 'Teks',
  image: 'Gambar',
  video: 'Video',
  audio: 'Pesan suara',
  document: 'Dokumen',
  sticker: 'Stiker',
  location: 'Lokasi',
  contact: 'Kontak',
  template: 'Templat',
  reaction: 'Reaksi',
  other: 'Lainnya',
};

/** Reasons of failure; `messages/failures.ts` has the sentences. */
export const failureCodes = [
  'not_on_whatsapp',
  'blocked',
  'rate_limited',
  'not_linked',
  'no_answer',
  'rejected',
  'opted_out',
  'media_unreachable',
  'media_refused',
  'window_closed',
  'network_declined',
  'template_refused',
  'network_billing',
  'network_access',
  'number_restricted',
  'unexplained',
] as const;
export type Failure = (typeof failureCodes)[number];
export const Failure = schema(() => z.enum(failureCodes));

export const MessageRow = schema(() =>
  z.object({
    id: Id('message'),
    direction: Direction(),
    token: z.object({ id: Id('token'), name: z.string() }),
    peer: Peer(),
    peer_name: z.nullable(z.string()),
    type: MessageType(),
    excerpt: z.string(),
    status: MessageStatus(),
    /** The present cost: 0 once its price was given back. */
    price: Rupiah(),
    possible_duplicate: z.boolean(),
    failure: z.nullable(Failure()),
    created_at: z.coerce.date(),
    scheduled_at: z.nullable(z.coerce.date()),
  }),
);
export type MessageRow = Output<typeof MessageRow>;

export const Quoted = schema(() =>
  z.object({
    /** Null if only the network has the message. */
    id: z.nullable(Id('message')),
    direction: Direction(),
    type: MessageType(),
    excerpt: z.string(),
  }),
);
export type Quoted = Output<typeof Quoted>;

export const ConversationMessage = schema(() =>
  z.extend(MessageRow(), {
    content: ChatContent(),
    quoted: z.nullable(Quoted()),
    /** One per side at most; in a conversation only. */
    reactions: z.array(z.object({ direction: Direction(), emoji: z.string() })),
  }),
);
export type ConversationMessage = Output<typeof ConversationMessage>;

/**
 * One step of a message's timeline. `detail` has a reason or the number of a try. `unknown`: a try had no answer.
 * `waiting`, always last: what it waits for since `at`. `corrected`: a later report disproved a final state. `edited`,
 * `revoked`: the sender changed or deleted an inbound message; `detail` is its former text.
 */
export const TimelineStep = schema(() =>
  z.object({
    kind: z.enum([
      ...MessageStatus().options,
      'retrying',
      'unknown',
      'waiting',
      'corrected',
      'edited',
      'revoked',
    ]),
    at: z.coerce.date(),
    detail: z.nullable(z.string()),
  }),
);
export type TimelineStep = Output<typeof TimelineStep>;

export const MessageDetail = schema(() =>
  z.extend(ConversationMessage(), {
    ref: z.nullable(z.string()),
    timeline: z.array(TimelineStep()),
    /**
     * Effect on the saldo: reserved at acceptance, then charged or given back. A mistaken refund is charged again
     * (`correct_seq`), or waived if the saldo no longer covers it.
     */
    charge: z.nullable(
      z.object({
        state: z.enum(['held', 'captured', 'released', 'waived']),
        amount: Rupiah(),
        hold_seq: z.nullable(z.int()),
        settle_seq: z.nullable(z.int()),
        correct_seq: z.nullable(z.int()),
      }),
    ),
    /** True if the quota of the plan covered it and it was not returned to the quota. */
    by_quota: z.boolean(),
    /** Set while a try failed and another follows: the reason, the number of tries, and the time of the next. */
    retrying: z.nullable(
      z.object({
        failure: Failure(),
        /** Whether the last try had no answer yet. */
        unanswered: z.boolean(),
        tries: z.int(),
        /** The earliest time of the next try; null while a try is in progress. */
        next_at: z.nullable(z.coerce.date()),
      }),
    ),
    raw: z.record(z.string(), z.unknown()),
  }),
);
export type MessageDetail = Output<typeof MessageDetail>;

/** Statuses of the table's filter; `waiting` is accepted, queued and sending together. */
export const StatusFilter = schema(() =>
  z.enum([
    'scheduled',
    'waiting',
    'sent',
    'delivered',
    'read',
    'failed',
    'cancelled',
    'expired',
    'received',
  ]),
);
export type StatusFilter = Output<typeof StatusFilter>;

const StatusFilters = schema(() =>
  z.pipe(
    z.transform((given: StatusFilter[]) => [given].flat()),
    z.array(StatusFilter()).check(z.minLength(1), z.maxLength(StatusFilter().options.length)),
  ),
);

export const statusFilterLabel = (status: StatusFilter): string =>
  messageStatusLabel[status === 'waiting' ? 'queued' : status];

export const MESSAGE_QUERY_MAX = 100;

/** `from` and `to` are inclusive days in WIB. */
export const rowFilters = () => ({
  from: z.optional(CivilDay()),
  to: z.optional(CivilDay()),
  status: z.optional(StatusFilters()),
  direction: z.optional(Direction()),
  type: z.optional(MessageType()),
});

export const listMessages = act({
  name: 'message_list',
  by: 'customer',
  list: 'default',
  input: () => ({
    ...paging(['created_at']),
    ...rowFilters(),
    token_id: z.optional(IdInput('token')),
    /** A number or its beginning, as typed; else the beginning of a name, or words of the messages. */
    q: z.optional(z.string().check(z.trim(), z.maxLength(MESSAGE_QUERY_MAX))),
  }),
  output: MessageRow,
});

export const getMessage = act({
  name: 'message_get',
  by: 'customer',
  input: () => ({ message_id: IdInput('message') }),
  output: MessageDetail,
});

/**
 * Fetches the image of a message from a foreign host and stores it as the message's file. Repeat until it is no longer
 * `waiting`; `failed` if the host has no acceptable image.
 */
export const loadImage = act({
  name: 'message_image_load',
  by: 'customer',
  changes: true,
  input: () => ({ message_id: IdInput('message') }),
  output: () => z.object({ state: z.enum(['waiting', 'ready', 'failed']), content: ChatContent() }),
});

/** In UTF-16 units. */
export const TEXT_MAX = 4096;

export const sendRefusals = [
  'saldo_short',
  'bonus_only',
  'wallet_frozen',
  'token_limit_reached',
  'token_not_linked',
  'recipient_opted_out',
  'recipient_without_number',
  'account_suspended',
  'queue_full',
  'ref_conflict',
  'quoted_not_found',
  'window_closed',
] as const satisfies readonly RefusalCode[];

export const sendMessage = act({
  name: 'message_send',
  by: 'customer',
  changes: true,
  input: () => ({
    token_id: IdInput('token'),
    to: TypedPeer(),
    text: z
      .string()
      .check(
        z.minLength(1, 'Tulis pesannya.'),
        z.maxLength(TEXT_MAX, `Pesan paling panjang ${TEXT_MAX} karakter.`),
      ),
    reply_to: z.optional(IdInput('message')),
  }),
  output: ConversationMessage,
  refuses: sendRefusals,
});

/** Cancels an unsent message and releases its price; repeating it returns the cancelled message. */
export const cancelMessage = act({
  name: 'message_cancel',
  by: 'customer',
  changes: true,
  input: () => ({ message_id: IdInput('message') }),
  output: MessageRow,
  refuses: ['message_final', 'message_in_flight'],
});

const DayFigures = schema(() =>
  z.object({
    /** All outbound messages of the day. */
    accepted: z.int(),
    waiting: z.int(),
    sent: z.int(),
    delivered: z.int(),
    read: z.int(),
    failed: z.int(),
    received: z.int(),
  }),
);

/**
 * Beranda. A message counts on the day it was accepted (WIB), in cumulative figures (`messages/counts.ts`): a read one
 * is also among the delivered and the sent ones.
 */
export const homeSummary = act({
  name: 'home_summary',
  by: 'customer',
  output: () =>
    z.object({
      saldo: z.object({ available: Rupiah(), held: Rupiah() }),
      welcome_bonus: Rupiah(),
      checklist: z.object({
        topped_up: z.boolean(),
        has_token: z.boolean(),
        linked: z.boolean(),
        sent: z.boolean(),
      }),
      channel: z.nullable(ChannelName()),
      unread: z.int(),
      today: DayFigures(),
      yesterday: DayFigures(),
      /** The last 30 days, oldest first, today included. */
      days: z.array(z.extend(DayFigures(), { date: z.string() })),
      attention: z.array(
        z.object({
          token_id: Id('token'),
          name: z.string(),
          status: TokenStatus(),
          channel: ChannelName(),
          reason: z.enum([
            'under_review',
            'not_linked',
            'disconnected',
            'suspended',
            'limit_near',
            'expired',
            'expires_soon',
            /**
             * Webhook failures: it never answered the test, answered 410, or failed for three days; or it fails now.
             */
            'webhook_unconfirmed',
            'webhook_gone',
            'webhook_failing',
            'webhook_erring',
          ]),
        }),
      ),
      /** The plan that waits for its payment, or is suspended without it; null without a debt. */
      unpaid_plan: z.nullable(
        z.object({
          name: z.string(),
          status: z.enum(['past_due', 'suspended']),
          /** Until when it stays in force. */
          grace_until: z.nullable(z.coerce.date()),
        }),
      ),
      /** Campaigns that paused by themselves and wait to be resumed, newest first, at most three. */
      paused: z.array(z.object({ id: Id('campaign'), name: z.string(), waiting: z.int() })),
      /**
       * Both directions, without replies that only stop or resume messages. One message stands for all recent ones of
       * its campaign.
       */
      newest: z.array(
        z.extend(MessageRow(), {
          campaign: z.nullable(
            z.object({ id: Id('campaign'), name: z.string(), messages: z.int() }),
          ),
        }),
      ),
    }),
});
export type HomeSummary = z.output<typeof homeSummary.output>;

/** Whether a message can be resent: outbound, not a reaction, and it ended undelivered. */
export const mayResend = (message: {
  direction: Direction;
  type: MessageType;
  status: MessageStatus;
}): boolean =>
  message.direction === 'out' && message.type !== 'reaction' && ends.has(message.status);
