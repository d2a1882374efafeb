import type { AuthStorage, KeyChange } from '#server/domains/channels/web/engine/engine.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import type { SealedColumn, Secrets } from '#server/infra/security/secrets.ts';
import { LeaseLost, type Leases, type OwnedSession } from './sessions.ts';

const placeOfCreds = (accountId: string, sessionId: string): string =>
  `web_sessions:${accountId}:${sessionId}`;
const placeOfKey = (...parts: [accountId: string, sessionId: string, type: string, id: string]) =>
  `web_keys:${parts.join(':')}`;

export type StorageDeps = { allAccountsSql: Sql; secrets: Secrets; leases: Leases };

/**
 * The secrets of a session in the database: sealed each under its own place, so that none can be moved, and
 * written only by the worker that holds the session.
 *
 * @param onLost called when something was to be written that is another worker's by now.
 */
export function openAuthStorage(
  { allAccountsSql, secrets, leases }: StorageDeps,
  session: OwnedSession,
  onLost: () => void,
): AuthStorage {
  const { accountId, sessionId } = session;
  const credsPlace = placeOfCreds(accountId, sessionId);
  const keyPlace = (type: string, id: string) => placeOfKey(accountId, sessionId, type, id);
  const whileOwned = (work: (tx: Tx) => Promise<void>) =>
    leases.whileOwned(session, work).catch((error: unknown) => {
      if (error instanceof LeaseLost) onLost();
      throw error;
    });
  return {
    async readCreds() {
      const [row] = await allAccountsSql<{ creds: Buffer | null }[]>`
        select creds from web_sessions
        where account_id = ${accountId} and session_id = ${sessionId}`;
      return row?.creds ? opened(secrets, row.creds, credsPlace) : undefined;
    },
    writeCreds: (creds) =>
      whileOwned(async (tx) => {
        await tx`
          update web_sessions set creds = ${secrets.seal(creds, credsPlace)}
          where account_id = ${accountId} and session_id = ${sessionId}`;
      }),
    async readKeys(type, ids) {
      const found = await allAccountsSql<{ id: string; value: Buffer }[]>`
        select id, value from web_keys
        where account_id = ${accountId} and session_id = ${sessionId} and type = ${type}
          and id = any(${[...ids]}::text[])`;
      return Object.fromEntries(
        found.map(({ id, value }) => [id, opened(secrets, value, keyPlace(type, id))]),
      );
    },
    writeKeys: (changes) =>
      whileOwned(async (tx) => {
        await writeAll(tx, session, lastOfEach(changes), (type, id, value) =>
          secrets.seal(value, keyPlace(type, id)),
        );
      }),
  };
}

/** Identities and keys of sessions, as they are sealed. */
export const sealedAuth: readonly SealedColumn[] = [
  {
    table: 'web_sessions',
    column: 'creds',
    key: ['account_id', 'session_id'],
    context: ({ account_id = '', session_id = '' }) => placeOfCreds(account_id, session_id),
  },
  {
    table: 'web_keys',
    column: 'value',
    key: ['account_id', 'session_id', 'type', 'id'],
    context: ({ account_id = '', session_id = '', type = '', id = '' }) =>
      placeOfKey(account_id, session_id, type, id),
  },
];

/** Text that was sealed. @throws Error when it was moved or sealed under another key. */
function opened(secrets: Secrets, sealed: Uint8Array, place: string): string {
  const plain = secrets.open(sealed, place);
  if (!plain) throw new Error('a secret of a WhatsApp Web session cannot be opened');
  return plain.toString('utf8');
}

/** One statement cannot write a row twice: the last change counts. */
const lastOfEach = (changes: readonly KeyChange[]): readonly KeyChange[] => [
  ...new Map(changes.map((change) => [`${change.type} ${change.id}`, change])).values(),
];

async function writeAll(
  tx: Tx,
  { accountId, sessionId }: OwnedSession,
  changes: readonly KeyChange[],
  seal: (type: string, id: string, value: string) => Buffer,
): Promise<void> {
  const stored = changes.flatMap(({ type, id, value }) =>
    value === null ? [] : [{ type, id, value: seal(type, id, value) }],
  );
  const forgotten = changes.filter(({ value }) => value === null);
  if (stored.length > 0) {
    await tx`
      insert into web_keys (account_id, session_id, type, id, value)
      select ${accountId}, ${sessionId}, type, id, value from unnest(
        ${stored.map(({ type }) => type)}::text[], ${stored.map(({ id }) => id)}::text[],
        ${stored.map(({ value }) => value)}::bytea[]
      ) as k(type, id, value)
      on conflict (account_id, session_id, type, id) do update set value = excluded.value`;
  }
  if (forgotten.length > 0) {
    await tx`
      delete from web_keys k using unnest(
        ${forgotten.map(({ type }) => type)}::text[], ${forgotten.map(({ id }) => id)}::text[]
      ) as f(type, id)
      where k.account_id = ${accountId} and k.session_id = ${sessionId}
        and k.type = f.type and k.id = f.id`;
  }
}
