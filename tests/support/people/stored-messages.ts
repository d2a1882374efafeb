import type { Direction, MessageStatus, MessageType } from '#contract/messages.ts';
import { newId } from '#server/infra/ids.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { json } from '#server/infra/postgres/sql.ts';
import { changeOf } from '#tests/support/database/changes.ts';

export type MessageOptions = {
  at: Date;
  tokenId: string;
  peer?: string;
  direction?: Direction;
  type?: MessageType;
  status?: MessageStatus;
  body?: object;
};

export type Stored = Required<MessageOptions> & { id: string };

export const changeMessages = changeOf('messages', ['accountId', 'messageId']);

export const changeConversations = changeOf('conversations', ['accountId', 'tokenId', 'peer']);

/** Opts a phone out of a token's messages, as its answer STOP does. */
export const optOut = (
  sql: Sql,
  { accountId, tokenId }: { accountId: string; tokenId: string },
  peer: string,
) => sql`
  insert into optouts (account_id, token_id, peer, source)
  values (${accountId}, ${tokenId}, ${peer}, 'reply')`;

export const makeConversation = (
  sql: Sql,
  row: { accountId: string; tokenId: string; peer: string; peerName: string },
) => sql`
  insert into conversations (account_id, token_id, peer, peer_name, last_message_id, last_at)
  values (${row.accountId}, ${row.tokenId}, ${row.peer}, ${row.peerName}, ${newId()}, now())`;

/** A UUIDv7 of any instant; the application's own never go back in time. */
export function idOf(at: Date): string {
  const time = at.getTime().toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${crypto.randomUUID().slice(15)}`;
}

type MessageRow = {
  id: string;
  tokenId: string;
  peer?: string;
  direction?: string;
  type?: string;
  body?: object;
  status?: string;
  price?: number;
  charge?: string;
  holdSeq?: number;
  settleSeq?: number;
  failure?: string | null;
};

/** Messages alone, without the other rows of the accept path. */
export async function insertMessages(
  owner: Sql,
  accountId: string,
  rows: readonly MessageRow[],
): Promise<void> {
  await owner`
    insert into messages (
      account_id, message_id, token_id, peer, direction, type, body, status, price, charge_state,
      hold_seq, settle_seq, failure, created_at
    )
    select ${accountId}, id, "tokenId", coalesce(peer, '6281234567890'), coalesce(direction, 'out'),
      coalesce(type, 'text'), coalesce(body, '{}'), coalesce(status, 'delivered'), coalesce(price, 0),
      charge, "holdSeq", "settleSeq", failure, uuid_time(id)
    from jsonb_to_recordset(${json(rows)}) as r(
      id uuid, "tokenId" uuid, peer text, direction text, type text, body jsonb, status text,
      price bigint, charge text, "holdSeq" bigint, "settleSeq" bigint, failure text
    )`;
}

/**
 * Messages of the past, with the rollups and conversations that the accept path would have written.
 * @param owner the database's owner: no other role may insert messages directly.
 */
export async function storeMessages(
  owner: Sql,
  accountId: string,
  messages: readonly MessageOptions[],
): Promise<Stored[]> {
  const stored = messages.map((message): Stored => {
    const direction = message.direction ?? 'out';
    return {
      id: idOf(message.at),
      peer: '6281234567890',
      type: 'text',
      status: direction === 'in' ? 'received' : 'delivered',
      body: { text: 'Pesanan Anda sudah dikirim.' },
      ...message,
      direction,
    };
  });
  await insertMessages(owner, accountId, stored);
  await owner`
    insert into rollups as u (account_id, hour, token_id, direction, status, type, messages, cost)
    select account_id, date_trunc('hour', uuid_time(message_id)), token_id, direction, status, type,
      count(*), 0
    from messages where account_id = ${accountId} group by 1, 2, 3, 4, 5, 6
    on conflict (account_id, hour, token_id, direction, status, type) do update
      set messages = excluded.messages`;
  await owner`
    insert into rollup_sums as u (
      account_id, grain, since, token_id, direction, status, type, messages
    )
    select account_id, grain, wib_since(grain, hour), token_id, direction, status, type, sum(messages)
    from rollups cross join unnest(array['day', 'month']) as grain
    where account_id = ${accountId} group by 1, 2, 3, 4, 5, 6, 7
    on conflict (account_id, grain, since, token_id, direction, status, type) do update
      set messages = excluded.messages`;
  await owner`
    insert into conversations (account_id, token_id, peer, last_message_id, last_at, unread)
    select account_id, token_id, peer, max(message_id::text)::uuid, max(created_at),
      count(*) filter (where direction = 'in')
    from messages where account_id = ${accountId} group by 1, 2, 3
    on conflict (account_id, token_id, peer) do update
      set last_message_id = excluded.last_message_id, last_at = excluded.last_at,
        unread = excluded.unread`;
  return stored;
}
