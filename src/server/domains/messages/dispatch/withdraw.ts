import { eachByItself } from '#server/infra/postgres/batches.ts';
import { type Sql, type Tx, retrying } from '#server/infra/postgres/database.ts';

/** Why messages are removed from the queue. */
export type Withdrawal =
  | { outcome: 'cancelled' | 'expired' }
  | { outcome: 'failed'; failure: 'not_linked' };

/**
 * Removes messages that have not left from the queue and releases their price. What may have left is
 * never cancelled; once its receipt was awaited in vain it fails with `no_answer`.
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
 * Fails the queued messages of a deleted token or closed account: at once what has not left, and what may
 * have left when its receipt was awaited in vain. Safe to repeat.
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

/** Messages expired in one batch. */
const EXPIRE_BATCH = 500;

/**
 * Expires messages whose `ttl` has passed before they left, and releases their price; what may have left
 * fails once its receipt was awaited in vain. A running lane finds them by itself; this is for lanes whose
 * phone is not linked. Called by a job, every minute.
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
