import type { Receipt } from '#server/domains/channels/channels.ts';
import { type Sql, retrying } from '#server/platform/database.ts';

/** Receipts for messages we do not know are tried again for this long (`rulings.md`, 17). */
const PARK = '24 hours';

/**
 * Applies what the network says of messages: any order, any number of times. A receipt for a message
 * that is not there (yet) is parked. Resolves when everything is kept.
 */
export async function applyReceipts(sql: Sql, receipts: readonly Receipt[]): Promise<void> {
  const byAccount = Map.groupBy(receipts, (receipt) => receipt.accountId);
  for (const [accountId, batch] of byAccount) {
    await retrying(() => settleReceipts(sql, accountId, batch));
    await park(sql, accountId, batch);
  }
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

/** Tries parked receipts again and forgets those older than a day. Called by a job, every minute. */
export async function retryParked(sql: Sql): Promise<void> {
  await sql`delete from parked_receipts where parked_at < clock_timestamp() - ${PARK}::interval`;
  const found = await sql<ParkedRow[]>`
    delete from parked_receipts p using messages m
    where m.account_id = p.account_id and m.message_id = p.message_id
    returning p.account_id, p.message_id, p.status, p.failure, p.at`;
  await applyReceipts(
    sql,
    found.map(({ account_id, message_id, status, failure, at }) => ({
      accountId: account_id,
      messageId: message_id,
      status,
      ...(failure !== null && { failure }),
      at,
    })),
  );
}

type ParkedRow = {
  account_id: string;
  message_id: string;
  status: Receipt['status'];
  failure: NonNullable<Receipt['failure']> | null;
  at: Date;
};
