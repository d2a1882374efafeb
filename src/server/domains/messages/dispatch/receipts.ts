import type { Receipt } from '#server/domains/channels/channels.ts';
import { type FailedItem, eachByItself } from '#server/infra/postgres/batches.ts';
import { type Sql, retrying } from '#server/infra/postgres/database.ts';

/** Receipts for unknown messages are tried again for this long. */
const PARK_FOR = '24 hours';

/**
 * Applies receipts: in any order, any number of times. A receipt for a message that is not there (yet) is
 * parked. Resolves when everything that can be is stored: a receipt that cannot delays no other.
 *
 * @returns the receipts that were not stored, each with its error.
 * @throws the database's own errors: then some may be stored, and all are to be delivered again.
 */
export async function applyReceipts(
  sql: Sql,
  receipts: readonly Receipt[],
): Promise<FailedItem<Receipt>[]> {
  const failed: FailedItem<Receipt>[] = [];
  for (const [accountId, batch] of Map.groupBy(receipts, (receipt) => receipt.accountId)) {
    const unapplied = await eachByItself(batch, async (some) => {
      await retrying(() => settleReceipts(sql, accountId, some));
      await park(sql, accountId, some);
    });
    failed.push(...unapplied);
  }
  return failed;
}

async function settleReceipts(sql: Sql, accountId: string, batch: readonly Receipt[]) {
  await sql`select count(*) from settle_batch(
    ${accountId}, null, null,
    ${batch.map((receipt) => receipt.messageId)}::uuid[],
    ${batch.map((receipt) => receipt.status)}::text[],
    ${batch.map((receipt) => receipt.failure ?? null)}::text[],
    ${batch.map((receipt) => receipt.at)}::timestamptz[],
    ${batch.map(() => false)}::boolean[]
  )`;
}

async function park(sql: Sql, accountId: string, batch: readonly Receipt[]) {
  const ids = [...new Set(batch.map((receipt) => receipt.messageId))];
  const known = await sql<{ message_id: string }[]>`
    select message_id from messages
    where account_id = ${accountId} and message_id = any(${ids}::uuid[])`;
  if (known.length === ids.length) return;
  const knownIds = new Set(known.map((row) => row.message_id));
  for (const receipt of batch) {
    if (knownIds.has(receipt.messageId)) continue;
    await sql`
      insert into parked_receipts (account_id, message_id, status, failure, at)
      values (${accountId}, ${receipt.messageId}, ${receipt.status}, ${receipt.failure ?? null},
        ${receipt.at})
      on conflict do nothing`;
  }
}

/**
 * Tries parked receipts again and forgets those older than a day. Called by a job, every minute. A
 * parked receipt is deleted once it is applied, so that none is lost with the process.
 *
 * @throws the first error, once all receipts that can be applied are.
 */
export async function retryParked(sql: Sql): Promise<void> {
  await sql`delete from parked_receipts where parked_at < clock_timestamp() - ${PARK_FOR}::interval`;
  const found = await sql<ParkedRow[]>`
    select p.account_id, p.message_id, p.status, p.failure, p.at
    from parked_receipts p join messages m
      on m.account_id = p.account_id and m.message_id = p.message_id`;
  const receipts = found.map(receiptOf);
  const failed = await applyReceipts(sql, receipts);
  const unapplied = new Set(failed.map(({ item }) => item));
  const applied = receipts.filter((receipt) => !unapplied.has(receipt));
  await sql`
    delete from parked_receipts p using unnest(
      ${applied.map((receipt) => receipt.accountId)}::uuid[],
      ${applied.map((receipt) => receipt.messageId)}::uuid[],
      ${applied.map((receipt) => receipt.status)}::text[]
    ) as done(account_id, message_id, status)
    where p.account_id = done.account_id and p.message_id = done.message_id
      and p.status = done.status`;
  if (failed[0]) throw failed[0].error;
}

const receiptOf = ({ account_id, message_id, status, failure, at }: ParkedRow): Receipt => ({
  accountId: account_id,
  messageId: message_id,
  status,
  ...(failure !== null && { failure }),
  at,
});

type ParkedRow = {
  account_id: string;
  message_id: string;
  status: Receipt['status'];
  failure: NonNullable<Receipt['failure']> | null;
  at: Date;
};
