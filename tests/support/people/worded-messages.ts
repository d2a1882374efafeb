import { expect } from 'vitest';
import { newId } from '#server/infra/ids.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { messageList } from '#server/domains/messages/history/history.ts';
import { indexBatch } from '#server/domains/messages/history/words.ts';
import type { TestDatabase } from '#tests/support/database/database.ts';
import { type MessageOptions, type Stored, storeMessages } from './stored-messages.ts';

type Ask = Parameters<typeof messageList>[2];

export const SIZE = 20;

export const indexAll = async (sql: Sql, accountId: string, size = SIZE): Promise<void> => {
  while (await indexBatch(sql, accountId, size));
};

/** All pages of a result: the ids, and the total of each page. */
export async function found(sql: Sql, accountId: string, ask: Ask): Promise<string[]> {
  const { rows, total } = await messageList(sql, accountId, ask);
  const ids = rows.map(({ id }) => id);
  for (let page = 1; page <= Math.ceil(total / 10); page++) {
    const next = await messageList(sql, accountId, { ...ask, page });
    expect(next.total).toBe(total);
    ids.push(...next.rows.map(({ id }) => id));
  }
  expect(ids).toHaveLength(total);
  return ids;
}

export const text = (said: string): Partial<MessageOptions> => ({ body: { text: said } });

/** Stores messages as if just created, with any time; published or not yet. */
export async function storeLate(
  { owner }: TestDatabase,
  accountId: string,
  messages: readonly MessageOptions[],
  isPublished: boolean,
): Promise<Stored[]> {
  const stored = await storeMessages(owner, accountId, messages);
  for (const { id, tokenId, peer, type, status } of stored) {
    if (isPublished) {
      await owner`
        with p as (
          insert into event_positions (account_id, last) values (${accountId}, 1)
          on conflict (account_id) do update set last = event_positions.last + 1 returning last
        )
        insert into events (account_id, position, kind, message_id, token_id, peer, type, status, cost)
        select ${accountId}, last, 'message.accepted', ${id}, ${tokenId}, ${peer}, ${type}, ${status}, 0
        from p`;
    } else {
      await owner`
        insert into outbox (
          account_id, outbox_id, kind, message_ids, token_ids, peers, statuses, types, statuses_before,
          costs, costs_before
        ) values (
          ${accountId}, ${newId()}, 'message.accepted', ${[id]}, ${[tokenId]}, ${[peer]}, ${[status]},
          ${[type]}, array[null]::text[], array[0], array[null]::bigint[]
        )`;
    }
  }
  return stored;
}
