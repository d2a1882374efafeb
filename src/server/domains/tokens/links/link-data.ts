import { hmac, sameBytes, type Secrets } from '#server/infra/security/secrets.ts';

/** A link, as the house finds it again. */
export type LinkName = { accountId: string; linkId: string };

const ID_BYTES = 16;
const NAME_BYTES = 2 * ID_BYTES;
const EXPIRY_BYTES = 4;
const MAC_BYTES = 32;
const QR_PREFIX = 'kabari:1:';
const QR_CHANCE_BYTES = 16;
const CODE_LENGTH = 8;
const codeAlphabet = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';

/** A QR is replaced after this long … */
export const QR_FRESH_SECONDS = 20;
/** … and read for this many turns: 60 seconds at most. */
const QR_TURNS = 3;

/** The `data` of `/scan/{data}`: the link's name and end, signed. */
export function signLink(
  secrets: Secrets,
  { accountId, linkId }: LinkName,
  expiresAt: Date,
): string {
  const expiry = Buffer.alloc(EXPIRY_BYTES);
  expiry.writeUInt32BE(Math.floor(expiresAt.getTime() / 1000));
  const body = Buffer.concat([bytesOf(accountId), bytesOf(linkId), expiry]);
  return Buffer.concat([body, macOf(secrets, body)]).toString('base64url');
}

/** The link behind `data` and when it ends; undefined when we did not sign it, letter by letter. */
export function readLink(
  secrets: Secrets,
  data: string,
): (LinkName & { expiresAt: Date }) | undefined {
  const bytes = Buffer.from(data, 'base64url');
  if (bytes.length !== NAME_BYTES + EXPIRY_BYTES + MAC_BYTES) return undefined;
  const body = bytes.subarray(0, -MAC_BYTES);
  if (!sameBytes(macOf(secrets, body), bytes.subarray(-MAC_BYTES))) return undefined;
  if (bytes.toString('base64url') !== data) return undefined;
  return {
    accountId: uuidAt(body, 0),
    linkId: uuidAt(body, ID_BYTES),
    expiresAt: new Date(body.readUInt32BE(NAME_BYTES) * 1000),
  };
}

const macOf = (secrets: Secrets, body: Buffer) => hmac(secrets.key('links'), 'scan', body);

/** What the browser that agreed shows: made from its nonce, so that nothing secret rests anywhere. */
export type Showing = LinkName & { nonceHash: Uint8Array };

/**
 * What the QR says in a turn of 20 seconds, counted from the consent. It is made anew from the
 * house's key each time it is asked for, so it is stored nowhere and no GET has to write.
 */
export function qrText(secrets: Secrets, { accountId, linkId, nonceHash }: Showing, turn: number) {
  const chance = hmac(secrets.key('links'), 'qr', bytesOf(linkId), nonceHash, String(turn));
  const bytes = [bytesOf(accountId), bytesOf(linkId), chance.subarray(0, QR_CHANCE_BYTES)];
  return QR_PREFIX + Buffer.concat(bytes).toString('base64url');
}

/** The link a QR's text names; that it is a fresh QR of that link is for `isFreshQr` to say. */
export function readQr(text: string): LinkName | undefined {
  if (!text.startsWith(QR_PREFIX)) return undefined;
  const bytes = Buffer.from(text.slice(QR_PREFIX.length), 'base64url');
  if (bytes.length !== NAME_BYTES + QR_CHANCE_BYTES) return undefined;
  return { accountId: uuidAt(bytes, 0), linkId: uuidAt(bytes, ID_BYTES) };
}

/** True when a text is what the QR says now, or said in the two turns before. */
export function isFreshQr(secrets: Secrets, showing: Showing, turn: number, text: string): boolean {
  const given = Buffer.from(text);
  let fresh = false;
  for (let back = 0; back < QR_TURNS && back <= turn; back++) {
    if (sameBytes(given, Buffer.from(qrText(secrets, showing, turn - back)))) fresh = true;
  }
  return fresh;
}

/** The eight letters to type where no camera is at hand; the same as long as the link lives. */
export function pairingCode(secrets: Secrets, { linkId, nonceHash }: Showing): string {
  const chance = hmac(secrets.key('links'), 'code', bytesOf(linkId), nonceHash);
  return Array.from(chance.subarray(0, CODE_LENGTH), (byte) => codeAlphabet[byte % 32]).join('');
}

/** What is kept of a pairing code: keyed, because 40 bits alone could be found by trying. */
export const pairingCodeHash = (secrets: Secrets, code: string): Buffer =>
  hmac(secrets.key('links'), 'code at rest', code);

/** A pairing code as typed, with or without its dash; undefined when it cannot be one. */
export function readPairingCode(text: string): string | undefined {
  const letters = text.toUpperCase().replace(/[\s-]/g, '');
  const ours =
    letters.length === CODE_LENGTH && [...letters].every((l) => codeAlphabet.includes(l));
  return ours ? letters : undefined;
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
