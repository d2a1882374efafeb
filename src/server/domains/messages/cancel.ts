import { type MessageRow, cancelMessage } from '#contract/messages.ts';
import { Refusal } from '#contract/refusals.ts';
import { messageRow, readMessages } from './rows.ts';
import { on } from '#server/platform/act.ts';
import { type Sql, asAccount } from '#server/platform/database.ts';

export const cancelling = ({ sql }: { sql: Sql }) =>
  on(cancelMessage, ({ caller }, { message_id }) => withdraw(sql, caller.accountId, message_id));

/**
 * Takes a message that has not left yet out of the queue and gives its price back.
 *
 * @throws Refusal `not_found`, or `message_final` when it has left or ended; cancelling a cancelled
 *   message answers it again.
 */
export function withdraw(sql: Sql, accountId: string, messageId: string): Promise<MessageRow> {
  return asAccount(sql, accountId, async (tx) => {
    await tx`select withdraw_messages(${accountId}, ${[messageId]}::uuid[], 'cancelled')`;
    const ids = tx`select ${messageId}::uuid as message_id`;
    const [stored] = await readMessages(tx, { accountId, ids, order: 'newest' });
    if (!stored || stored.direction === 'in') throw new Refusal('not_found', { what: 'Pesan' });
    if (stored.status !== 'cancelled')
      throw new Refusal('message_final', { status: stored.status });
    return messageRow(stored);
  });
}
