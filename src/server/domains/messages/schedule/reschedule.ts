import { publicId } from '#contract/base/ids.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { appendEvent } from '#server/domains/events/events.ts';
import { readMessages } from '#server/domains/messages/history/rows.ts';
import { type Sql, asAccount } from '#server/infra/postgres/database.ts';

type Planned = { accountId: string; tokenId: string; messageId: string };

/**
 * Gives a planned message another time; one that is over is now. Its `ttl` counts from there. Open pages learn of it.
 *
 * @throws Refusal `not_found`; `message_in_flight` when it was not planned, is being sent or may have left;
 *   `message_final` when it has left or ended.
 */
export async function reschedule(
  sql: Sql,
  { accountId, tokenId, messageId }: Planned,
  at: Date,
): Promise<void> {
  await asAccount(sql, accountId, async (tx) => {
    const [row] = await tx<{ moved: boolean }[]>`
      select reschedule_message(${accountId}, ${tokenId}, ${messageId}, ${at}) as moved`;
    const ids = tx`select ${messageId}::uuid as message_id`;
    const [stored] = await readMessages(tx, { accountId, ids, order: 'newest' });
    if (stored && row?.moved) {
      const { peer } = stored;
      const data = {
        id: publicId('message', messageId),
        token_id: publicId('token', tokenId),
        peer,
      };
      return appendEvent(tx, { accountId, kind: 'message.rescheduled', data });
    }
    if (!stored || stored.direction === 'in') throw new Refusal('not_found', { what: 'Pesan' });
    const { status } = stored;
    const isWaiting = status === 'queued' || status === 'scheduled';
    throw isWaiting
      ? new Refusal('message_in_flight', {})
      : new Refusal('message_final', { status });
  });
}
