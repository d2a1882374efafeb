import type { Receipt } from '#server/domains/channels/channels.ts';
import { type FailedItem, eachByItself } from '#server/infra/postgres/batches.ts';
import { type Sql, retrying } from '#server/infra/postgres/database.ts';

/** Receipts for messages we do not know are tried again for this long. */
const PARK = '24 hours';

/**
 * Applies what the network says of messages: any order, any number of times. A receipt for a message
 * that is not there (yet) is parked. Resolves when everything is kept that can be: a receipt that cannot
 * holds up no other.
 *
 * @returns the receipts that were not kept, each with its error.
 * @throws the database's own trouble: then some may be kept, and all are to be brought again.
 */
export async function applyReceipts(
  sql: Sql,
  receipts: readonly Receipt[],
): Promise<FailedItem<Receipt>[]> {
  const failed: FailedItem<Receipt>[] = [];
  for (const [accountId, batch] of Map.groupBy(receipts, (receipt) => receipt.accountId)) {
    const unkept = await eachByItself(batch, async (some) => {
      await retrying(() => settleReceipts(sql, accountId, some));
      await park(sql, accountId, some);
    });
    failed.push(...unkept);
  }
  return failed;
}

async function settleReceipts(sql: Sql, accountId: string, batch: readonly Receipt[]) {
  await sql`select count(*) from settle_batch(
    ${accountId}, null, null,
    ${batch.map((receipt) => receipt.messageId)}::uuid[],
    ${batch.map((receipt) => receipt.status)}::text[],
    ${batch.map((receipt) => receipt.failure ?? null)}::text[],
    ${batch.map((receipt) => receipt.at.toISOString())}::text[]::timestamptz[],
    ${batch.map(() => 'f')}::text[]::boolean[]
  )`;
}

async function park(sql: Sql, accountId: string, batch: readonly Receipt[]) {
  const ids = [...new Set(batch.map((receipt) => receipt.messageId))];
  const known = await sql<{ message_id: string }[]>`
    select message_id from messages
    where account_id = ${accountId} and message_id = any(${ids}::uuid[])`;
  if (known.length === ids.length) return;
  const there = new Set(known.map((row) => row.message_id));
  for (const receipt of batch) {
    if (there.has(receipt.messageId)) continue;
    await sql`
      insert into parked_receipts (account_id, message_id, status, failure, at)
      values (${accountId}, ${receipt.messageId}, ${receipt.status}, ${receipt.failure ?? null},
        ${receipt.at})
      on conflict do nothing`;
  }
}

/**
 * Tries parked receipts again and forgets those older than a day. Called by a job, every minute. A
 * receipt leaves the park once it is applied, so that none is lost with the process.
 *
 * @throws the first error, once all receipts that can be applied are.
 */
export async function retryParked(sql: Sql): Promise<void> {
  await sql`delete from parked_receipts where parked_at < clock_timestamp() - ${PARK}::interval`;
  const found = await sql<ParkedRow[]>`
    select p.account_id, p.message_id, p.status, p.failure, p.at
    from parked_receipts p join messages m
      on m.account_id = p.account_id and m.message_id = p.message_id`;
  const receipts = found.map(receiptOf);
  const failed = await applyReceipts(sql, receipts);
  const unkept = new Set(failed.map(({ item }) => item));
  const done = receipts.filter((receipt) => !unkept.has(receipt));
  await sql`
    delete from parked_receipts p using unnest(
      ${done.map((receipt) => receipt.accountId)}::uuid[],
      ${done.map((receipt) => receipt.messageId)}::uuid[],
      ${done.map((receipt) => receipt.status)}::text[]
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
