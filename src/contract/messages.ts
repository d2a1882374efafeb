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

/** Which way a message went, seen from the account. */
export const Direction = schema(() => z.enum(['out', 'in']));
export type Direction = Output<typeof Direction>;

/** The directions in the interface's words. */
export const directionLabel: Record<Direction, string> = { out: 'Keluar', in: 'Masuk' };

/** What each means: docs/wire.md#message-states. */
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
 * How far a message has come, for the whole product: `status_rank` in the database says the same. A status
 * only rises: news that comes late, or twice, changes nothing.
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
 * True when `next` says more than `now` does. An end that was assumed, and was proved wrong by `sent`, is
 * corrected: which ends were assumed is known to the database alone.
 */
export const rises = (now: MessageStatus, next: MessageStatus): boolean =>
  statusRank[next] > statusRank[now] || (ends.has(now) && next === 'sent');

/** The status in the interface's words. */
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

/** What a message carries. What else a new one needs: docs/contributing.md#a-message-type. */
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
    /** Only inbound: a kind that has no type of its own. `content.kind` names it, `content.text` says it. */
    'other',
  ]),
);
export type MessageType = Output<typeof MessageType>;

/** The types in the interface's words. */
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

/** Why messages fail. What each means, in words: `messages/failures.ts`. */
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
/** One of those reasons. */
export const Failure = schema(() => z.enum(failureCodes));

/** A row of the history. */
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
    /** What it costs, as it stands now: 0 once its price was given back. */
    price: Rupiah(),
    possible_duplicate: z.boolean(),
    failure: z.nullable(Failure()),
    created_at: z.coerce.date(),
    /** When it will leave, while it is scheduled; null otherwise. */
    scheduled_at: z.nullable(z.coerce.date()),
  }),
);
export type MessageRow = Output<typeof MessageRow>;

/** What a message shows of the one that it answers. */
export const Quoted = schema(() =>
  z.object({
    /** Null where only the network knew it. */
    id: z.nullable(Id('message')),
    direction: Direction(),
    type: MessageType(),
    excerpt: z.string(),
  }),
);
export type Quoted = Output<typeof Quoted>;

/** A message as its conversation shows it. */
export const ConversationMessage = schema(() =>
  z.extend(MessageRow(), {
    content: ChatContent(),
    quoted: z.nullable(Quoted()),
    /** One of each side at most; in a conversation only. */
    reactions: z.array(z.object({ direction: Direction(), emoji: z.string() })),
  }),
);
export type ConversationMessage = Output<typeof ConversationMessage>;

/**
 * One step of a message's life. `detail` says more where there is more: a reason, a try's number.
 * `unknown`: a try was not answered. `waiting`, always last: what is being waited for now, since `at`.
 * `corrected`: a final state was proved wrong by what the network told later.
 * `edited`, `revoked`: the sender changed or deleted an inbound message; `detail` is its former text.
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

/** A message with everything that is known of it. */
export const MessageDetail = schema(() =>
  z.extend(ConversationMessage(), {
    ref: z.nullable(z.string()),
    timeline: z.array(TimelineStep()),
    /**
     * What the message did to the saldo: reserved at accept, then charged or given back. What was given
     * back by mistake is charged again (`correct_seq`), or waived where the saldo did not hold it any more.
     */
    charge: z.nullable(
      z.object({
        state: z.enum(['held', 'captured', 'released', 'waived']),
        /** What was reserved. */
        amount: Rupiah(),
        hold_seq: z.nullable(z.int()),
        settle_seq: z.nullable(z.int()),
        correct_seq: z.nullable(z.int()),
      }),
    ),
    /** Whether it was taken from the quota of the plan; not where it was given back to it. */
    by_quota: z.boolean(),
    /** While a try failed and another one follows by itself: why, how often it was tried, and when it is tried again. */
    retrying: z.nullable(
      z.object({
        failure: Failure(),
        /** Whether it is only awaited what became of the last try. */
        unanswered: z.boolean(),
        tries: z.int(),
        /** Not before; null while a try is under way. */
        next_at: z.nullable(z.coerce.date()),
      }),
    ),
    /** The message as the API shows it. */
    raw: z.record(z.string(), z.unknown()),
  }),
);
export type MessageDetail = Output<typeof MessageDetail>;

/** Statuses the table filters by; `waiting` is accepted, queued and sending together. */
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

/** One or more of those, `status[]` on the wire. A bare `status`, as in older links and views, is a list of one. */
const StatusFilters = schema(() =>
  z.pipe(
    z.transform((given: StatusFilter[]) => [given].flat()),
    z.array(StatusFilter()).check(z.minLength(1), z.maxLength(StatusFilter().options.length)),
  ),
);

/** Those statuses in the interface's words. */
export const statusFilterLabel = (status: StatusFilter): string =>
  messageStatusLabel[status === 'waiting' ? 'queued' : status];

/** What is searched for is no longer than that, in UTF-16 units. */
export const MESSAGE_QUERY_MAX = 100;

/** By what rows of the history are chosen, beside token and search; `from` and `to` are inclusive days in WIB. */
export const rowFilters = () => ({
  from: z.optional(CivilDay()),
  to: z.optional(CivilDay()),
  status: z.optional(StatusFilters()),
  direction: z.optional(Direction()),
  type: z.optional(MessageType()),
});

/** Newest first unless sorted. */
export const listMessages = act({
  name: 'message_list',
  by: 'customer',
  list: 'default',
  input: () => ({
    ...paging(['created_at']),
    ...rowFilters(),
    token_id: z.optional(IdInput('token')),
    /** A number or the beginning of one, as typed; else the beginning of a name, or words of the messages. */
    q: z.optional(z.string().check(z.trim(), z.maxLength(MESSAGE_QUERY_MAX))),
  }),
  output: MessageRow,
});

/** One message with everything that is known of it; `not_found` where it is no message of the account. */
export const getMessage = act({
  name: 'message_get',
  by: 'customer',
  input: () => ({ message_id: IdInput('message') }),
  output: MessageDetail,
});

/**
 * Fetches the image of a message whose address lies on another host, and keeps it as the message's file. Called again
 * until it is no longer `waiting`; `failed` where the host has no image there, or none that is taken.
 */
export const loadImage = act({
  name: 'message_image_load',
  by: 'customer',
  changes: true,
  input: () => ({ message_id: IdInput('message') }),
  output: () => z.object({ state: z.enum(['waiting', 'ready', 'failed']), content: ChatContent() }),
});

/** The longest text, in UTF-16 units. */
export const TEXT_MAX = 4096;

/** Why a message of the browser is not placed. */
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

/** Sends one text from the browser: a reply, or the first message to a number. */
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
    /** A message of this conversation that it answers. */
    reply_to: z.optional(IdInput('message')),
  }),
  output: ConversationMessage,
  refuses: sendRefusals,
});

/** Takes back a message that has not left, and releases its price; a cancelled one is answered again. */
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
    sent: z.int(),
    delivered: z.int(),
    read: z.int(),
    failed: z.int(),
    received: z.int(),
  }),
);

/** Beranda. A message counts once, under the status it has reached, on the day it was accepted (WIB). */
export const homeSummary = act({
  name: 'home_summary',
  by: 'customer',
  output: () =>
    z.object({
      saldo: z.object({ available: Rupiah(), held: Rupiah() }),
      /** What the account was given at the beginning. */
      welcome_bonus: Rupiah(),
      checklist: z.object({
        topped_up: z.boolean(),
        has_token: z.boolean(),
        linked: z.boolean(),
        sent: z.boolean(),
      }),
      /** By which channel the first message goes: that of the first token that is connected, else of the first. */
      channel: z.nullable(ChannelName()),
      unread: z.int(),
      today: DayFigures(),
      yesterday: DayFigures(),
      /** The last 30 days, oldest first, today included. */
      days: z.array(z.extend(DayFigures(), { date: z.string(), waiting: z.int() })),
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
            /** Of its webhook: it never answered the test, answered 410, or only failed for three days; it fails. */
            'webhook_unconfirmed',
            'webhook_gone',
            'webhook_failing',
            'webhook_erring',
          ]),
        }),
      ),
      /** Out and in, without answers that only stop or resume receiving. */
      newest: z.array(MessageRow()),
    }),
});
export type HomeSummary = z.output<typeof homeSummary.output>;

/** Whether a message can be sent once more: ours, not a reaction, and it ended without arriving. */
export const mayResend = (message: {
  direction: Direction;
  type: MessageType;
  status: MessageStatus;
}): boolean =>
  message.direction === 'out' && message.type !== 'reaction' && ends.has(message.status);
