import { type Secrets, hmac, sameBytes } from '#server/infra/security/secrets.ts';
import type { StatementQuery } from './rows.ts';

/** Whose statement, and which. */
export type StatementClaim = {
  accountId: string;
  query: StatementQuery & { format: 'csv' | 'pdf' };
};

const ID_BYTES = 16;
const EXPIRY_BYTES = 4;
const MAC_BYTES = 32;
const ID_LENGTH_MAX = 300;

/** What a statement is asked by, with a key that opens it until an instant: `…?k=…`. */
export function signStatement(
  secrets: Secrets,
  { accountId, query }: StatementClaim,
  endsMs: number,
): string {
  const { from, to, kind = '', format } = query;
  const id = Buffer.from(JSON.stringify([from, to, kind, format])).toString('base64url');
  const expiry = Buffer.alloc(EXPIRY_BYTES);
  expiry.writeUInt32BE(Math.floor(endsMs / 1000));
  const claim = Buffer.concat([Buffer.from(accountId.replaceAll('-', ''), 'hex'), expiry]);
  return `${id}?k=${Buffer.concat([claim, macOf(secrets, id, claim)]).toString('base64url')}`;
}

/** What an address asks; undefined when we did not sign it, or its time is over. */
export function verifyStatement(
  secrets: Secrets,
  { id, key }: { id: string; key: string },
  nowMs: number,
): StatementClaim | undefined {
  const bytes = Buffer.from(key, 'base64url');
  if (id.length > ID_LENGTH_MAX || bytes.length !== ID_BYTES + EXPIRY_BYTES + MAC_BYTES) {
    return undefined;
  }
  const claim = bytes.subarray(0, -MAC_BYTES);
  if (!sameBytes(macOf(secrets, id, claim), bytes.subarray(-MAC_BYTES))) return undefined;
  if (claim.readUInt32BE(ID_BYTES) * 1000 <= nowMs) return undefined;
  const hex = claim.toString('hex', 0, ID_BYTES);
  const accountId = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  // Signed by us: it is what was written above.
  const [from, to, kind, format] = JSON.parse(Buffer.from(id, 'base64url').toString()) as [
    string,
    string,
    NonNullable<StatementQuery['kind']> | '',
    'csv' | 'pdf',
  ];
  return { accountId, query: { from, to, kind: kind === '' ? undefined : kind, format } };
}

const macOf = (secrets: Secrets, id: string, claim: Buffer) =>
  hmac(secrets.key('links'), 'statement', id, claim);
