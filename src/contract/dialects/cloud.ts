import { type IdKind, publicId, uuidOf } from '#contract/base/ids.ts';

/** The largest prime below 8 × 10¹⁵: what is left of an id by it stays below 2⁵³ once 10¹⁵ is added. */
const NUMBERS = 7_999_999_999_999_871n;
const SMALLEST = 1_000_000_000_000_000n;

/**
 * An id as the Cloud API writes those of numbers and businesses: 16 decimal digits, the same ones for the
 * same id, and exact as a number in JavaScript. Compared with, never looked up by: a key says whose it is.
 */
export function decimalId(kind: IdKind, id: string): string {
  const uuid = uuidOf(kind, id);
  if (uuid === undefined) throw new TypeError(`not an id of a ${kind}`);
  return String(SMALLEST + (BigInt(`0x${uuid.replaceAll('-', '')}`) % NUMBERS));
}

/** The "phone number ID" of a token, by its public id. */
export const numberIdOf = (tokenId: string): string => decimalId('token', tokenId);

/** The "WhatsApp Business account ID" of an account, by its public id. */
export const businessIdOf = (accountId: string): string => decimalId('account', accountId);

const WAMID = /^wamid\.([A-Za-z0-9_-]{22})$/;

/** A message's public id as the Cloud API writes it: `wamid.` and the id's 16 bytes in base64url. */
export function wamidOf(messageId: string): string {
  const hex = uuidOf('message', messageId)?.replaceAll('-', '');
  if (hex === undefined) throw new TypeError('not an id of a message');
  const bytes = (hex.match(/../g) ?? []).map((byte) => String.fromCharCode(parseInt(byte, 16)));
  const text = btoa(bytes.join('')).replaceAll('+', '-').replaceAll('/', '_');
  return `wamid.${text.replaceAll('=', '')}`;
}

/** The public id behind a `wamid.`; undefined for what is none of ours. */
export function messageIdOf(wamid: string): string | undefined {
  const [, text] = WAMID.exec(wamid) ?? [];
  if (text === undefined) return undefined;
  const bytes = [...atob(text.replaceAll('-', '+').replaceAll('_', '/'))];
  const hex = bytes.map((byte) => byte.charCodeAt(0).toString(16).padStart(2, '0')).join('');
  const id = publicId('message', hex);
  return wamidOf(id) === wamid ? id : undefined;
}
