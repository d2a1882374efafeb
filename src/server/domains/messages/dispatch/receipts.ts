import type { Receipt } from '#server/domains/channels/channels.ts';
import { type FailedItem, eachByItself } from '#server/infra/postgres/batches.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { type Settle, openSettle } from './settle.ts';

const PARK_FOR = '24 hours';

/**
 * Applies receipts: in any order, any number of times. A receipt for a message that does not exist (yet) is parked. One
 * that names its token, as a customer's own signature does, is dropped without a row unless it is that token's message.
 * Resolves when all valid receipts are stored: a failing one does not delay the others.
 *
 * @param settle gathers them with other settling of the process; by default they are settled alone.
 * @returns the receipts that were not stored, each with its error.
 * @throws the database's own errors: some receipts may be stored then, and all must be delivered again.
 */
export async function applyReceipts(
  sql: Sql,
  receipts: readonly Receipt[],
  settle: Settle = openSettle({ sql }),
): Promise<FailedItem<Receipt>[]> {
  const foreign = await foreignMessages(sql, receipts);
  const own = receipts.filter(({ messageId }) => !foreign.has(messageId));
  return eachByItself(own, async (some) => {
    const { unknownIds } = await settle(
      some.map(({ accountId, messageId, status, failure, at }) => ({
        accountId,
        lane: undefined,
        id: messageId,
        outcome: status,
        failure: failure ?? null,
        at,
      })),
    );
    const unknown = some.filter(
      ({ messageId, tokenId }) => tokenId === undefined && unknownIds.has(messageId),
    );
    if (unknown.length > 0) await park(sql, unknown);
  });
}

/**
 * Messages in these receipts that belong to another token than the one whose network reports them.
 */
async function foreignMessages(
  sql: Sql,
  receipts: readonly Receipt[],
): Promise<ReadonlySet<string>> {
  const named = receipts.flatMap(({ accountId, tokenId, messageId }) =>
    tokenId === undefined ? [] : [{ accountId, tokenId, messageId }],
  );
  if (named.length === 0) return new Set();
  // Mostly none: at a thousand receipts a second, reading the token of each would be expensive.
  const rows = await sql<{ message_id: string }[]>`
    select told.message_id from unnest(
      ${named.map(({ accountId }) => accountId)}::uuid[],
      ${named.map(({ tokenId }) => tokenId)}::uuid[],
      ${named.map(({ messageId }) => messageId)}::uuid[]
    ) as told(account_id, token_id, message_id)
    cross join lateral (
      select m.token_id from messages m
      where m.account_id = told.account_id and m.message_id = told.message_id limit 1
    ) m
    where m.token_id <> told.token_id`;
  return new Set(rows.map(({ message_id }) => message_id));
}

export async function tokensOfMessages(
  sql: Sql,
  named: readonly { accountId: string; messageId: string }[],
): Promise<ReadonlyMap<string, string>> {
  if (named.length === 0) return new Map();
  const rows = await sql<{ message_id: string; token_id: string }[]>`
    select told.message_id, m.token_id from unnest(
      ${named.map(({ accountId }) => accountId)}::uuid[],
      ${named.map(({ messageId }) => messageId)}::uuid[]
    ) as told(account_id, message_id)
    cross join lateral (
      select m.token_id from messages m
      where m.account_id = told.account_id and m.message_id = told.message_id limit 1
    ) m`;
  return new Map(rows.map(({ message_id, token_id }) => [message_id, token_id]));
}

async function park(sql: Sql, receipts: readonly Receipt[]): Promise<void> {
  await sql`
    insert into parked_receipts (account_id, message_id, status, failure, at)
    select * from unnest(
      ${receipts.map(({ accountId }) => accountId)}::uuid[],
      ${receipts.map(({ messageId }) => messageId)}::uuid[],
      ${receipts.map(({ status }) => status)}::text[],
      ${receipts.map(({ failure }) => failure ?? null)}::text[],
      ${receipts.map(({ at }) => at)}::timestamptz[]
    )
    on conflict do nothing`;
}

/**
 * Retries parked receipts and deletes those older than a day. Called by a job, every minute. A parked receipt is
 * deleted once it is applied, so that a crash loses none.
 *
 * @throws the first error, once all receipts that can be applied are.
 */
export async function retryParked(sql: Sql, settle?: Settle): Promise<void> {
  await sql`delete from parked_receipts where parked_at < clock_timestamp() - ${PARK_FOR}::interval`;
  const found = await sql<ParkedRow[]>`
    select p.account_id, p.message_id, p.status, p.failure, p.at
    from parked_receipts p join messages m
      on m.account_id = p.account_id and m.message_id = p.message_id`;
  const receipts = found.map(receiptOf);
  const failed = await applyReceipts(sql, receipts, settle);
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
