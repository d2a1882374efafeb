import { newId } from '#server/infra/ids.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import { changeOf, plus } from '#tests/support/database/changes.ts';

type OfLane = { accountId?: string; tokenId?: string };

export const changeLanes = changeOf('lanes', ['accountId', 'tokenId', 'owner']);

/** Waiting messages. Only the database's owner may change them directly. */
export const changeDispatch = changeOf('dispatch', ['accountId', 'tokenId', 'messageId']);

/** Takes a lane from its worker, as the next one does. @returns the lane's new epoch. */
export async function nextEpoch(sql: Sql | Tx, lane: OfLane = {}): Promise<number> {
  const [found] = await sql<{ epoch: number }[]>`
    ${changeLanes(sql, lane, { epoch: plus(1) })} returning epoch`;
  return found?.epoch ?? 0;
}

export const wakeLanes = (sql: Sql | Tx, of: OfLane = {}) =>
  changeLanes(sql, of, { wakes: plus(1), readyAt: 'now' });

export async function makeDue(owner: Sql | Tx): Promise<void> {
  await changeDispatch(owner, {}, { readyAt: 'now' });
  await wakeLanes(owner);
}

export const dropDispatch = (owner: Sql | Tx, messageId?: string) => owner`
  delete from dispatch where message_id = ${messageId ?? null} or ${messageId === undefined}`;

export const queueMessage = (
  owner: Sql | Tx,
  { accountId, tokenId }: { accountId: string; tokenId: string },
) => owner`
  insert into dispatch (account_id, message_id, token_id, priority, peer, ready_at)
  values (${accountId}, ${newId()}, ${tokenId}, 1, '6281200000001', clock_timestamp())`;

/** Ends the waiting times of an account's messages: for sending, and for a receipt. */
export const passWaits = (owner: Sql | Tx, accountId: string) => owner`
  update dispatch set ready_at = clock_timestamp(),
    unsure_until = case when unsure_until is not null then clock_timestamp() end
  where account_id = ${accountId}`;
