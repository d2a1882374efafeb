import { eachByItself } from '#server/infra/postgres/batches.ts';
import { type Sql, type Tx, retrying, asAccount } from '#server/infra/postgres/database.ts';
import { type MessageRow, cancelMessage } from '#contract/messages.ts';
import { Refusal } from '#contract/base/refusals.ts';
import {
  type StoredMessage,
  messageRow,
  readMessages,
} from '#server/domains/messages/history/rows.ts';
import { handle } from '#server/infra/acts.ts';

export type Withdrawal =
  | { outcome: 'cancelled' | 'expired' }
  | { outcome: 'failed'; failure: 'not_linked' };

/**
 * Removes messages that have not left from the queue and releases their price. A message that may have left is never
 * cancelled; after the wait for its receipt it fails with `no_answer`.
 *
 * @returns the ids that were removed.
 */
export async function withdrawMessages(
  sql: Sql | Tx,
  { accountId, ids, ...why }: { accountId: string; ids: readonly string[] } & Withdrawal,
): Promise<readonly string[]> {
  const failure = why.outcome === 'failed' ? why.failure : null;
  const [row] = await sql<{ withdrawn: string[] }[]>`
    select withdraw_messages(${accountId}, ${[...ids]}::uuid[], ${why.outcome}, ${failure}) as withdrawn`;
  return row?.withdrawn ?? [];
}

const FAIL_BATCH = 200;

/**
 * Fails the queued messages of a deleted token or closed account: those that have not left at once, and those that may
 * have left only after the wait for their receipt. Idempotent.
 *
 * @returns how many messages still wait for a receipt, or are being sent.
 */
export async function failWaiting(
  allAccountsSql: Sql,
  { accountId, tokenId }: { accountId: string; tokenId?: string },
): Promise<number> {
  const matches = allAccountsSql`account_id = ${accountId}
    ${tokenId === undefined ? allAccountsSql`` : allAccountsSql`and token_id = ${tokenId}`}`;
  for (;;) {
    const due = await allAccountsSql<{ id: string }[]>`
      select message_id as id from dispatch where ${matches}
        and case when unsure_until is null then state = 'ready'
          else state <> 'sending' and unsure_until <= clock_timestamp() end
      limit ${FAIL_BATCH}`;
    const ids = due.map(({ id }) => id);
    if (ids.length > 0) await withdrawAll(allAccountsSql, { accountId, ids, ...notLinked });
    if (ids.length < FAIL_BATCH) break;
  }
  const [waiting] = await allAccountsSql<
    { n: number }[]
  >`select count(*) as n from dispatch where ${matches}`;
  return waiting?.n ?? 0;
}

const notLinked: Withdrawal = { outcome: 'failed', failure: 'not_linked' };

/** @throws the first error, once everything that can be withdrawn is. */
async function withdrawAll(
  allAccountsSql: Sql,
  { ids, ...which }: { accountId: string; ids: readonly string[] } & Withdrawal,
): Promise<void> {
  const [failed] = await eachByItself(ids, (some) =>
    retrying(() => withdrawMessages(allAccountsSql, { ...which, ids: some })),
  );
  if (failed) throw failed.error;
}

const EXPIRE_BATCH = 500;

/**
 * Expires messages whose `ttl` has passed before they left, and releases their price; those that may have left fail
 * after the wait for their receipt. A running lane does this for its own messages; this is for lanes whose phone is not
 * linked. Called by a job, every minute.
 *
 * @throws the first error, once every account was tried.
 */
export async function expireMessages(allAccountsSql: Sql): Promise<void> {
  let failed: { error: unknown } | undefined;
  let after = '00000000-0000-0000-0000-000000000000';
  for (;;) {
    const due = await allAccountsSql<{ account_id: string; message_id: string }[]>`
      select account_id, message_id from dispatch
      where expires_at <= clock_timestamp() and message_id > ${after} and state <> 'sending'
        and coalesce(unsure_until <= clock_timestamp(), state = 'ready')
      order by message_id limit ${EXPIRE_BATCH}`;
    for (const [accountId, rows] of Map.groupBy(due, (row) => row.account_id)) {
      const ids = rows.map((row) => row.message_id);
      await withdrawAll(allAccountsSql, { accountId, ids, outcome: 'expired' }).catch(
        (error: unknown) => {
          failed ??= { error };
        },
      );
    }
    after = due.at(-1)?.message_id ?? after;
    if (due.length < EXPIRE_BATCH) break;
  }
  if (failed) throw failed.error;
}

export const cancelMessageHandler = ({ sql }: { sql: Sql }) =>
  handle(cancelMessage, ({ caller }, { message_id }) =>
    withdraw(sql, caller.accountId, message_id),
  );

/**
 * Removes a message that has not left from the queue and releases its price.
 *
 * @throws Refusal `not_found`; `message_in_flight` when it is being sent or may have left; `message_final` when it has
 * left or ended. Cancelling a cancelled message answers it again.
 */
export function withdraw(sql: Sql, accountId: string, messageId: string): Promise<MessageRow> {
  return asAccount(sql, accountId, async (tx) => {
    await withdrawMessages(tx, { accountId, ids: [messageId], outcome: 'cancelled' });
    const ids = tx`select ${messageId}::uuid as message_id`;
    const [stored] = await readMessages(tx, { accountId, ids, order: 'newest' });
    const refusal = cancelRefusal(stored);
    if (refusal || !stored) throw refusal ?? notFound();
    return messageRow(stored);
  });
}

function cancelRefusal(stored: StoredMessage | undefined): Refusal | undefined {
  if (!stored || stored.direction === 'in') return notFound();
  const { status } = stored;
  if (status === 'cancelled') return undefined;
  const isWaiting = status === 'queued' || status === 'scheduled';
  return isWaiting
    ? new Refusal('message_in_flight', {})
    : new Refusal('message_final', { status });
}

const notFound = () => new Refusal('not_found', { what: 'Pesan' });

/** Messages cancelled in one transaction, which holds the lock of the account's statuses. */
const CANCEL_BATCH = 100;

/**
 * Like `withdraw` for many messages, each on its own, in the order of acceptance.
 *
 * @returns the refusal of each; undefined if it was cancelled.
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
    results.push(...some.map((id) => ({ id, refusal: cancelRefusal(byId.get(id)) })));
  }
  return results;
}
