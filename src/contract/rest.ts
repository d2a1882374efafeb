import * as z from 'zod/mini';
import { Id } from './base/ids.ts';
import { Recipient, noted } from './rest/notes.ts';
import { Failure, MessageStatus, MessageType, TimelineStep } from './messages.ts';
import { Rupiah } from './base/money.ts';
import { WholeNumber } from './base/numbers.ts';
import { Phone } from './base/phone.ts';
import type { RefusalCode } from './base/refusals.ts';
import { type Output, schema } from './base/schema.ts';

export { NewMessage } from './rest/new-message.ts';
export { fieldNotes } from './rest/notes.ts';

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
  'quoted_not_found',
  'reaction_refused',
  'media_not_found',
  'template_not_found',
  'template_language_needed',
  'template_not_approved',
  'template_variables_unfit',
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
