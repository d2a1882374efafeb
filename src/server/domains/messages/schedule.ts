import { publicId } from '#contract/base/ids.ts';
import type { MessageRow } from '#contract/messages.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { appendEvent } from '#server/domains/events/events.ts';
import type { SendDeps } from './submit/place.ts';
import { messageRow, readMessages } from '#server/domains/messages/history/rows.ts';
import { asAccount } from '#server/infra/postgres/database.ts';

type Planned = { accountId: string; tokenId: string; messageId: string };

/**
 * Reschedules a message; a time in the past counts as now. Its `ttl` counts from there, and its file is retained
 * until then. Open pages are notified.
 *
 * @throws Refusal `not_found`; `message_in_flight` when it was not scheduled, is being sent or may have left;
 * `message_final` when it has left or ended.
 */
export async function reschedule(
  { sql, findMedia }: Pick<SendDeps, 'sql' | 'findMedia'>,
  { accountId, tokenId, messageId }: Planned,
  at: Date,
): Promise<void> {
  const file = await asAccount(sql, accountId, async (tx) => {
    const [named] = await tx<{ file: string | null }[]>`
      select body ->> 'file' as file from messages
      where account_id = ${accountId} and message_id = ${messageId} and token_id = ${tokenId} limit 1`;
    return named?.file ?? null;
  });
  if (file !== null) await findMedia(accountId, new Map([[file, at]]));
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

/**
 * Reschedules a message of any token of the account, for the portal.
 *
 * @returns the changed message, and the token whose lane has new work.
 */
export async function rescheduleFromPortal(
  deps: Pick<SendDeps, 'sql' | 'findMedia'>,
  accountId: string,
  messageId: string,
  at: Date,
): Promise<{ row: MessageRow; tokenId: string }> {
  const read = () =>
    asAccount(deps.sql, accountId, async (tx) => {
      const ids = tx`select ${messageId}::uuid as message_id`;
      const [stored] = await readMessages(tx, { accountId, ids, order: 'newest' });
      if (!stored) throw new Refusal('not_found', { what: 'Pesan' });
      return stored;
    });
  const { token_id: tokenId } = await read();
  await reschedule(deps, { accountId, tokenId, messageId }, at);
  return { row: messageRow(await read()), tokenId };
}
