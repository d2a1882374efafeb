import * as z from 'zod/mini';
import { oncePer } from './schema.ts';

/**
 * Ids are UUIDv7 internally; the public form is a prefix and 26 characters of Crockford base32 (docs/wire.md#ids). They
 * are not secrets: every look-up is bound to the owner.
 */
export const idPrefixes = {
  account: 'acc_',
  user: 'usr_',
  session: 'ses_',
  token: 'tok_',
  link: 'lnk_',
  message: 'msg_',
  topup: 'TU-',
  invoice: 'inv_',
  adjustment: 'adj_',
  statement: 'bst_',
  file: 'fil_',
  media: 'med_',
  upload: 'upl_',
  challenge: 'otp_',
  factor: 'fac_',
  export: 'exp_',
  rows: 'row_',
  audit: 'aud_',
  support: 'sup_',
  broadcast: 'brd_',
  delivery: 'whd_',
  campaign: 'cmp_',
  view: 'viw_',
} as const;
export type IdKind = keyof typeof idPrefixes;

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const valueOf = new Map([...alphabet].map((letter, value) => [letter, BigInt(value)]));

/** The public form of a UUID: `msg_01JD…`. */
export function publicId(kind: IdKind, uuid: string): string {
  let rest = BigInt(`0x${uuid.replaceAll('-', '')}`);
  let text = '';
  for (let place = 0; place < 26; place++) {
    text = alphabet[Number(rest & 31n)] + text;
    rest >>= 5n;
  }
  return idPrefixes[kind] + text;
}

export function uuidOf(kind: IdKind, id: string): string | undefined {
  const prefix = idPrefixes[kind];
  if (!id.startsWith(prefix) || id.length !== prefix.length + 26) return undefined;
  let value = 0n;
  for (const letter of id.slice(prefix.length).toUpperCase()) {
    const digit = valueOf.get(letter);
    if (digit === undefined) return undefined;
    value = (value << 5n) | digit;
  }
  if (value >> 128n) return undefined;
  const hex = value.toString(16).padStart(32, '0');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join('-');
}

/**
 * The smallest UUIDv7 of an instant in milliseconds since 1970, as `uuid_floor` of the database: a time range is an id
 * range.
 */
export function idFloor(ms: number): string {
  const time = Math.max(0, Math.floor(ms)).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
}

export const Id = oncePer((kind: IdKind) =>
  z
    .string()
    .check(
      z.regex(new RegExp(`^${idPrefixes[kind]}[0-9A-HJKMNP-TV-Z]{26}$`), 'Id tidak dikenali.'),
    ),
);

export const IdInput = oncePer((kind: IdKind) =>
  z.pipe(
    z.pipe(
      z.string().check(z.maxLength(40)),
      z.transform((text) => uuidOf(kind, text) ?? ''),
    ),
    z.string().check(z.minLength(1, 'Id tidak dikenali.')),
  ),
);
