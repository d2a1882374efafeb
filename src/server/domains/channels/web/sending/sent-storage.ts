import type { SentStorage } from '#server/domains/channels/web/engine/engine.ts';
import type { TokenRef } from '#server/domains/tokens/tokens.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import type { SealedColumn, Secrets } from '#server/infra/security/secrets.ts';
import { wireIdOf } from './wire-id.ts';

/** A phone requests messages that it could not read within hours; receipts may come weeks later. */
const CONTENT_DAYS = 3;
const ID_DAYS = 60;

const contextOf = ({ accountId, tokenId }: TokenRef, wireId: string) =>
  `web_sent:${accountId}:${tokenId}:${wireId}`;

export const sealedSent: SealedColumn = {
  table: 'web_sent',
  column: 'content',
  key: ['account_id', 'token_id', 'wire_id'],
  context: ({ account_id: accountId = '', token_id: tokenId = '', wire_id: wireId = '' }) =>
    contextOf({ accountId, tokenId }, wireId),
};

/** Sealed storage of a token's sent messages, which contain one-time codes. */
export function openSentStorage(
  { allAccountsSql, secrets }: { allAccountsSql: Sql; secrets: Secrets },
  token: TokenRef,
): SentStorage {
  const { accountId, tokenId } = token;
  return {
    async readSent(wireId) {
      const [row] = await allAccountsSql<{ content: Buffer | null }[]>`
        select content from web_sent
        where account_id = ${accountId} and token_id = ${tokenId} and wire_id = ${wireId}`;
      return row?.content ? secrets.open(row.content, contextOf(token, wireId)) : undefined;
    },
    async writeSent(wireId, content) {
      await allAccountsSql`
        update web_sent set content = ${secrets.seal(content, contextOf(token, wireId))}
        where account_id = ${accountId} and token_id = ${tokenId} and wire_id = ${wireId}`;
    },
  };
}

type Leaving = TokenRef & { messageId: string };

/** Records that a message leaves. @returns whether the network has acknowledged an earlier try */
export async function noteLeaving(
  sql: Sql,
  { accountId, tokenId, messageId }: Leaving,
): Promise<{ isAcknowledged: boolean }> {
  const [row] = await sql<{ isAcknowledged: boolean }[]>`
    insert into web_sent (account_id, message_id, token_id, wire_id)
    values (${accountId}, ${messageId}, ${tokenId}, ${wireIdOf(messageId)})
    on conflict (account_id, message_id) do update set token_id = excluded.token_id
    returning acknowledged_at is not null as "isAcknowledged"`;
  return { isAcknowledged: row?.isAcknowledged ?? false };
}

export async function noteAcknowledged(
  sql: Sql,
  { accountId, messageId }: Pick<Leaving, 'accountId' | 'messageId'>,
): Promise<void> {
  await sql`
    update web_sent set acknowledged_at = clock_timestamp()
    where account_id = ${accountId} and message_id = ${messageId} and acknowledged_at is null`;
}

/** Our ids of messages by wire id; messages that are not ours are left out. */
export async function messageIdsOf(
  sql: Sql,
  { accountId, tokenId }: TokenRef,
  wireIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const found = await sql<{ wire_id: string; message_id: string }[]>`
    select wire_id, message_id from web_sent
    where account_id = ${accountId} and token_id = ${tokenId}
      and wire_id = any(${[...wireIds]}::text[])`;
  return new Map(found.map(({ wire_id, message_id }) => [wire_id, message_id]));
}

/** Deletes contents after three days and ids after two months; for the clean-up job. */
export async function pruneSent(allAccountsSql: Sql): Promise<void> {
  await allAccountsSql`
    update web_sent set content = null
    where content is not null and sent_at < clock_timestamp() - ${`${CONTENT_DAYS} days`}::interval`;
  await allAccountsSql`
    delete from web_sent where sent_at < clock_timestamp() - ${`${ID_DAYS} days`}::interval`;
}
