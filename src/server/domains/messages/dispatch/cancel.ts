import { type MessageRow, cancelMessage } from '#contract/messages.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { messageRow, readMessages } from '#server/domains/messages/history/rows.ts';
import { withdrawMessages } from './withdraw.ts';
import { handle } from '#server/infra/acts/act.ts';
import { type Sql, asAccount } from '#server/infra/postgres/database.ts';

export const cancelMessageHandler = ({ sql }: { sql: Sql }) =>
  handle(cancelMessage, ({ caller }, { message_id }) =>
    withdraw(sql, caller.accountId, message_id),
  );

/**
 * Removes a message that has not left from the queue and releases its price.
 *
 * @throws Refusal `not_found`; `message_in_flight` when it is being sent or may have left;
 *   `message_final` when it has left or ended. Cancelling a cancelled message answers it again.
 */
export function withdraw(sql: Sql, accountId: string, messageId: string): Promise<MessageRow> {
  return asAccount(sql, accountId, async (tx) => {
    await withdrawMessages(tx, { accountId, ids: [messageId], outcome: 'cancelled' });
    const ids = tx`select ${messageId}::uuid as message_id`;
    const [stored] = await readMessages(tx, { accountId, ids, order: 'newest' });
    if (!stored || stored.direction === 'in') throw new Refusal('not_found', { what: 'Pesan' });
    const { status } = stored;
    if (status === 'cancelled') return messageRow(stored);
    const isWaiting = status === 'queued' || status === 'scheduled';
    throw isWaiting
      ? new Refusal('message_in_flight', {})
      : new Refusal('message_final', { status });
  });
}
