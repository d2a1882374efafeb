import { type IdKind, publicId, uuidOf } from '#contract/base/ids.ts';
import type { Failure } from '#contract/messages.ts';

/** The largest prime below 8 × 10¹⁵: the remainder of an id plus 10¹⁵ stays below 2⁵³. */
const NUMBERS = 7_999_999_999_999_871n;
const SMALLEST = 1_000_000_000_000_000n;

/**
 * An id in the form of Cloud API numbers and businesses: 16 decimal digits, deterministic for an id, and exact as a
 * JavaScript number. Only for comparison, never for look-ups: the key determines the owner.
 */
export function decimalId(kind: IdKind, id: string): string {
  const uuid = uuidOf(kind, id);
  if (uuid === undefined) throw new TypeError(`not an id of a ${kind}`);
  return String(SMALLEST + (BigInt(`0x${uuid.replaceAll('-', '')}`) % NUMBERS));
}

export const numberIdOf = (tokenId: string): string => decimalId('token', tokenId);

export const businessIdOf = (accountId: string): string => decimalId('account', accountId);

const WAMID = /^wamid\.([A-Za-z0-9_-]{22})$/;

/** The Cloud API form of a message id: `wamid.` and the 16 bytes of the id in base64url. */
export function wamidOf(messageId: string): string {
  const hex = uuidOf('message', messageId)?.replaceAll('-', '');
  if (hex === undefined) throw new TypeError('not an id of a message');
  const bytes = (hex.match(/../g) ?? []).map((byte) => String.fromCharCode(parseInt(byte, 16)));
  const text = btoa(bytes.join('')).replaceAll('+', '-').replaceAll('/', '_');
  return `wamid.${text.replaceAll('=', '')}`;
}

/** The public id of a `wamid.`; undefined if Kabari did not issue it. */
export function messageIdOf(wamid: string): string | undefined {
  const [, text] = WAMID.exec(wamid) ?? [];
  if (text === undefined) return undefined;
  const bytes = [...atob(text.replaceAll('-', '+').replaceAll('_', '/'))];
  const hex = bytes.map((byte) => byte.charCodeAt(0).toString(16).padStart(2, '0')).join('');
  const id = publicId('message', hex);
  return wamidOf(id) === wamid ? id : undefined;
}

/** Meta's titles of the error codes that responses and webhooks contain. */
const titles = {
  2: 'Service temporarily unavailable',
  10: 'Permission denied',
  100: 'Invalid parameter',
  190: 'Access token is missing, invalid or expired',
  200: 'Permission denied',
  803: 'Object does not exist',
  80007: 'Rate limit issues',
  130429: 'Rate limit hit',
  131000: 'Something went wrong',
  131008: 'Required parameter is missing',
  131009: 'Parameter value is not valid',
  131016: 'Service unavailable',
  131026: 'Message undeliverable',
  131031: 'Account has been locked',
  131042: 'Business eligibility payment issue',
  131047: 'Re-engagement message',
  131048: 'Spam rate limit hit',
  131049: 'Message undeliverable',
  131050: 'User has stopped marketing messages',
  131051: 'Unsupported message type',
  131052: 'Media download error',
  131053: 'Media upload error',
  132000: 'Template parameter count mismatch',
  132001: 'Template does not exist',
  132012: 'Template parameter format mismatch',
  132015: 'Template is paused',
  132018: 'Template parameter is not valid',
  133010: 'Phone number not registered',
  135000: 'Generic user error',
} as const;
export type GraphCode = keyof typeof titles;

export const titleOf = (code: GraphCode): string => titles[code];

export const graphCodeOf: Record<Failure, GraphCode> = {
  not_on_whatsapp: 131026,
  blocked: 131026,
  rate_limited: 130429,
  not_linked: 133010,
  no_answer: 131016,
  rejected: 131009,
  opted_out: 131050,
  media_unreachable: 131052,
  media_refused: 131053,
  window_closed: 131047,
  network_declined: 131049,
  template_refused: 132015,
  network_billing: 131042,
  network_access: 190,
  number_restricted: 131048,
  unexplained: 135000,
};
