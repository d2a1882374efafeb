import type { OwnedSession } from '#server/domains/channels/web/auth/sessions.ts';
import type { NetworkQr } from '#server/domains/tokens/tokens.ts';
import type { Tx } from '#server/infra/postgres/database.ts';
import type { SealedColumn, Secrets } from '#server/infra/security/secrets.ts';

/** The network shows its first QR for a minute, and each later one for 20 seconds. */
const FIRST_SECONDS = 60;
const LATER_SECONDS = 20;

type Kind = 'qr' | 'pairing code';

const placeOf = (accountId: string, sessionId: string, kind: Kind) =>
  `web_sessions:${accountId}:${sessionId}:${kind}`;

const sealedCode = (column: 'qr' | 'pairing_code', kind: Kind): SealedColumn => ({
  table: 'web_sessions',
  column,
  key: ['account_id', 'session_id'],
  context: ({ account_id = '', session_id = '' }) => placeOf(account_id, session_id, kind),
});

export const sealedCodes: readonly SealedColumn[] = [
  sealedCode('qr', 'qr'),
  sealedCode('pairing_code', 'pairing code'),
];

/** Stores the QR that is shown now. */
export async function storeQr(
  tx: Tx,
  secrets: Secrets,
  { accountId, sessionId }: OwnedSession,
  { text, isFirst }: { text: string; isFirst: boolean },
): Promise<void> {
  const seconds = isFirst ? FIRST_SECONDS : LATER_SECONDS;
  await tx`
    update web_sessions set qr = ${secrets.seal(text, placeOf(accountId, sessionId, 'qr'))},
      qr_expires_at = clock_timestamp() + ${`${seconds} seconds`}::interval
    where account_id = ${accountId} and session_id = ${sessionId}`;
}

/** Stores the code that stands for the QR. */
export async function storePairingCode(
  tx: Tx,
  secrets: Secrets,
  { accountId, sessionId }: OwnedSession,
  code: string,
): Promise<void> {
  const sealed = secrets.seal(code, placeOf(accountId, sessionId, 'pairing code'));
  await tx`
    update web_sessions set pairing_code = ${sealed}
    where account_id = ${accountId} and session_id = ${sessionId}`;
}

/** The QR and code that were shown count no more. */
export async function clearCodes(tx: Tx, { accountId, sessionId }: OwnedSession): Promise<void> {
  await tx`
    update web_sessions set qr = null, qr_expires_at = null, pairing_code = null
    where account_id = ${accountId} and session_id = ${sessionId}`;
}

/** A phone has paired: from now on it is a session like others, for whoever takes it. */
export async function becomePaired(tx: Tx, { accountId, sessionId }: OwnedSession): Promise<void> {
  await tx`
    update web_sessions set state = 'paired', qr = null, qr_expires_at = null, pairing_code = null
    where account_id = ${accountId} and session_id = ${sessionId}`;
}

/** What the page of a link shows. */
export const networkQr =
  (secrets: Secrets): NetworkQr =>
  async (tx, { accountId, linkId }) => {
    const [row] = await tx<{ qr: Buffer; until: Date; pairing_code: Buffer | null }[]>`
      select qr, qr_expires_at as until, pairing_code from web_sessions
      where account_id = ${accountId} and session_id = ${linkId} and state = 'linking'
        and qr is not null`;
    if (!row) return null;
    const opened = (sealed: Uint8Array, kind: Kind) =>
      secrets.open(sealed, placeOf(accountId, linkId, kind))?.toString('utf8');
    const text = opened(row.qr, 'qr');
    if (text === undefined) return null;
    const code = row.pairing_code && opened(row.pairing_code, 'pairing code');
    return { text, pairing_code: code ?? null, expires_at: row.until };
  };
