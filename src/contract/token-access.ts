import * as z from 'zod/mini';
import { act, paging } from '#contract/base/act.ts';
import { CivilDay } from '#contract/base/days.ts';
import { IdInput, Id } from '#contract/base/ids.ts';
import { schema, type Output } from '#contract/base/schema.ts';
import { scopes, Token } from './tokens.ts';

export const ACCESS_LIMITS = {
  addresses: 50,
  years: 10,
} as const;

const ADDRESSES_LENGTH_MAX = 5_000;

/** Typed addresses, separated by line ends, commas or spaces. Empty: any address is allowed. */
const Addresses = schema(() =>
  z.pipe(
    z.string().check(
      z.maxLength(ADDRESSES_LENGTH_MAX, 'Terlalu panjang.'),
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

const uniqueAddresses = (given: readonly string[]): string[] => [
  ...new Set(
    given.flatMap((one) => {
      const range = readRange(one);
      return range ? [showRange(range)] : [];
    }),
  ),
];

/** Replaces all access rules of a token; only `key_in_address` may be omitted, and is then unchanged. */
export const updateTokenAccess = act({
  name: 'token_access_update',
  by: 'customer',
  changes: true,
  audited: true,
  requiresRecentPassword: 'to_take',
  input: () => ({
    token_id: IdInput('token'),
    scopes: z
      .array(z.enum(scopes))
      .check(
        z.minLength(1, 'Pilih minimal satu izin.'),
        z.maxLength(scopes.length, 'Terlalu banyak izin.'),
      ),
    addresses: Addresses(),
    /** The last day, in WIB; empty: it does not expire. */
    expires_on: z.union([z.literal(''), CivilDay()]),
    /** Whether calls may carry its key in the URL; left out: unchanged. */
    key_in_address: z.optional(z.enum(['1', '0'])),
  }),
  output: Token,
  refuses: ['cooling_down'],
});

/** Rejected calls are shown for this many days, then erased. */
export const REJECTED_DAYS = 7;

/**
 * The stored facts of a refusal, which help its owner to fix the call. Never a text, a phone number or a reference of
 * theirs.
 */
export const RejectedFacts = schema(() =>
  z.object({
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

/** API calls that were refused for the same reason within an hour. */
export const RejectedCall = schema(() =>
  z.object({
    id: z.string(),
    token: z.object({ id: Id('token'), name: z.string() }),
    /** The dialect: Kabari's own, or that of another service. */
    dialect: z.string(),
    method: z.string(),
    /** The path of the endpoint, with placeholders for ids. */
    path: z.string(),
    code: z.string(),
    status: z.int(),
    address: z.string(),
    facts: RejectedFacts(),
    calls: z.int(),
    first_at: z.coerce.date(),
    last_at: z.coerce.date(),
  }),
);
export type RejectedCall = Output<typeof RejectedCall>;

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

/** A range of IP addresses: all whose first `prefix` bits equal those of `bits`. */
export type AddressRange = { version: 4 | 6; bits: bigint; prefix: number };

const WIDTH = { 4: 32, 6: 128 } as const;
/** IPv4 within IPv6 (`::ffff:0:0/96`), as dual-stack sockets report IPv4 callers. */
const MAPPED = 0xffffn;
const MAPPED_PREFIX = 96;
const TEXT_MAX = 64;

/** Parses an address from a request; undefined if invalid. A zone (`%eth0`) is dropped. */
export function readAddress(text: string): AddressRange | undefined {
  const [bare = ''] = text.split('%', 1);
  return bare.includes('/') ? undefined : readRange(bare);
}

/**
 * Parses an address, or a range in CIDR notation; undefined if invalid. Bits after the prefix are cleared: `10.1.2.3/8`
 * becomes `10.0.0.0/8`. An IPv4 address within IPv6 becomes the IPv4 address.
 */
export function readRange(text: string): AddressRange | undefined {
  if (text.length > TEXT_MAX) return undefined;
  const [address = '', length, more] = text.split('/');
  if (more !== undefined) return undefined;
  const [four, six] = [readIpv4(address), readIpv6(address)];
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

export const isWithin = (inner: AddressRange, outer: AddressRange): boolean =>
  inner.version === outer.version &&
  inner.prefix >= outer.prefix &&
  masked({ ...inner, prefix: outer.prefix }).bits === outer.bits;

/** The normal form of a range for display and storage; a single address has no prefix. */
export function showRange({ version, bits, prefix }: AddressRange): string {
  const address = version === 4 ? showIpv4(bits) : showIpv6(bits);
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

/** Four decimal numbers; a leading zero is refused, because some programs read it as octal. */
function readIpv4(text: string): bigint | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part))) {
    return undefined;
  }
  const numbers = parts.map(Number);
  if (numbers.some((one) => one > 255)) return undefined;
  return numbers.reduce((sum, one) => (sum << 8n) | BigInt(one), 0n);
}

function readIpv6(text: string): bigint | undefined {
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

/** The groups of a part of an IPv6 address, which may end in an IPv4 address. */
function groupsOf(part: string, isEnd: boolean): number[] | undefined {
  if (part === '') return [];
  const groups: number[] = [];
  const pieces = part.split(':');
  for (const [index, piece] of pieces.entries()) {
    if (/^[\da-f]{1,4}$/i.test(piece)) groups.push(Number.parseInt(piece, 16));
    else {
      const four = isEnd && index === pieces.length - 1 ? readIpv4(piece) : undefined;
      if (four === undefined) return undefined;
      groups.push(Number(four >> 16n), Number(four & 0xffffn));
    }
  }
  return groups;
}

const showIpv4 = (bits: bigint): string =>
  [24n, 16n, 8n, 0n].map((shift) => String((bits >> shift) & 0xffn)).join('.');

/** RFC 5952 form: lower case, and the longest run of zeros left out. */
function showIpv6(bits: bigint): string {
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
