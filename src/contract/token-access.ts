import * as z from 'zod/mini';
import { act, paging } from '#contract/base/act.ts';
import { CivilDay } from '#contract/base/days.ts';
import { IdInput, Id } from '#contract/base/ids.ts';
import { schema, type Output } from '#contract/base/schema.ts';
import { scopes, Token } from './tokens.ts';

export const ACCESS_LIMITS = {
  /** Addresses and ranges of one token. */
  addresses: 50,
  /** A token may be given so many years, at most. */
  years: 10,
} as const;

const PLACES_LENGTH_MAX = 5_000;

/** Addresses as they are typed: one on each line, or with commas or spaces between. Empty: from anywhere. */
const Addresses = schema(() =>
  z.pipe(
    z.string().check(
      z.maxLength(PLACES_LENGTH_MAX, 'Terlalu panjang.'),
      z.check<string>(({ value, issues }) => {
        const given = splitAddresses(value);
        const wrong = given.find((one) => readRange(one) === undefined);
        const say = (message: string) =>
          void issues.push({ code: 'custom', message, input: value });
        if (wrong !== undefined) {
          say(`"${wrong.slice(0, 64)}" bukan alamat IP. Contoh: 203.0.113.7 atau 2001:db8::/32.`);
        } else if (uniqueAddresses(given).length > ACCESS_LIMITS.addresses) {
          say(`Paling banyak ${ACCESS_LIMITS.addresses} alamat.`);
        }
      }),
    ),
    z.transform((text: string) => uniqueAddresses(splitAddresses(text))),
  ),
);

const splitAddresses = (text: string): string[] =>
  text.split(/[\s,;]+/).filter((one) => one !== '');

/** Each range once, in its one spelling; what is none was refused before. */
const uniqueAddresses = (given: readonly string[]): string[] => [
  ...new Set(
    given.flatMap((one) => {
      const range = readRange(one);
      return range ? [showRange(range)] : [];
    }),
  ),
];

/** Says what a token may do, from where, and until when: all of it each time. */
export const updateTokenAccess = act({
  name: 'token_access_update',
  by: 'customer',
  changes: true,
  audited: true,
  requiresRecentPassword: true,
  input: () => ({
    token_id: IdInput('token'),
    scopes: z
      .array(z.enum(scopes))
      .check(
        z.minLength(1, 'Pilih paling sedikit satu izin.'),
        z.maxLength(scopes.length, 'Terlalu banyak izin.'),
      ),
    addresses: Addresses(),
    /** Its last day, in WIB; empty: it does not expire. */
    expires_on: z.union([z.literal(''), CivilDay()]),
    /** Whether calls may carry its key in their address; left out: as before. */
    key_in_address: z.optional(z.enum(['1', '0'])),
  }),
  output: Token,
  refuses: ['cooling_down'],
});

/** Rejected calls are shown for so many days, then erased. */
export const REJECTED_DAYS = 7;

/**
 * What is kept of a refusal's facts: what tells its owner what to do. Never a text, a phone number or a
 * reference of theirs.
 */
export const RejectedFacts = schema(() =>
  z.object({
    /** The fields that were wrong, as they are called. */
    fields: z.optional(z.array(z.string())),
    scope: z.optional(z.string()),
    day: z.optional(z.string()),
    allow: z.optional(z.string()),
    what: z.optional(z.string()),
    status: z.optional(z.string()),
    limit: z.optional(z.number()),
    seconds: z.optional(z.number()),
    required: z.optional(z.number()),
    available: z.optional(z.number()),
  }),
);
export type RejectedFacts = Output<typeof RejectedFacts>;

/** Calls of the API that were refused for the same reason within an hour. */
export const RejectedCall = schema(() =>
  z.object({
    id: z.string(),
    token: z.object({ id: Id('token'), name: z.string() }),
    /** Which way of calling: Kabari's own, or that of another service. */
    dialect: z.string(),
    method: z.string(),
    /** The endpoint's address, without what was in its place. */
    path: z.string(),
    /** Why, as `docs/errors.md` names it, and the HTTP status that was answered. */
    code: z.string(),
    status: z.int(),
    /** Where the calls came from; empty where it is not known. */
    address: z.string(),
    facts: RejectedFacts(),
    /** How many there were. */
    calls: z.int(),
    first_at: z.coerce.date(),
    last_at: z.coerce.date(),
  }),
);
export type RejectedCall = Output<typeof RejectedCall>;

/** The calls with the account's keys that were refused in the last seven days, the newest first. */
export const listRejectedCalls = act({
  name: 'rejected_call_list',
  by: 'customer',
  list: 'default',
  input: () => ({
    ...paging(['last_at', 'calls'] as const),
    token_id: z.optional(IdInput('token')),
    code: z.optional(z.string().check(z.regex(/^[a-z_]{1,40}$/, 'Alasan ini tidak dikenal.'))),
  }),
  output: RejectedCall,
});

/** A range of internet addresses: all whose first `prefix` bits are those of `bits`. */
export type AddressRange = { version: 4 | 6; bits: bigint; prefix: number };

const WIDTH = { 4: 32, 6: 128 } as const;
/** An IPv4 address within IPv6 (`::ffff:0:0/96`): the same caller, spelt by a socket that takes both. */
const MAPPED = 0xffffn;
const MAPPED_PREFIX = 96;
const TEXT_MAX = 64;

/** One address, such as a request has it; undefined for what is none. A zone (`%eth0`) is left off. */
export function readAddress(text: string): AddressRange | undefined {
  const [bare = ''] = text.split('%', 1);
  return bare.includes('/') ? undefined : readRange(bare);
}

/**
 * An address, or a range in CIDR notation; undefined for what is neither. Bits after the prefix are set to
 * nothing: `10.1.2.3/8` is the network that it lies in. An IPv4 address spelt within IPv6 is the IPv4 address.
 */
export function readRange(text: string): AddressRange | undefined {
  if (text.length > TEXT_MAX) return undefined;
  const [address = '', length, more] = text.split('/');
  if (more !== undefined) return undefined;
  const [four, six] = [readFour(address), readSix(address)];
  const bits = four ?? six;
  if (bits === undefined) return undefined;
  const version = four === undefined ? 6 : 4;
  const prefix = readPrefix(length, WIDTH[version]);
  if (prefix === undefined) return undefined;
  if (version === 6 && bits >> 32n === MAPPED && prefix >= MAPPED_PREFIX) {
    return masked({ version: 4, bits: bits & 0xffffffffn, prefix: prefix - MAPPED_PREFIX });
  }
  return masked({ version, bits, prefix });
}

/** Whether an address, or a whole range, lies within a range. */
export const isWithin = (inner: AddressRange, outer: AddressRange): boolean =>
  inner.version === outer.version &&
  inner.prefix >= outer.prefix &&
  masked({ ...inner, prefix: outer.prefix }).bits === outer.bits;

/** A range as it is shown and stored: one spelling of each, a single address without its prefix. */
export function showRange({ version, bits, prefix }: AddressRange): string {
  const address = version === 4 ? showFour(bits) : showSix(bits);
  return prefix === WIDTH[version] ? address : `${address}/${prefix}`;
}

function masked(range: AddressRange): AddressRange {
  const free = BigInt(WIDTH[range.version] - range.prefix);
  return { ...range, bits: (range.bits >> free) << free };
}

function readPrefix(text: string | undefined, width: number): number | undefined {
  if (text === undefined) return width;
  if (!/^(0|[1-9]\d{0,2})$/.test(text)) return undefined;
  return Number(text) <= width ? Number(text) : undefined;
}

/** Four decimal numbers and nothing else: a leading zero would be octal to some. */
function readFour(text: string): bigint | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part))) {
    return undefined;
  }
  const numbers = parts.map(Number);
  if (numbers.some((one) => one > 255)) return undefined;
  return numbers.reduce((sum, one) => (sum << 8n) | BigInt(one), 0n);
}

function readSix(text: string): bigint | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const [before, after] = halves.map((half, at) => groupsOf(half, at === halves.length - 1));
  if (before === undefined || (halves.length === 2 && after === undefined)) return undefined;
  const rest = after ?? [];
  const missing = 8 - before.length - rest.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined;
  const groups = [...before, ...Array.from({ length: missing }, () => 0), ...rest];
  return groups.reduce((sum, one) => (sum << 16n) | BigInt(one), 0n);
}

/** The groups of a part of an IPv6 address; at its end there may be an IPv4 address. */
function groupsOf(part: string, isEnd: boolean): number[] | undefined {
  if (part === '') return [];
  const groups: number[] = [];
  const pieces = part.split(':');
  for (const [index, piece] of pieces.entries()) {
    if (/^[\da-f]{1,4}$/i.test(piece)) groups.push(Number.parseInt(piece, 16));
    else {
      const four = isEnd && index === pieces.length - 1 ? readFour(piece) : undefined;
      if (four === undefined) return undefined;
      groups.push(Number(four >> 16n), Number(four & 0xffffn));
    }
  }
  return groups;
}

const showFour = (bits: bigint): string =>
  [24n, 16n, 8n, 0n].map((shift) => String((bits >> shift) & 0xffn)).join('.');

/** As RFC 5952 writes it: lower case, and the longest run of zeros left out. */
function showSix(bits: bigint): string {
  const groups = Array.from({ length: 8 }, (_, index) =>
    ((bits >> BigInt(112 - 16 * index)) & 0xffffn).toString(16),
  );
  let [from, length] = [0, 1];
  for (let at = 0; at < groups.length; at++) {
    let run = 0;
    while (groups[at + run] === '0') run += 1;
    if (run > length) [from, length] = [at, run];
  }
  if (length < 2) return groups.join(':');
  return `${groups.slice(0, from).join(':')}::${groups.slice(from + length).join(':')}`;
}
