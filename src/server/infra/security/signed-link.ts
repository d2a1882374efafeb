import { publicId, uuidOf } from '#contract/base/ids.ts';
import { type Secrets, hmac, sameBytes } from './secrets.ts';

/** Kinds of signed links; a link of one kind never opens another. */
type LinkKind = 'file' | 'media' | 'export' | 'rows' | 'invoice' | 'support';

export type Linked = { accountId: string; id: string };

const ID_BYTES = 16;
const EXPIRY_BYTES = 4;
const MAC_BYTES = 32;

/**
 * A bearer link, valid until an instant: public id and key, `fil_…?k=…`.
 *
 * @param endsMs milliseconds since 1970, rounded down to whole seconds.
 */
export function signed(
  secrets: Secrets,
  kind: LinkKind,
  { accountId, id }: Linked,
  endsMs: number,
): string {
  const expiry = Buffer.alloc(EXPIRY_BYTES);
  expiry.writeUInt32BE(Math.floor(endsMs / 1000));
  const claim = Buffer.concat([Buffer.from(accountId.replaceAll('-', ''), 'hex'), expiry]);
  const key = Buffer.concat([claim, macOf(secrets, kind, id, claim)]).toString('base64url');
  return `${publicId(kind, id)}?k=${key}`;
}

/**
 * @param given the path's public id, and the query's `k`.
 * @returns undefined if the signature is invalid or the link has expired.
 */
export function verifySigned(
  secrets: Secrets,
  kind: LinkKind,
  given: { id: string; key: string },
  nowMs = Date.now(),
): Linked | undefined {
  const id = uuidOf(kind, given.id);
  const bytes = Buffer.from(given.key, 'base64url');
  if (id === undefined || bytes.length !== ID_BYTES + EXPIRY_BYTES + MAC_BYTES) return undefined;
  const claim = bytes.subarray(0, -MAC_BYTES);
  if (!sameBytes(macOf(secrets, kind, id, claim), bytes.subarray(-MAC_BYTES))) return undefined;
  if (claim.readUInt32BE(ID_BYTES) * 1000 <= nowMs) return undefined;
  const hex = claim.toString('hex', 0, ID_BYTES);
  const accountId = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return { accountId, id };
}

const macOf = (secrets: Secrets, kind: LinkKind, id: string, claim: Buffer) =>
  hmac(secrets.key('links'), kind, id, claim);
