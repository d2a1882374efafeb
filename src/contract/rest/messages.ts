import * as z from 'zod/mini';
import { Id } from '#contract/base/ids.ts';
import { Rupiah } from '#contract/base/money.ts';
import { WholeNumber } from '#contract/base/numbers.ts';
import { ShownPeer } from '#contract/messages/peer.ts';
import { type Output, schema } from '#contract/base/schema.ts';
import { ApiContent } from '#contract/messages/choices.ts';
import { Failure, MessageStatus, MessageType, TimelineStep } from '#contract/messages.ts';
import { bodyRefused, endpoint } from './endpoint.ts';
import { API_LIMITS, MESSAGES_MAX } from './limits.ts';
import { RefusedItem } from './problem.ts';
import { NewMessage } from './new-message.ts';
import { Recipient, noted } from './notes.ts';

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

/** The file of a message, in its `content.file`. Null is what is not known of it. */
export type ApiFile = {
  /** As `GET /v1/media/{id}` takes it. */
  id: string | null;
  mime_type: string | null;
  /** Bytes. */
  size: number | null;
  /** In hexadecimal. */
  sha256: string | null;
  /** Where its bytes are read without a key, until `content.expires_at`; null once it is deleted. */
  url: string | null;
};

/** A message as `GET /v1/messages` shows it; one alone carries its `timeline`. */
export const ApiMessage = schema(() =>
  z.object({
    id: Id('message'),
    direction: z.enum(['out', 'in']),
    token: Id('token'),
    peer: ShownPeer(),
    type: MessageType(),
    status: MessageStatus(),
    price: Rupiah(),
    possible_duplicate: z.boolean(),
    failure: z.nullable(z.object({ code: z.string(), detail: z.string() })),
    ref: z.nullable(z.string()),
    /** What it says. A file of ours is its `file` (`ApiFile`), and a `link`, absolute, good until `expires_at`. */
    content: ApiContent(),
    created_at: z.coerce.date(),
    /** When it was to leave; null when it was to leave at once. */
    send_at: z.nullable(z.coerce.date()),
    /** Seconds from `send_at` (or `created_at`) after which it expires unsent; null when it never does. */
    ttl: z.nullable(z.int()),
    /** A try failed, or nobody answered, and the next follows by itself; `detail` says what need be done, if anything. */
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

/** A page of messages; `next_cursor` is null on the last one. */
const ApiMessagePage = schema(() =>
  z.object({ data: z.array(ApiMessage()), next_cursor: z.nullable(Id('message')) }),
);

/** What became of many messages, in their order. */
const ManyAccepted = schema(() =>
  z.object({
    data: z.array(z.union([Accepted(), RefusedItem()])),
    accepted: z.int(),
    refused: z.int(),
    saldo: Rupiah(),
  }),
);

/** Sending and reading messages. */
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
    summary: { id: 'Batalkan pesan yang belum berangkat', en: 'Cancel a message not yet sent' },
    answer: ApiMessage,
    refuses: [...bodyRefused, 'not_found', 'message_final', 'message_in_flight'],
  }),
} as const;
