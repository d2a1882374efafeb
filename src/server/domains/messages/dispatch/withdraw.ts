import { eachByItself } from '#server/infra/postgres/batches.ts';
import { type Sql, type Tx, retrying } from '#server/infra/postgres/database.ts';

/** Why messages are taken out of the queue. */
export type Withdrawal =
  | { outcome: 'cancelled' | 'expired' }
  | { outcome: 'failed'; failure: 'not_linked' };

/**
 * Takes messages that have not left out of the queue and gives their price back. What may have left is
 * never cancelled; once its receipt was awaited in vain it fails with `no_answer`.
 *
 * @returns the ids that were taken.
 */
export async function withdrawMessages(
  sql: Sql | Tx,
  { accountId, ids, ...why }: { accountId: string; ids: readonly string[] } & Withdrawal,
): Promise<readonly string[]> {
  const failure = why.outcome === 'failed' ? why.failure : null;
  const [row] = await sql<{ taken: string[] }[]>`
    select withdraw_messages(${accountId}, ${[...ids]}::uuid[], ${why.outcome}, ${failure}) as taken`;
  return row?.taken ?? [];
}

const FAILED_AT_ONCE = 200;

/**
 * Fails what waits and will never leave, for its token or account is gone: at once what has not left, and
 * what may have left when its receipt was awaited in vain. Safe to repeat.
 *
 * @returns how many messages still wait for a receipt, or are being sent.
 */
export async function failWaiting(
  allAccountsSql: Sql,
  { accountId, tokenId }: { accountId: string; tokenId?: string },
): Promise<number> {
  const those = allAccountsSql`account_id = ${accountId}
    ${tokenId === undefined ? allAccountsSql`` : allAccountsSql`and token_id = ${tokenId}`}`;
  for (;;) {
    const due = await allAccountsSql<{ id: string }[]>`
      select message_id as id from dispatch where ${those}
        and case when unsure_until is null then state = 'ready'
          else state <> 'sending' and unsure_until <= clock_timestamp() end
      limit ${FAILED_AT_ONCE}`;
    const ids = due.map(({ id }) => id);
    if (ids.length > 0) await withdrawAll(allAccountsSql, { accountId, ids, ...gone });
    if (ids.length < FAILED_AT_ONCE) break;
  }
  const [left] = await allAccountsSql<
    { n: number }[]
  >`select count(*) as n from dispatch where ${those}`;
  return left?.n ?? 0;
}

const gone: Withdrawal = { outcome: 'failed', failure: 'not_linked' };

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

/** Messages looked at in one turn. */
const EXPIRED_AT_ONCE = 500;

/**
 * Ends messages whose `ttl` has passed before they left, and gives their price back; what may have left
 * fails once its receipt was awaited in vain. A lane that runs finds them by itself; this is for lanes
 * whose phone is away. Called by a job, every minute.
 *
 * @throws the first error, once every account has had its turn.
 */
export async function expireMessages(allAccountsSql: Sql): Promise<void> {
  let failed: { error: unknown } | undefined;
  let after = '00000000-0000-0000-0000-000000000000';
  for (;;) {
    const due = await allAccountsSql<{ account_id: string; message_id: string }[]>`
      select account_id, message_id from dispatch
      where expires_at <= clock_timestamp() and message_id > ${after} and state <> 'sending'
        and coalesce(unsure_until <= clock_timestamp(), state = 'ready')
      order by message_id limit ${EXPIRED_AT_ONCE}`;
    for (const [accountId, rows] of Map.groupBy(due, (row) => row.account_id)) {
      const ids = rows.map((row) => row.message_id);
      await withdrawAll(allAccountsSql, { accountId, ids, outcome: 'expired' }).catch(
        (error: unknown) => {
          failed ??= { error };
        },
      );
    }
    after = due.at(-1)?.message_id ?? after;
    if (due.length < EXPIRED_AT_ONCE) break;
  }
  if (failed) throw failed.error;
}
