import type { Receipt } from '#server/domains/channels/channels.ts';
import { eachByItself } from '#server/platform/batches.ts';
import { type Sql, retrying } from '#server/platform/database.ts';

/** Receipts for messages we do not know are tried again for this long. */
const PARK = '24 hours';

/**
 * Applies what the network says of messages: any order, any number of times. A receipt for a message
 * that is not there (yet) is parked. Resolves when everything is kept.
 *
 * @throws the first error, once all receipts that can be kept are: one that cannot be holds up no other.
 */
export async function applyReceipts(sql: Sql, receipts: readonly Receipt[]): Promise<void> {
  let failed: { error: unknown } | undefined;
  for (const [accountId, batch] of Map.groupBy(receipts, (receipt) => receipt.accountId)) {
    const [broken] = await eachByItself(batch, async (some) => {
      await retrying(() => settleReceipts(sql, accountId, some));
      await park(sql, accountId, some);
    });
    failed ??= broken;
  }
  if (failed) throw failed.error;
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
  const broken = await eachByItself(found, async (some) => {
    await applyReceipts(sql, some.map(receiptOf));
    await sql`
      delete from parked_receipts p using unnest(
        ${some.map((row) => row.account_id)}::uuid[], ${some.map((row) => row.message_id)}::uuid[],
        ${some.map((row) => row.status)}::text[]
      ) as done(account_id, message_id, status)
      where p.account_id = done.account_id and p.message_id = done.message_id
        and p.status = done.status`;
  });
  if (broken[0]) throw broken[0].error;
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
