import { BlockList, isIP } from 'node:net';
import * as z from 'zod/mini';
import { canonicalAddress } from '#server/infra/postgres/address.ts';

export const text = z.string().check(z.minLength(1, 'a text'));

export const whole = (min: number, max: number) =>
  z.pipe(
    z.string().check(z.regex(/^\d{1,15}$/, `a whole number from ${min} to ${max}`)),
    z.pipe(
      z.transform(Number),
      z
        .number()
        .check(
          z.minimum(min, `a whole number from ${min} to ${max}`),
          z.maximum(max, `a whole number from ${min} to ${max}`),
        ),
    ),
  );

export const decimal = (min: number, max: number) =>
  z.pipe(
    z.string().check(z.regex(/^\d{1,9}(\.\d{1,6})?$/, `a number from ${min} to ${max}`)),
    z.pipe(
      z.transform(Number),
      z
        .number()
        .check(
          z.minimum(min, `a number from ${min} to ${max}`),
          z.maximum(max, `a number from ${min} to ${max}`),
        ),
    ),
  );

export const oneOf = <const Choices extends readonly [string, ...string[]]>(...choices: Choices) =>
  z.enum(choices, `one of ${choices.join(', ')}`);

export const switched = z.pipe(
  oneOf('on', 'off'),
  z.transform((word) => word === 'on'),
);

export const listOf = (one: z.ZodMiniType<string, string>) =>
  z.pipe(
    z.pipe(
      z.string(),
      z.transform((words) => words.split(/[\s,]+/).filter((word) => word !== '')),
    ),
    z.array(one),
  );

function isOrigin(word: string): boolean {
  if (!URL.canParse(word)) return false;
  const { protocol, origin } = new URL(word);
  return (protocol === 'https:' || protocol === 'http:') && origin === word;
}

export const origin = z
  .string()
  .check(z.refine(isOrigin, 'an address such as https://kabari.example, without a path'));

/** `https://provider.example/verify`: http or https, lower case, because checks expect it. */
export const address = z
  .string()
  .check(
    z.refine(
      (word) => URL.canParse(word) && /^https?:\/\//.test(word),
      'an address such as https://captcha.example/siteverify',
    ),
  );

export const socketAddress = z
  .string()
  .check(
    z.refine(
      (word) => URL.canParse(word) && /^wss?:\/\//.test(word),
      'an address such as wss://web.example/ws',
    ),
  );

export const postgresUrl = z.pipe(
  z.pipe(z.string(), z.transform(canonicalAddress)),
  z.string('an address such as postgres://user:password@host:5432/kabari'),
);

export const replicaUrl = z.pipe(
  z.pipe(z.string(), z.transform(canonicalAddress)),
  z.string('an address such as postgres://user:password@standby:5432/kabari'),
);

export const proxy = z
  .string()
  .check(
    z.refine(
      (word) => word === 'loopback' || rangeOf(word) !== undefined,
      'addresses or ranges such as 127.0.0.1, 10.0.0.0/8, or the word loopback',
    ),
  );

function rangeOf(word: string): { version: number; address: string; bits: number } | undefined {
  const [address = '', prefix, more] = word.split('/');
  const version = isIP(address);
  const bits = prefix === undefined ? widthOf(version) : Number(prefix);
  const isRange =
    version !== 0 &&
    more === undefined &&
    /^\d{1,3}$/.test(prefix ?? '0') &&
    bits <= widthOf(version);
  return isRange ? { version, address, bits } : undefined;
}

const widthOf = (version: number): number => (version === 4 ? 32 : 128);

/** Private networks and the ranges of a large CDN together are smaller. */
const IPV4_SHARE_MAX = 1 / 16;
const IPV4_BITS_MIN = 8;
const IPV6_BITS_MIN = 20;
/** Private (fc00::/7) and link-local (fe80::/10) addresses, which strangers never have. */
const localIpv6 = /^(f[cd][0-9a-f]{2}|fe[89ab][0-9a-f]):/i;

/**
 * The ranges of `TRUSTED_PROXIES` through which strangers could forge their address: a range too wide for one
 * operator's proxies, or many that together cover a large share of all addresses.
 */
export function overlyWideProxies(proxies: readonly string[]): string[] {
  const ranges = proxies.flatMap((word) => {
    const range = rangeOf(word);
    return range ? [{ word, share4: ipv4ShareOf(range), ...range }] : [];
  });
  const wide = ranges.filter(
    ({ version, address, bits, share4 }) =>
      share4 > 2 ** -IPV4_BITS_MIN ||
      (version === 6 && share4 === 0 && bits < IPV6_BITS_MIN && !localIpv6.test(address)),
  );
  const total = ranges.reduce((sum, { share4 }) => sum + share4, 0);
  const found = total > IPV4_SHARE_MAX ? ranges.filter(({ share4 }) => share4 > 0) : wide;
  return found.map(({ word }) => word);
}

/** An IPv6 range counts by its part of `::ffff:0:0/96`. */
function ipv4ShareOf({
  version,
  address,
  bits,
}: {
  version: number;
  address: string;
  bits: number;
}): number {
  if (version === 4) return 2 ** -bits;
  if (bits > 96) return mapped.check(address, 'ipv6') ? 2 ** -(bits - 96) : 0;
  const range = new BlockList();
  range.addSubnet(address, bits, 'ipv6');
  return range.check('::ffff:8.8.8.8', 'ipv6') ? 1 : 0;
}

const mapped = new BlockList();
mapped.addSubnet('::ffff:0:0', 96, 'ipv6');

export const clamd = z
  .string()
  .check(
    z.regex(
      /^(\/.+|(\[[0-9a-fA-F:.]+\]|[^\s:/]+):[0-9]{1,5})$/,
      'host:port, or the path of a socket, such as 127.0.0.1:3310 or /run/clamav/clamd.ctl',
    ),
  );

export const contact = z
  .string()
  .check(
    z.regex(
      /^(mailto:[^\s@]+@[^\s@]+|https:\/\/[^\s/]+\S*)$/,
      'an address such as mailto:admin@kabari.example',
    ),
  );

export const secretKey = z
  .string()
  .check(
    z.refine(
      (word) => word.length >= 32 && new Set(word).size >= 12,
      'at least 32 characters of chance, as `openssl rand -base64 32` prints them',
    ),
  );

/** A key, or the word for the key of an installation that began without one. */
export const secondKey = z.union([z.literal('none'), secretKey], {
  error: 'at least 32 characters of chance, or the word none',
});

export const operatorPhone = z
  .string()
  .check(z.regex(/^628[1-9][0-9]{6,10}$/, 'an Indonesian mobile number such as 6281234567890'));

export const jsonOf = <T>(shape: z.ZodMiniType<T>, expected: string) =>
  z.pipe(
    z.pipe(z.string(), z.transform(parseJson)),
    z.pipe(z.unknown().check(z.refine((value) => shape.safeParse(value).success, expected)), shape),
  );

function parseJson(words: string): unknown {
  try {
    return JSON.parse(words);
  } catch {
    return undefined;
  }
}
