import * as z from 'zod/mini';
import type { RefusalCode } from '#contract/base/refusals.ts';
import type { InBoth } from '#contract/language/language.ts';
import type { Scope } from '#contract/tokens.ts';
import { CardPhone, TypedPeer } from '#contract/messages/peer.ts';
import { schema, type Output } from '#contract/base/schema.ts';

type Declared = () => z.ZodMiniType;

/**
 * One endpoint of the API as the registry declares it. Who answers calls, the OpenAPI document, the page
 * /docs and the tests of permissions and examples all read this.
 */
export type Endpoint = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Its address; `:id` stands for the one id that it may hold. */
  path: `/v1/${string}`;
  scope: Scope;
  /** The status of a yes. */
  status: 200 | 201 | 202 | 204;
  summary: InBoth;
  query?: Declared;
  /** The JSON body. Where there are several, the handler tells them apart and reads it by itself. */
  body?: Declared;
  bodies?: readonly Declared[];
  /**
   * A file travels in the body, as `multipart/form-data`: the part `file`, and a text `name` where the file is
   * to be called otherwise. The handler reads it by itself.
   */
  takesFile?: true;
  /** What a yes says; none for 204. Several where it follows the body. */
  answer?: Declared;
  answers?: readonly Declared[];
  /** What a no says, where that is more than a `Problem`. */
  problem?: keyof typeof problems;
  /** What this endpoint in particular refuses; any may also answer `alwaysRefused`. */
  refuses: readonly RefusalCode[];
};

/** Declares an endpoint, its types kept. */
export const endpoint = <const Given extends Endpoint>(given: Given): Given => given;

/** What any call of the API may be refused for. */
export const alwaysRefused = [
  'request_malformed',
  'token_missing',
  'token_invalid',
  'token_expired',
  'address_not_allowed',
  'key_in_address',
  'scope_missing',
  'account_suspended',
  'path_unknown',
  'method_not_allowed',
  'too_many_requests',
  'our_fault',
  'busy',
  'timed_out',
] as const satisfies readonly RefusalCode[];

/** What a call with a JSON body may be refused for beside. */
export const bodyRefused = [
  'body_too_large',
  'media_type_unsupported',
  'input_invalid',
  'idempotency_conflict',
  'request_in_flight',
] as const satisfies readonly RefusalCode[];

/** Messages in one request, at most. */
export const MESSAGES_MAX = 1000;

export const API_LIMITS = {
  /** JSON body of one request, in bytes (docs/threats.md, T41). */
  bodyBytes: 1_048_576,
  idempotencyKeyMax: 255,
  /** Messages on a page, at most. */
  pageMax: 100,
} as const;

/** Letters of a file's caption, at most. */
export const CAPTION_MAX = 1024;

/** Under which all of the API lies. */
export const API_PREFIX = '/v1';

/** Letters of a place and of a contact card, at most. */
export const PLACE_MAX = { name: 200, address: 400 } as const;
export const CARD_MAX = { name: 200, organization: 200 } as const;

/** What a field takes, where its schema cannot say it: in words, or by an example within a larger one. */
export const fieldNotes = z.registry<{ expected?: InBoth; example?: unknown }>();

/** A schema with a note on what it takes: one of its own, for others have the same without the note. */
export function noted<Schema extends z.ZodMiniType>(
  schema: Schema,
  note: z.core.$replace<NonNullable<ReturnType<typeof fieldNotes.get>>, Schema>,
): Schema {
  const own = schema.clone();
  fieldNotes.add(own, note);
  return own;
}

const phoneNote = {
  expected: {
    id: 'nomor telepon sebagai teks, misalnya "0812-3456-7890" atau "6281234567890"',
    en: 'a phone number as a string, such as "0812-3456-7890" or "6281234567890"',
  },
  example: '0812-3456-7890',
};

/** A phone as people write it. */
export const WrittenPhone = schema(() => noted(z.pipe(z.string(), CardPhone()), phoneNote));

/** Who a message goes to: a phone as people write it, or the user id of somebody whose number is not shown. */
export const Recipient = schema(() => noted(z.pipe(z.string(), TypedPeer()), phoneNote));

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

/** One of many messages that was refused. */
export const RefusedItem = schema(() =>
  z.object({
    error: z.object({
      code: z.string(),
      detail: z.string(),
      retryable: z.boolean(),
      fields: z.optional(z.record(z.string(), z.string())),
    }),
  }),
);

/** The problem of `POST /v1/messages`: `data` says of each of many messages why it was refused. */
const SendProblem = schema(() => z.extend(Problem(), { data: z.optional(z.array(RefusedItem())) }));

/** The shapes of problems, by the names that `/v1/openapi.json` gives them. */
export const problems = { Problem, SendProblem } as const;
