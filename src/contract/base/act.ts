import * as z from 'zod/mini';
import { WholeNumber } from './numbers.ts';
import type { RefusalCode } from './refusals.ts';
import { schema } from './schema.ts';

/** Who may call an act. `customer` includes nobody else: an operator has acts of its own. */
export type Caller = 'public' | 'customer' | 'operator' | 'anyone_signed_in';

/** What an operator may do: `admin` everything, the others what an act names them for. */
export const operatorRoles = ['support', 'money', 'admin'] as const;
export type OperatorRole = (typeof operatorRoles)[number];

/** How a list is paged on the wire (docs/wire.md#lists). */
export type Paging = 'default' | 'arrow' | 'manual';

/** How often one caller may ask: a class of the limiter, by person or by address. */
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
  /** Of an act of operators: the roles beside `admin` that may call it. Empty: `admin` alone. */
  roles: readonly OperatorRole[];
  /** The act's own fields; unknown fields are refused. Made when it is first asked for. */
  readonly input: Input;
  /** What is answered: one thing, or one row when `list` is set. Made when it is first asked for. */
  readonly output: Output;
  /** Set when the answer is a list: how it is paged. */
  list: List;
  /** True when it changes something: the browser sends `key`, and a repeat gets the first answer. */
  changes: boolean;
  limit: LimitClass;
  /** The refusals it may answer beside those that any act may. */
  refuses: readonly RefusalCode[];
  /** True when the call is written to the audit log. */
  audited: boolean;
  /** True when the reply is an event stream. */
  streams: boolean;
  /** True when the password must have been given in the last five minutes (`reauth_needed`). */
  requiresRecentPassword: boolean;
  /**
   * True when what it changes stays once the caller's session has ended. From another browser than the
   * session's own it is refused (`reauth_needed`) until the password was given there. So is every change
   * that needs a session, unless its act says otherwise.
   */
  outlivesSession: boolean;
  /** True for what a person may do who still has to set up the second factor that is required of them. */
  withoutSecondFactor: boolean;
  /** True when people of a suspended account may call it too: to read why, and to reach customer service. */
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
  requiresRecentPassword?: boolean;
  outlivesSession?: boolean;
  withoutSecondFactor?: boolean;
};

/** Declares an act: the promise both sides import. Its schemas are given as how to make them. */
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
    requiresRecentPassword: given.requiresRecentPassword ?? false,
    outlivesSession: given.outlivesSession ?? (changes && given.by !== 'public'),
    withoutSecondFactor: given.withoutSecondFactor ?? given.by === 'public',
    whileSuspended: given.whileSuspended ?? given.by === 'public',
  };
}

/** What any act may answer without promising it. */
export const alwaysPossible: readonly RefusalCode[] = [
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

/** What a caller writes, before the schema has read it. */
export type InputFor<A extends Act> = z.input<A['input']>;
/** What the handler gets. */
export type InputOf<A extends Act> = z.output<A['input']>;
/** One thing, or one row of a list. */
export type OutputOf<A extends Act> = z.output<A['output']>;

/** No list is longer: what is beyond it is empty. */
const PLACE_MAX = 1_000_000_000;

/** Fields every list takes: page (from 0, or from 1 when the paging is not `default`), sort. */
export const paging = <const Columns extends readonly [string, ...string[]]>(
  sortable: Columns,
) => ({
  page: z.optional(WholeNumber({ minimum: 0, maximum: PLACE_MAX })),
  start: z.optional(WholeNumber({ minimum: 0, maximum: PLACE_MAX })),
  sort_by: z.optional(z.enum(sortable)),
  sort_type: z.optional(z.enum(['asc', 'desc'])),
});

/** What a handler of a list returns; the endpoint writes it in the act's paging shape. */
export type PageOf<Row> = {
  rows: readonly Row[];
  /** Rows in all, where known. */
  total: number;
  /** When a filter could not choose among all that a search found: so many, the first, it chose among. */
  searched?: number | undefined;
};

/** Rows on a page, everywhere (docs/screens.md#tables). */
export const PAGE_SIZE = 10;
