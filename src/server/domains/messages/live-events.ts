import { publicId } from '#contract/base/ids.ts';
import type { MessageType } from '#contract/messages.ts';
import type { NewEvent, OutboxRow, RowEnricher } from '#server/domains/events/events.ts';
import type { Tx } from '#server/infra/postgres/database.ts';
import { type Body, excerptOf } from './content.ts';

/** What open tabs are told of messages: an event for each that an outbox row names. */
export const messageEvents: RowEnricher = async (tx, accountId, rows) => {
  const previews = await previewsOf(tx, accountId, rows);
  return (row) => row.messageIds?.map((id, index) => messageEvent(row, { id, index, previews }));
};

type Named = { id: string; index: number; previews: ReadonlyMap<string, string> };

function messageEvent(row: OutboxRow, { id, index, previews }: Named): NewEvent {
  const received = row.kind === 'message.received';
  const told = row.data?.['peer_name'];
  const name = received && typeof told === 'string' && told !== '' ? told : null;
  const tokenId = row.tokenIds?.[index] ?? '';
  const peer = row.peers?.[index] ?? '';
  const data = {
    id: publicId('message', id),
    token_id: publicId('token', tokenId),
    peer,
    direction: received ? 'in' : 'out',
    status: row.statuses?.[index] ?? '',
    ...(received && { peer_name: name, preview: previews.get(id) ?? '' }),
  };
  return { kind: row.kind, message: { messageId: id, tokenId, peer, name }, data };
}

async function previewsOf(
  tx: Tx,
  accountId: string,
  rows: readonly OutboxRow[],
): Promise<ReadonlyMap<string, string>> {
  const ids = rows.flatMap((row) =>
    row.kind === 'message.received' ? (row.messageIds ?? []) : [],
  );
  if (ids.length === 0) return new Map();
  const found = await tx<{ message_id: string; type: MessageType; body: Body }[]>`
    select message_id, type, body
    from messages where account_id = ${accountId} and message_id = any(${ids}::uuid[])`;
  return new Map(found.map(({ message_id, type, body }) => [message_id, excerptOf(type, body)]));
}
