import { hmac, sameBytes, type Secrets } from '#server/infra/security/secrets.ts';

export type LinkRef = { accountId: string; linkId: string };

const ID_BYTES = 16;
const REF_BYTES = 2 * ID_BYTES;
const EXPIRY_BYTES = 4;
const MAC_BYTES = 32;
const QR_PREFIX = 'kabari:1:';
const QR_MAC_BYTES = 16;
const CODE_LENGTH = 8;
const codeAlphabet = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';

/** A QR is replaced after this long … */
export const QR_PERIOD_SECONDS = 20;
/** … and accepted for this many periods: 60 seconds at most. */
const QR_PERIODS = 3;

/** The `data` of `/scan/{data}`: the link's key and expiry, signed. */
export function signLink(
  secrets: Secrets,
  { accountId, linkId }: LinkRef,
  expiresAt: Date,
): string {
  const expiry = Buffer.alloc(EXPIRY_BYTES);
  expiry.writeUInt32BE(Math.floor(expiresAt.getTime() / 1000));
  const body = Buffer.concat([bytesOf(accountId), bytesOf(linkId), expiry]);
  return Buffer.concat([body, macOf(secrets, body)]).toString('base64url');
}

/** The link of `data` and its expiry; undefined unless the signature is valid. */
export function readLink(
  secrets: Secrets,
  data: string,
): (LinkRef & { expiresAt: Date }) | undefined {
  const bytes = Buffer.from(data, 'base64url');
  if (bytes.length !== REF_BYTES + EXPIRY_BYTES + MAC_BYTES) return undefined;
  const body = bytes.subarray(0, -MAC_BYTES);
  if (!sameBytes(macOf(secrets, body), bytes.subarray(-MAC_BYTES))) return undefined;
  if (bytes.toString('base64url') !== data) return undefined;
  return {
    accountId: uuidAt(body, 0),
    linkId: uuidAt(body, ID_BYTES),
    expiresAt: new Date(body.readUInt32BE(REF_BYTES) * 1000),
  };
}

const macOf = (secrets: Secrets, body: Buffer) => hmac(secrets.key('links'), 'scan', body);

/** A link with consent: its codes are derived from the nonce's hash, so that no secret is stored. */
export type ConsentedLink = LinkRef & { nonceHash: Uint8Array };

/**
 * The QR's text in a period of 20 seconds, counted from the consent. It is derived from the installation's key each
 * time, so that it is not stored and no GET has to write.
 */
export function qrText(
  secrets: Secrets,
  { accountId, linkId, nonceHash }: ConsentedLink,
  period: number,
) {
  const mac = hmac(secrets.key('links'), 'qr', bytesOf(linkId), nonceHash, String(period));
  const bytes = [bytesOf(accountId), bytesOf(linkId), mac.subarray(0, QR_MAC_BYTES)];
  return QR_PREFIX + Buffer.concat(bytes).toString('base64url');
}

/** The link that a QR's text names; not verified, see `isCurrentQr`. */
export function readQr(text: string): LinkRef | undefined {
  if (!text.startsWith(QR_PREFIX)) return undefined;
  const bytes = Buffer.from(text.slice(QR_PREFIX.length), 'base64url');
  if (bytes.length !== REF_BYTES + QR_MAC_BYTES) return undefined;
  return { accountId: uuidAt(bytes, 0), linkId: uuidAt(bytes, ID_BYTES) };
}

/** True for the QR's text of this period, or of the two before. */
export function isCurrentQr(
  secrets: Secrets,
  link: ConsentedLink,
  period: number,
  text: string,
): boolean {
  const given = Buffer.from(text);
  let isCurrent = false;
  for (let age = 0; age < QR_PERIODS && age <= period; age++) {
    if (sameBytes(given, Buffer.from(qrText(secrets, link, period - age)))) isCurrent = true;
  }
  return isCurrent;
}

/** The eight letters to type without a camera; the same for the link's whole life. */
export function pairingCode(secrets: Secrets, { linkId, nonceHash }: ConsentedLink): string {
  const mac = hmac(secrets.key('links'), 'code', bytesOf(linkId), nonceHash);
  return Array.from(mac.subarray(0, CODE_LENGTH), (byte) => codeAlphabet[byte % 32]).join('');
}

/** The stored form of a pairing code: keyed, because 40 bits alone could be found by brute force. */
export const pairingCodeHash = (secrets: Secrets, code: string): Buffer =>
  hmac(secrets.key('links'), 'code at rest', code);

/** A pairing code as typed, with or without its dash; undefined if malformed. */
export function readPairingCode(text: string): string | undefined {
  const letters = text.toUpperCase().replace(/[\s-]/g, '');
  const isValid =
    letters.length === CODE_LENGTH && [...letters].every((l) => codeAlphabet.includes(l));
  return isValid ? letters : undefined;
}

const bytesOf = (uuid: string) => Buffer.from(uuid.replaceAll('-', ''), 'hex');

function uuidAt(bytes: Buffer, start: number): string {
  const hex = bytes.toString('hex', start, start + ID_BYTES);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join('-');
}
