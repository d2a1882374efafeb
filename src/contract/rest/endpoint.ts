import * as z from 'zod/mini';
import type { RefusalCode } from '#contract/base/refusals.ts';
import type { Bilingual } from '#contract/language/language.ts';
import type { Scope } from '#contract/tokens.ts';
import { CardPhone, TypedPeer } from '#contract/messages/peer.ts';
import { schema, type Output } from '#contract/base/schema.ts';

type Declared = () => z.ZodMiniType;

/**
 * An endpoint of the API as the registry declares it. The router, the OpenAPI document, the page /docs and the tests of
 * permissions and examples all read this.
 */
export type Endpoint = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** `:id` stands for the one id that the path may contain. */
  path: `/v1/${string}`;
  scope: Scope;
  status: 200 | 201 | 202 | 204;
  summary: Bilingual;
  query?: Declared;
  body?: Declared;
  /** Several JSON bodies; the handler distinguishes and parses them itself. */
  bodies?: readonly Declared[];
  /**
   * The body is `multipart/form-data` with a file: the part `file`, and an optional text `name` for another file name.
   * The handler parses it itself.
   */
  takesFile?: true;
  answer?: Declared;
  /** Several responses, which depend on the body. */
  answers?: readonly Declared[];
  problem?: keyof typeof problems;
  /** Refusals of this endpoint; `alwaysRefused` apply in addition. */
  refuses: readonly RefusalCode[];
};

/** Declares an endpoint and preserves its literal types. */
export const endpoint = <const Given extends Endpoint>(given: Given): Given => given;

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
  /** Rows of a page of a list, and at most. */
  page: 50,
  pageMax: 100,
} as const;

export const CAPTION_MAX = 1024;

export const API_PREFIX = '/v1';

export const LOCATION_MAX = { name: 200, address: 400 } as const;
export const CARD_MAX = { name: 200, organization: 200 } as const;

/** Notes on fields that their schema cannot express: in words, or an example within a larger one. */
export const fieldNotes = z.registry<{ expected?: Bilingual; example?: unknown }>();

/** Adds a note to a copy of the schema: other uses of the schema stay without it. */
export function withNote<Schema extends z.ZodMiniType>(
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

export const WrittenPhone = schema(() => withNote(z.pipe(z.string(), CardPhone()), phoneNote));

/** The recipient: a typed phone number, or the user id of a peer with a hidden number. */
export const Recipient = schema(() => withNote(z.pipe(z.string(), TypedPeer()), phoneNote));

/** RFC 9457 problem details, the error response of `/v1`. */
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

const SendProblem = schema(() => z.extend(Problem(), { data: z.optional(z.array(RefusedItem())) }));

/** The schemas of problems, by their names in `/v1/openapi.json`. */
export const problems = { Problem, SendProblem } as const;
