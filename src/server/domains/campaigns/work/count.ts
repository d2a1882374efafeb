import type { MessageStatus } from '#contract/messages.ts';
import type { StatusCounts } from '#contract/messages/counts.ts';
import { uuidOf } from '#contract/base/ids.ts';
import { newestPositions, positionOf } from '#server/domains/events/events.ts';
import { changesOfRefs } from '#server/domains/messages/messages.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import { json } from '#server/infra/postgres/sql.ts';
import { REF_PREFIX, campaignOfRef } from './refs.ts';

/** Starts counting the messages of an account's campaigns. Idempotent. */
export async function startCounting(tx: Tx, accountId: string): Promise<void> {
  await tx`
    insert into campaign_cursors (account_id, position)
    values (${accountId}, ${await positionOf(tx, accountId)}) on conflict do nothing`;
}

/**
 * Counts campaign messages of these accounts from the events after each account's mark. The mark moves in the same
 * transaction, so each event counts once.
 *
 * @returns the number of counted changes
 */
export async function countMessages(
  allAccountsSql: Sql,
  accountIds: readonly string[],
): Promise<number> {
  const marked = await allAccountsSql<{ id: string }[]>`
    select account_id as id from campaign_cursors where account_id = any (${[...accountIds]}::uuid[])`;
  let counted = 0;
  for (const { id } of marked) {
    for (;;) {
      const some = await allAccountsSql.begin((tx) => countNext(tx, id));
      if (some === undefined) break;
      counted += some;
    }
  }
  return counted;
}

export async function uncountedAccounts(allAccountsSql: Sql): Promise<string[]> {
  const marks = await allAccountsSql<{ id: string; position: number }[]>`
    select account_id as id, position from campaign_cursors`;
  const counted = new Map(marks.map(({ id, position }) => [id, position]));
  return (await newestPositions(allAccountsSql)).flatMap(({ accountId, position }) => {
    const mark = counted.get(accountId);
    return mark !== undefined && position > mark ? [accountId] : [];
  });
}

async function countNext(tx: Tx, accountId: string): Promise<number | undefined> {
  const [mark] = await tx<{ position: number }[]>`
    select position from campaign_cursors where account_id = ${accountId} for update skip locked`;
  if (!mark) return undefined;
  const next = await changesOfRefs(tx, {
    accountId,
    after: mark.position,
    prefix: REF_PREFIX,
  });
  if (!next) return undefined;
  for (const [id, changes] of Map.groupBy(next.changes, ({ ref }) => campaignOfRef(ref))) {
    const campaignId = uuidOf('campaign', id);
    if (campaignId === undefined) continue;
    const sums: StatusCounts = {};
    const add = (status: MessageStatus | null, n: number) => {
      if (status !== null) sums[status] = (sums[status] ?? 0) + n;
    };
    let cost = 0;
    for (const change of changes) {
      add(change.before, -1);
      add(change.status, 1);
      cost += change.cost - change.cost_before;
    }
    await tx`
      update campaigns set cost = cost + ${cost}, messages = (
        select jsonb_object_agg(status, n) from (
          select status, sum(n::bigint) as n from (
            select key as status, value as n from jsonb_each_text(messages)
            union all select key, value from jsonb_each_text(${json(sums)}::jsonb)
          ) both_sums group by status
        ) added
      )
      where account_id = ${accountId} and campaign_id = ${campaignId}`;
  }
  await tx`
    update campaign_cursors set position = ${next.position} where account_id = ${accountId}`;
  return next.changes.length;
}
