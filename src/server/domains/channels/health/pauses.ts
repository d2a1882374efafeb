import { isolated } from '#contract/base/names.ts';
import { type Pause, pauses } from '#contract/tokens/connection.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import { beginIn } from '#server/infra/postgres/distribution/scope.ts';
import type { TokenRef } from '#server/domains/tokens/tokens.ts';
import { type ChannelRef, type PresenceDeps, isOfChannel, noticeOf } from './presence.ts';

const MINUTE_MS = 60_000;
/** The pauses in a row of each reason; the last one repeats. */
const steps: Record<Pause, readonly number[]> = {
  silent: [15_000, MINUTE_MS, 2 * MINUTE_MS, 5 * MINUTE_MS],
  refused: [MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS],
  restricted: [15 * MINUTE_MS, 30 * MINUTE_MS, 60 * MINUTE_MS],
  billing: [15 * MINUTE_MS, 30 * MINUTE_MS, 60 * MINUTE_MS],
};

/** A pause: how long it lasts yet, and whether it began just now. */
export type Paused = { forMs: number; isFirst: boolean };

/**
 * A number stands still. Each pause in a row is longer than the one before; while one lasts, another of the same reason
 * changes nothing. The owner gets a notice of the first, unless the network is silent.
 *
 * @returns undefined where the token has left the channel.
 */
export async function pauseNumber(
  tx: Tx,
  { subscribers, queueNotice, now }: PresenceDeps,
  ref: ChannelRef,
  reason: Pause,
): Promise<Paused | undefined> {
  if (!(await isOfChannel(tx, ref))) return undefined;
  const { accountId, tokenId } = ref;
  const at = now();
  const lengths = [...steps[reason]];
  const [begun] = await tx<{ until: Date; pauses: number }[]>`
    update connections c set
      paused_for = ${reason}, pauses = n.pauses,
      paused_at = case when c.paused_for = ${reason} then c.paused_at else ${at}::timestamptz end,
      paused_until = ${at}::timestamptz + interval '1 millisecond'
        * (${lengths}::int[])[least(n.pauses, ${lengths.length}::int)]
    from (
      select case when paused_for = ${reason} then pauses + 1 else 1 end as pauses
      from connections where account_id = ${accountId} and token_id = ${tokenId}
      for no key update
    ) n
    where c.account_id = ${accountId} and c.token_id = ${tokenId}
      and (c.paused_for is distinct from ${reason} or c.paused_until <= ${at})
    returning c.paused_until as until, c.pauses`;
  if (!begun) return { forMs: (await readPause(tx, ref, at)) ?? 0, isFirst: false };
  await subscribers.tokenChanged(tx, ref);
  const isFirst = begun.pauses === 1;
  if (isFirst && reason !== 'silent') {
    const [token] = await tx<{ name: string; status: string }[]>`
      select name, status from tokens where account_id = ${accountId} and token_id = ${tokenId}`;
    // Of one that is disconnected its owner was told.
    if (token?.status === 'linked') {
      const title = `Token "${isolated(token.name)}" dijeda`;
      await queueNotice(tx, noticeOf(ref, title, pauses[reason]));
    }
  }
  return { forMs: begun.until.getTime() - at.getTime(), isFirst };
}

/** For how long a number stands still yet, 0 once it is to be tried; undefined: it does not stand still. */
export async function readPause(
  sql: Sql | Tx,
  { accountId, tokenId }: TokenRef,
  now: Date,
): Promise<number | undefined> {
  const [row] = await sql<{ until: Date }[]>`
    select paused_until as until from connections
    where account_id = ${accountId} and token_id = ${tokenId} and paused_for is not null`;
  return row && Math.max(0, row.until.getTime() - now.getTime());
}

/** A number sends again. */
export async function endPause(
  tx: Tx,
  { subscribers }: Pick<PresenceDeps, 'subscribers'>,
  ref: TokenRef,
): Promise<void> {
  const { accountId, tokenId } = ref;
  const ended = await tx`
    update connections set paused_for = null, paused_at = null, paused_until = null, pauses = 0
    where account_id = ${accountId} and token_id = ${tokenId} and paused_for is not null
    returning 1`;
  if (ended.length > 0) await subscribers.tokenChanged(tx, ref);
}

/** Nothing waits for a number: its pause has been over for so long, and nothing was tried. */
const IDLE_MS = 2 * MINUTE_MS;

/** Ends the pauses of numbers for which nothing waits any more: the next message finds out how they stand. */
export async function endIdlePauses(
  sql: Sql,
  { subscribers, now }: Pick<PresenceDeps, 'subscribers' | 'now'>,
  numbers: readonly TokenRef[],
): Promise<void> {
  const before = new Date(now().getTime() - IDLE_MS);
  const idle = await sql<TokenRef[]>`
    select account_id as "accountId", token_id as "tokenId"
    from connections join unnest(
      ${numbers.map(({ accountId }) => accountId)}::uuid[],
      ${numbers.map(({ tokenId }) => tokenId)}::uuid[]
    ) as n (account_id, token_id) using (account_id, token_id)
    where paused_for is not null and paused_until <= ${before}`;
  for (const ref of idle) {
    await beginIn(sql, ref.accountId, (tx) => endPause(tx, { subscribers }, ref));
  }
}

/** Counts the paused numbers by reason. */
export const countPauses = async (
  allAccountsSql: Sql,
): Promise<{ reason: Pause; numbers: number }[]> => [
  ...(await allAccountsSql<{ reason: Pause; numbers: number }[]>`
    select c.paused_for as reason, count(*)::int as numbers
    from connections c
    join tokens t on t.account_id = c.account_id and t.token_id = c.token_id
      and t.channel = c.channel and t.deleted_at is null
    where c.paused_for is not null group by 1 order by 2 desc, 1`),
];
