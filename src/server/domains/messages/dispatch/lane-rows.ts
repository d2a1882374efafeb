import type { TokenRef } from '#server/domains/tokens/tokens.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';

/** A token's lane, empty: made with the token, in its transaction. */
export async function createLane(tx: Tx, { accountId, tokenId }: TokenRef): Promise<void> {
  await tx`insert into lanes (account_id, token_id) values (${accountId}, ${tokenId})`;
}

/** What waited for the token's phone may leave now. */
export async function wakeLane(tx: Tx, { accountId, tokenId }: TokenRef): Promise<void> {
  await tx`
    update lanes set wakes = wakes + 1, ready_at = least(ready_at, clock_timestamp())
    where account_id = ${accountId} and token_id = ${tokenId}
      and exists (
        select from dispatch d where d.account_id = ${accountId} and d.token_id = ${tokenId}
      )`;
}

/**
 * A lane that is due belongs to somebody within a second; after ten nobody is taking lanes.
 *
 * @throws Error when there is such a lane.
 */
export async function checkLanes(allAccountsSql: Sql): Promise<void> {
  const [row] = await allAccountsSql`
    select from lanes where ready_at < clock_timestamp() - interval '10 seconds'
      and (owner is null or lease_until < clock_timestamp()) limit 1`;
  if (row) throw new Error('due lanes have no owner');
}

type Figure = { value: number };

/** Messages that wait to leave. */
export const countDispatch = (allAccountsSql: Sql): Promise<Figure[]> =>
  allAccountsSql<Figure[]>`select count(*) as value from dispatch`;

/** For how many seconds the longest-waiting lane has been due. */
export const laneLagSeconds = (allAccountsSql: Sql): Promise<Figure[]> =>
  allAccountsSql<Figure[]>`
    select coalesce(greatest(0, extract(epoch from clock_timestamp() - min(ready_at))), 0)::float8
      as value from lanes where ready_at is not null`;

/** Whether messages of a token are on their way, or may be: nobody knows yet whether they have left. */
export async function isSending(tx: Tx, { accountId, tokenId }: TokenRef): Promise<boolean> {
  const [row] = await tx`
    select 1 from dispatch
    where account_id = ${accountId} and token_id = ${tokenId}
      and (state in ('sending', 'unknown') or unsure_until is not null) limit 1`;
  return row !== undefined;
}
