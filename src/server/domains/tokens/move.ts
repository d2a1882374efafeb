import { setTimeout as pause } from 'node:timers/promises';
import { Refusal } from '#contract/base/refusals.ts';
import { type ChannelName, type Token } from '#contract/tokens.ts';
import { moveToken } from '#contract/tokens/channels.ts';
import { handle } from '#server/infra/acts.ts';
import { type Sql, asAccount } from '#server/infra/postgres/database.ts';
import { refuseSuspended } from './create.ts';
import { releasePhone } from './links/phones.ts';
import { readToken } from './row.ts';
import type { TokenRef, TokenSubscribers } from './subscribers.ts';

export type MoveDeps = {
  sql: Sql;
  subscribers: TokenSubscribers;
  /** Whether this installation offers a channel. */
  isOffered: (channel: ChannelName) => boolean;
};

export const moveTokenHandler = (deps: MoveDeps) =>
  handle(moveToken, ({ caller }, { token_id: tokenId, channel }) =>
    moveTo(deps, { accountId: caller.accountId, tokenId }, channel),
  );

/**
 * Moves a token to another channel, without its number; moved to its own channel it stays as it is.
 *
 * @throws Refusal `channel_off`, `channel_busy`, `channel_waiting`, `account_suspended`, `not_found`
 */
export function moveTo(
  { sql, subscribers, isOffered }: MoveDeps,
  token: TokenRef,
  channel: ChannelName,
): Promise<Token> {
  const { accountId, tokenId } = token;
  return asAccount(sql, accountId, async (tx) => {
    await refuseSuspended(tx, accountId);
    const before = await readToken(tx, accountId, tokenId);
    if (before.channel === channel) return before;
    if (!isOffered(channel)) throw new Refusal('channel_off', {});
    const released = await releasePhone(tx, accountId, tokenId);
    // After its phone is released, no lane claims another message of it.
    await subscribers.tokenMoved(tx, { ...token, from: before.channel, to: channel });
    await tx`
      update tokens set channel = ${channel}, moved_at = clock_timestamp()
      where account_id = ${accountId} and token_id = ${tokenId}`;
    if (released) await subscribers.tokenUnlinked(tx, released);
    await subscribers.tokenChanged(tx, token);
    return readToken(tx, accountId, tokenId);
  });
}

/**
 * After a move, every process takes the token for what it was before for at most this long: key holders are
 * remembered for a second, and requests that hold one are placed within the next few.
 */
const SETTLE_MS = 5_000;

/**
 * Waits until nobody takes a token for what it was before its last move: only then may it have a number again, or
 * what is placed at the prices of the channel before would leave by the new one.
 */
export async function untilSettled(
  allAccountsSql: Sql,
  { accountId, tokenId }: TokenRef,
): Promise<void> {
  const [moved] = await allAccountsSql<{ ago_ms: number }[]>`
    select extract(epoch from clock_timestamp() - moved_at)::float8 * 1000 as ago_ms from tokens
    where account_id = ${accountId} and token_id = ${tokenId} and moved_at is not null`;
  if (moved && moved.ago_ms < SETTLE_MS) await pause(SETTLE_MS - moved.ago_ms);
}
