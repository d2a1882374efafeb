import type * as z from 'zod/mini';
import type { RefusalCode } from '#contract/base/refusals.ts';
import type { InBoth } from '#contract/language/language.ts';
import type { problems } from './problem.ts';
import type { Scope } from './scopes.ts';

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
