import type { TokenMove, TokenRef } from '#server/domains/tokens/tokens.ts';
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

/** For how long a due lane may have no owner: within a second one takes it. */
const UNOWNED_SECONDS_MAX = 10;

/** @throws Error when lanes have been due for ten seconds and no worker took them. */
export async function checkLanes(allAccountsSql: Sql): Promise<void> {
  const [lag] = await laneLagSeconds(allAccountsSql);
  if ((lag?.value ?? 0) > UNOWNED_SECONDS_MAX) throw new Error('due lanes have no owner');
}

type Figure = { value: number };

/** Messages that wait to leave. */
export const countDispatch = (allAccountsSql: Sql): Promise<Figure[]> =>
  allAccountsSql<Figure[]>`select count(*) as value from dispatch`;

/**
 * For how many seconds the lane that has waited longest was due without a worker on it. A lane that a worker owns
 * keeps the time of the work it was claimed for, however much was sent since: it does not wait, and one whose owner
 * died waits from the end of the lease.
 */
export const laneLagSeconds = (allAccountsSql: Sql): Promise<Figure[]> =>
  allAccountsSql<Figure[]>`
    select coalesce(
      extract(epoch from clock_timestamp() - min(greatest(ready_at, lease_until))), 0
    )::float8 as value
    from lanes
    where ready_at <= clock_timestamp()
      and (lease_until is null or lease_until < clock_timestamp())`;

/** What of a token's messages keeps it in its channel. */
type ChannelHold = 'sending' | { templates: number };

/**
 * Takes a token's lane from whoever sends by it, so that what waits leaves by another channel.
 *
 * @returns what keeps it, and then nothing was changed: messages that are on their way, or of which nobody knows
 *   whether they have left (what became of them is the old channel's to tell); templates that wait, whose price the
 *   other channel does not have.
 */
export async function leaveChannel(
  tx: Tx,
  { accountId, tokenId, from, to }: TokenMove,
): Promise<ChannelHold | undefined> {
  const [sending] = await tx`
    select 1 from dispatch
    where account_id = ${accountId} and token_id = ${tokenId}
      and (state in ('sending', 'unknown') or unsure_until is not null) limit 1`;
  if (sending) return 'sending';
  if (from === 'cloud' || to === 'cloud') {
    const templates = await waitingTemplates(tx, { accountId, tokenId });
    if (templates > 0) return { templates };
  }
  await tx`
    update lanes
    set epoch = epoch + 1, owner = null, lease_until = null, ready_at = clock_timestamp()
    where account_id = ${accountId} and token_id = ${tokenId}`;
  return undefined;
}

/** By the Cloud API a template costs what its category does, elsewhere what a message does; its price was frozen when it was taken. */
async function waitingTemplates(tx: Tx, { accountId, tokenId }: TokenRef): Promise<number> {
  const [row] = await tx<{ waiting: number }[]>`
    select count(*)::int as waiting from dispatch d
    cross join lateral (
      select m.type, m.price, m.plan_round from messages m
      where m.account_id = d.account_id and m.message_id = d.message_id limit 1
    ) m
    where d.account_id = ${accountId} and d.token_id = ${tokenId}
      and m.type = 'template' and (m.price > 0 or m.plan_round is not null)`;
  return row?.waiting ?? 0;
}
