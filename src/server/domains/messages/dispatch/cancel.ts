import { type MessageRow, cancelMessage } from '#contract/messages.ts';
import { Refusal } from '#contract/base/refusals.ts';
import {
  type StoredMessage,
  messageRow,
  readMessages,
} from '#server/domains/messages/history/rows.ts';
import { withdrawMessages } from './withdraw.ts';
import { handle } from '#server/infra/acts.ts';
import { type Sql, asAccount } from '#server/infra/postgres/database.ts';

/** The act that cancels one message. */
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
    const refusal = whyNotCancelled(stored);
    if (refusal || !stored) throw refusal ?? notFound();
    return messageRow(stored);
  });
}

/** Why a message is not cancelled after all; undefined when it is. */
function whyNotCancelled(stored: StoredMessage | undefined): Refusal | undefined {
  if (!stored || stored.direction === 'in') return notFound();
  const { status } = stored;
  if (status === 'cancelled') return undefined;
  const isWaiting = status === 'queued' || status === 'scheduled';
  return isWaiting
    ? new Refusal('message_in_flight', {})
    : new Refusal('message_final', { status });
}

const notFound = () => new Refusal('not_found', { what: 'Pesan' });

/** Messages cancelled in one transaction: it holds the account's statuses. */
const CANCEL_BATCH = 100;

/**
 * The same for many, each by itself, in the order in which they were accepted.
 *
 * @returns of each its refusal; none where it is cancelled.
 */
export async function withdrawMany(
  sql: Sql,
  accountId: string,
  messageIds: readonly string[],
): Promise<{ id: string; refusal: Refusal | undefined }[]> {
  const results: { id: string; refusal: Refusal | undefined }[] = [];
  const all = [...new Set(messageIds)].toSorted();
  for (let from = 0; from < all.length; from += CANCEL_BATCH) {
    const some = all.slice(from, from + CANCEL_BATCH);
    const stored = await asAccount(sql, accountId, async (tx) => {
      await withdrawMessages(tx, { accountId, ids: some, outcome: 'cancelled' });
      const ids = tx`select unnest(${some}::uuid[]) as message_id`;
      return readMessages(tx, { accountId, ids, order: 'oldest' });
    });
    const byId = new Map(stored.map((one) => [one.message_id, one]));
    results.push(...some.map((id) => ({ id, refusal: whyNotCancelled(byId.get(id)) })));
  }
  return results;
}
