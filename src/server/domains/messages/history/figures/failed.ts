import type { MessageRow } from '#contract/messages.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { civilDate } from '#contract/base/time.ts';
import { type Sql, type Tx, asAccount } from '#server/infra/postgres/database.ts';
import { countsByHour } from '#server/domains/messages/history/counts.ts';
import { pageOf, readAsAccount } from '#server/domains/messages/history/pages.ts';
import { messageRow, readMessages } from '#server/domains/messages/history/rows.ts';

/**
 * One message as the history shows it.
 *
 * @param tx of the account, or one that sees all.
 * @throws Refusal `not_found` when the account has no such message.
 */
export async function readMessageRow(
  tx: Tx,
  { accountId, messageId }: { accountId: string; messageId: string },
): Promise<MessageRow> {
  const ids = tx`select ${messageId}::uuid as message_id`;
  const [found] = await readMessages(tx, { accountId, ids, order: 'newest' });
  if (!found) throw new Refusal('not_found', { what: 'Pesan' });
  return messageRow(found);
}

const HOUR_MS = 3_600_000;

/** Messages accepted since the hour of an instant that have failed, by the counts. */
export const countFailed = (sql: Sql, accountId: string, since: Date): Promise<number> =>
  asAccount(sql, accountId, async (tx) => {
    const from = new Date(Math.floor(since.getTime() / HOUR_MS) * HOUR_MS);
    const before = tx`'infinity'`;
    const [found] = await tx<{ failed: number }[]>`
      select coalesce(sum(messages), 0)::bigint as failed
      from ${countsByHour(tx, { accountId, from, before })} c
      where status = 'failed' and direction = 'out'`;
    return found?.failed ?? 0;
  });

/** The newest messages of an account since an instant's day that have failed, found by the counts. */
export const newestFailed = (
  sql: Sql,
  accountId: string,
  { since, limit }: { since: Date; limit: number },
): Promise<MessageRow[]> =>
  readAsAccount(sql, accountId, async (tx) => {
    const filter = { from: civilDate(since), statuses: ['failed'], direction: 'out' } as const;
    const { stored } = await pageOf(tx, { accountId, filter, order: 'newest', offset: 0, limit });
    return stored.map(messageRow);
  });
