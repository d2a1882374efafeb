import type { Fragment, Sql, Tx } from '#server/infra/postgres/database.ts';
import type { AuthStorage, KeyChange } from '#server/domains/channels/web/engine/engine.ts';
import type { SealedColumn, Secrets } from '#server/infra/security/secrets.ts';

/** A session that this worker holds while its epoch is unchanged. */
export type OwnedSession = {
  accountId: string;
  tokenId: string;
  sessionId: string;
  epoch: number;
  state: 'linking' | 'paired' | 'linked' | 'ended';
};

/** Another worker holds the session: nothing may be written any more. */
export class LeaseLost extends Error {
  constructor() {
    super('the session is held by another worker');
    this.name = 'LeaseLost';
  }
}

const LEASE = '15 seconds';

/** Leases of sessions, for one worker. All times are the database's. */
export type Leases = {
  /** Takes free sessions: of linked tokens, just paired ones, and those to end. */
  claim(limit: number): Promise<OwnedSession[]>;
  /** Takes or creates a link's session; undefined if another worker holds it, or it is paired. */
  begin(link: {
    accountId: string;
    tokenId: string;
    linkId: string;
  }): Promise<OwnedSession | undefined>;
  /** Renews leases. @returns the keys (`leaseKey`) of those still held */
  renew(sessions: readonly OwnedSession[]): Promise<ReadonlySet<string>>;
  release(session: OwnedSession): Promise<void>;
  /** Runs work in a transaction that locks the session, so that no other worker can take it. @throws LeaseLost */
  whileOwned<T>(session: OwnedSession, work: (tx: Tx) => Promise<T>): Promise<T>;
};

export const leaseKey = ({ sessionId, epoch }: Pick<OwnedSession, 'sessionId' | 'epoch'>): string =>
  `${sessionId}.${epoch}`;

/** @param owner id of this worker */
export function openLeases(allAccountsSql: Sql, owner: string): Leases {
  return {
    claim: (limit) => claim(allAccountsSql, owner, limit),
    async begin({ accountId, tokenId, linkId }) {
      const [begun] = await allAccountsSql<OwnedSession[]>`
        insert into web_sessions as s (account_id, session_id, token_id, owner, epoch, lease_until)
        values (${accountId}, ${linkId}, ${tokenId}, ${owner}, 1,
          clock_timestamp() + ${LEASE}::interval)
        on conflict (account_id, session_id) do update set
          owner = excluded.owner, epoch = s.epoch + 1, lease_until = excluded.lease_until
          where s.state = 'linking'
            and (s.lease_until is null or s.lease_until < clock_timestamp())
        returning account_id as "accountId", token_id as "tokenId", session_id as "sessionId",
          epoch, state`;
      return begun;
    },
    async renew(sessions) {
      const renewed = await allAccountsSql<{ sessionId: string; epoch: number }[]>`
        update web_sessions s set lease_until = clock_timestamp() + ${LEASE}::interval
        from unnest(
          ${sessions.map(({ accountId }) => accountId)}::uuid[],
          ${sessions.map(({ sessionId }) => sessionId)}::uuid[],
          ${sessions.map(({ epoch }) => epoch)}::bigint[]
        ) as o(account_id, session_id, epoch)
        where s.account_id = o.account_id and s.session_id = o.session_id and s.epoch = o.epoch
          and s.owner = ${owner}
        returning s.session_id as "sessionId", s.epoch`;
      return new Set(renewed.map(leaseKey));
    },
    async release({ accountId, sessionId, epoch }) {
      await allAccountsSql`
        update web_sessions set owner = null, lease_until = null
        where account_id = ${accountId} and session_id = ${sessionId} and epoch = ${epoch}
          and owner = ${owner}`;
    },
    whileOwned: (session, work) =>
      allAccountsSql.begin(async (tx) => {
        const owned = await tx`
          select from web_sessions
          where account_id = ${session.accountId} and session_id = ${session.sessionId}
            and epoch = ${session.epoch} and owner = ${owner}
          for no key update`;
        if (owned.length === 0) throw new LeaseLost();
        return work(tx);
      }),
  };
}

/** SQL condition: the disconnected number of token `t` recovers by itself, so it is retried. */
export const recoversByItself = (sql: Sql): Fragment => sql`exists (
  select from connections c
  where c.account_id = t.account_id and c.token_id = t.token_id and c.disconnect_reason = 'outdated'
)`;

/**
 * A stored session of a disconnected number waits until it is linked again. Sessions with the fewest claims come first,
 * so that those released at once do not starve others.
 */
const claim = (allAccountsSql: Sql, owner: string, limit: number): Promise<OwnedSession[]> =>
  allAccountsSql<OwnedSession[]>`
    update web_sessions s
    set owner = ${owner}, epoch = s.epoch + 1, lease_until = clock_timestamp() + ${LEASE}::interval
    from (
      select f.account_id, f.session_id from web_sessions f
      join tokens t on t.account_id = f.account_id and t.token_id = f.token_id
      where f.state in ('paired', 'linked', 'ended')
        and (f.lease_until is null or f.lease_until < clock_timestamp())
        and not (f.state = 'linked' and t.deleted_at is null
          and (t.status = 'disconnected' and not ${recoversByItself(allAccountsSql)}
            or t.status = 'suspended' or t.account_suspended))
      order by f.epoch, f.session_id limit ${limit}
      for no key update of f skip locked
    ) free
    where s.account_id = free.account_id and s.session_id = free.session_id
    returning s.account_id as "accountId", s.token_id as "tokenId", s.session_id as "sessionId",
      s.epoch, s.state`;

const credsContextOf = (accountId: string, sessionId: string): string =>
  `web_sessions:${accountId}:${sessionId}`;
const keyContextOf = (...parts: [accountId: string, sessionId: string, type: string, id: string]) =>
  `web_keys:${parts.join(':')}`;

/**
 * Stores the secrets of a session: each sealed for its own place, so that none can be moved, and written only by the
 * worker that holds the session.
 *
 * @param onLost called if a write fails because another worker holds the session
 */
export function openAuthStorage(
  { allAccountsSql, secrets, leases }: { allAccountsSql: Sql; secrets: Secrets; leases: Leases },
  session: OwnedSession,
  onLost: () => void,
): AuthStorage {
  const { accountId, sessionId } = session;
  const credsContext = credsContextOf(accountId, sessionId);
  const keyContext = (type: string, id: string) => keyContextOf(accountId, sessionId, type, id);
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
      return row?.creds ? opened(secrets, row.creds, credsContext) : undefined;
    },
    writeCreds: (creds) =>
      whileOwned(async (tx) => {
        await tx`
          update web_sessions set creds = ${secrets.seal(creds, credsContext)}
          where account_id = ${accountId} and session_id = ${sessionId}`;
      }),
    async readKeys(type, ids) {
      const found = await allAccountsSql<{ id: string; value: Buffer }[]>`
        select id, value from web_keys
        where account_id = ${accountId} and session_id = ${sessionId} and type = ${type}
          and id = any(${[...ids]}::text[])`;
      return Object.fromEntries(
        found.map(({ id, value }) => [id, opened(secrets, value, keyContext(type, id))]),
      );
    },
    writeKeys: (changes) =>
      whileOwned(async (tx) => {
        await writeAll(tx, session, lastOfEach(changes), (type, id, value) =>
          secrets.seal(value, keyContext(type, id)),
        );
      }),
  };
}

export const sealedAuth: readonly SealedColumn[] = [
  {
    table: 'web_sessions',
    column: 'creds',
    key: ['account_id', 'session_id'],
    context: ({ account_id = '', session_id = '' }) => credsContextOf(account_id, session_id),
  },
  {
    table: 'web_keys',
    column: 'value',
    key: ['account_id', 'session_id', 'type', 'id'],
    context: ({ account_id = '', session_id = '', type = '', id = '' }) =>
      keyContextOf(account_id, session_id, type, id),
  },
];

/** Opens a sealed text. @throws Error if it was moved, or sealed under another key */
function opened(secrets: Secrets, sealed: Uint8Array, place: string): string {
  const plain = secrets.open(sealed, place);
  if (!plain) throw new Error('a secret of a WhatsApp Web session cannot be opened');
  return plain.toString('utf8');
}

/** One statement cannot write a row twice, so the last change counts. */
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
