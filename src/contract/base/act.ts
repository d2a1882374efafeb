import * as z from 'zod/mini';
import { WholeNumber } from './numbers.ts';
import type { RefusalCode } from './refusals.ts';
import { schema } from './schema.ts';

/** `customer` excludes operators, who have acts of their own. */
export type Caller = 'public' | 'customer' | 'operator' | 'anyone_signed_in';

/** `admin` may do everything, the others only what an act names them for. */
export const operatorRoles = ['support', 'money', 'admin'] as const;
export type OperatorRole = (typeof operatorRoles)[number];

/** The paging of a list on the wire (docs/wire.md#lists). */
export type Paging = 'default' | 'arrow' | 'manual';

/** Seconds after the password was given in which an act may be called that requires it, by the kind of act. */
export const PASSWORD_SECONDS = {
  /** It makes something new: a token, a file, a webhook. */
  to_make: 900,
  /** It takes something away, or changes who can sign in or send: a key, a number, a second factor. */
  to_take: 300,
} as const;
export type RecentPassword = keyof typeof PASSWORD_SECONDS;

export type LimitClass = 'read' | 'write' | 'auth' | 'otp' | 'scan';

export type Act<
  Name extends string = string,
  By extends Caller = Caller,
  Input extends z.ZodMiniType = z.ZodMiniType,
  Output extends z.ZodMiniType = z.ZodMiniType,
  List extends Paging | undefined = Paging | undefined,
> = {
  name: Name;
  by: By;
  /** For operator acts: the roles beside `admin` that may call it. Empty: `admin` alone. */
  roles: readonly OperatorRole[];
  /** The act's own fields; unknown fields are refused. Created on first use. */
  readonly input: Input;
  /** The result, or one row if `list` is set. Created on first use. */
  readonly output: Output;
  list: List;
  /** True if it changes data: the browser sends `key`, and a repeat gets the first result. */
  changes: boolean;
  limit: LimitClass;
  refuses: readonly RefusalCode[];
  audited: boolean;
  streams: boolean;
  /** Set if the password must have been given lately (`reauth_needed`): how lately, by the kind of act. */
  requiresRecentPassword: RecentPassword | undefined;
  /** True if it needs no recent password while the account has never had a token. */
  exceptFirstToken: boolean;
  /**
   * True if its change outlasts the caller's session. From a browser other than the session's own it is refused
   * (`reauth_needed`) until the password was given there. Default for every change that needs a session.
   */
  outlivesSession: boolean;
  /** True if users may call it before they set up their required second factor. */
  withoutSecondFactor: boolean;
  /** True if users of a suspended account may call it: to read the reason and to reach customer support. */
  whileSuspended: boolean;
};

type Definition<
  Name extends string,
  By extends Caller,
  Shape extends z.core.$ZodLooseShape,
  Output extends z.ZodMiniType,
  List extends Paging | undefined,
> = {
  name: Name;
  by: By;
  roles?: readonly OperatorRole[];
  whileSuspended?: boolean;
  input?: () => Shape;
  output: () => Output;
  list?: List;
  changes?: boolean;
  limit?: LimitClass;
  refuses?: readonly RefusalCode[];
  audited?: boolean;
  streams?: boolean;
  requiresRecentPassword?: RecentPassword;
  exceptFirstToken?: boolean;
  outlivesSession?: boolean;
  withoutSecondFactor?: boolean;
};

/** Declares an act. Schemas are passed as functions, so that they are created on first use. */
export function act<
  const Name extends string,
  const By extends Caller,
  Output extends z.ZodMiniType,
  Shape extends z.core.$ZodLooseShape = Record<never, never>,
  List extends Paging | undefined = undefined,
>(
  given: Definition<Name, By, Shape, Output, List>,
): Act<Name, By, z.ZodMiniObject<Shape, z.core.$strict>, Output, List> {
  const changes = given.changes ?? false;
  const input = schema(() => z.strictObject(given.input?.() ?? ({} as Shape)));
  const output = schema(given.output);
  return {
    name: given.name,
    by: given.by,
    roles: given.roles ?? [],
    get input() {
      return input();
    },
    get output() {
      return output();
    },
    list: given.list as List,
    changes,
    limit: given.limit ?? (changes ? 'write' : 'read'),
    refuses: given.refuses ?? [],
    audited: given.audited ?? false,
    streams: given.streams ?? false,
    requiresRecentPassword: given.requiresRecentPassword,
    exceptFirstToken: given.exceptFirstToken ?? false,
    outlivesSession: given.outlivesSession ?? (changes && given.by !== 'public'),
    withoutSecondFactor: given.withoutSecondFactor ?? given.by === 'public',
    whileSuspended: given.whileSuspended ?? given.by === 'public',
  };
}

/** Refusals that any act may return without declaring them. */
export const commonRefusals: readonly RefusalCode[] = [
  'account_suspended',
  'act_unknown',
  'request_malformed',
  'origin_foreign',
  'not_signed_in',
  'not_allowed',
  'not_found',
  'input_invalid',
  'body_too_large',
  'media_type_unsupported',
  'too_many_requests',
  'busy',
  'timed_out',
  'idempotency_conflict',
  'request_in_flight',
  'our_fault',
  'reauth_needed',
  'second_factor_needed',
  'sign_in_needed',
];

/** The input of an act before its schema parses it. */
export type InputFor<A extends Act> = z.input<A['input']>;
export type InputOf<A extends Act> = z.output<A['input']>;
export type OutputOf<A extends Act> = z.output<A['output']>;

/** Pages beyond this position are empty. */
const POSITION_MAX = 1_000_000_000;

/** Fields of every list: page (from 0, or from 1 if the paging is not `default`), sort. */
export const paging = <const Columns extends readonly [string, ...string[]]>(
  sortable: Columns,
) => ({
  page: z.optional(WholeNumber({ minimum: 0, maximum: POSITION_MAX })),
  start: z.optional(WholeNumber({ minimum: 0, maximum: POSITION_MAX })),
  sort_by: z.optional(z.enum(sortable)),
  sort_type: z.optional(z.enum(['asc', 'desc'])),
});

/** The result of a list handler; the endpoint writes it in the act's paging shape. */
export type PageOf<Row> = {
  rows: readonly Row[];
  /** The total number of rows, if known. */
  total: number;
  /** Set if a filter covered only the first results of a search: how many of them. */
  searched?: number | undefined;
};

export const PAGE_SIZE = 10;
