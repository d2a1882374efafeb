import { type InputOf, type OutputOf } from '#contract/base/act.ts';
import { Refusal } from '#contract/base/refusals.ts';
import {
  type ChannelName,
  createToken,
  firstToken,
  TOKEN_NAME_MAX,
  type Token,
} from '#contract/tokens.ts';
import { handle } from '#server/infra/acts.ts';
import { type Sql, type Tx, asAccount } from '#server/infra/postgres/database.ts';
import { newId } from '#server/infra/ids.ts';
import { refuseCooling } from './access.ts';
import { makeKey } from './keys.ts';
import { readToken, type TokensDeps } from './row.ts';

export const createTokenHandler = (deps: TokensDeps) =>
  handle(createToken, ({ caller }, input) => addToken(deps, caller.accountId, input));

/** The token limit of an account whose plan sets none. */
export const TOKENS_MAX = 10;

/**
 * Creates a token with its first key.
 *
 * @throws Refusal `tokens_full` at the token limit, `account_suspended`, `cooling_down`, `channel_off` for a channel
 * that is not offered.
 */
export function addToken(
  { sql, subscribers, limitOf, isOffered }: Omit<TokensDeps, 'secrets' | 'config' | 'now'>,
  accountId: string,
  { name, channel }: InputOf<typeof createToken>,
): Promise<OutputOf<typeof createToken>> {
  if (!isOffered(channel)) throw new Refusal('channel_off', {});
  const tokenId = newId();
  const { key, hash, hint } = makeKey(channel);
  return asAccount(sql, accountId, async (tx) => {
    await refuseSuspended(tx, accountId);
    await refuseCooling(tx, accountId);
    const count = await countTokens(tx, accountId);
    const limit = (await limitOf(tx, accountId)) ?? TOKENS_MAX;
    if (count >= limit) throw new Refusal('tokens_full', { limit });
    await tx`
      insert into tokens (account_id, token_id, name, channel, key_hint)
      values (${accountId}, ${tokenId}, ${name}, ${channel}, ${hint})`;
    await tx`
      insert into token_keys (key_hash, account_id, token_id)
      values (${hash}, ${accountId}, ${tokenId})`;
    return { token: await announceNew(tx, subscribers, { accountId, tokenId }), key };
  });
}

/** Tells the subscribers of a new token. @returns it as the portal shows it */
async function announceNew(
  tx: Tx,
  subscribers: TokensDeps['subscribers'],
  ref: { accountId: string; tokenId: string },
): Promise<Token> {
  await subscribers.tokenCreated(tx, ref);
  await subscribers.tokenChanged(tx, ref);
  return readToken(tx, ref.accountId, ref.tokenId);
}

export const firstTokenHandler = (deps: TokensDeps) =>
  handle(firstToken, ({ caller }, { channel }) =>
    ensureFirstToken(deps, caller.accountId, channel),
  );

/**
 * The account's oldest token; an account without one gets it, without an API key. Every plan allows one token.
 *
 * @throws Refusal `account_suspended`, or `channel_off` if it would be on a channel that is not offered.
 */
function ensureFirstToken(
  { sql, subscribers, isOffered }: TokensDeps,
  accountId: string,
  channel: ChannelName,
): Promise<Token> {
  return asAccount(sql, accountId, async (tx) => {
    await refuseSuspended(tx, accountId);
    const [oldest] = await tx<{ token_id: string }[]>`
      select token_id from tokens
      where account_id = ${accountId} and deleted_at is null and not is_system
      order by token_id limit 1`;
    if (oldest) return readToken(tx, accountId, oldest.token_id);
    if (!isOffered(channel)) throw new Refusal('channel_off', {});
    const tokenId = newId();
    await tx`
      insert into tokens (account_id, token_id, name, channel, key_hint)
      select account_id, ${tokenId}, btrim(left(name, ${TOKEN_NAME_MAX})), ${channel}, ''
      from accounts where account_id = ${accountId}`;
    return announceNew(tx, subscribers, { accountId, tokenId });
  });
}

export async function countTokens(tx: Tx, accountId: string): Promise<number> {
  const [count] = await tx<{ tokens: number }[]>`
    select count(*) as tokens from tokens
    where account_id = ${accountId} and deleted_at is null`;
  return count?.tokens ?? 0;
}

/** True if the account has a token, or had one that was deleted. */
export const hasHadToken = (sql: Sql, accountId: string): Promise<boolean> =>
  asAccount(sql, accountId, async (tx) => {
    const [one] = await tx`select from tokens where account_id = ${accountId} limit 1`;
    return one !== undefined;
  });

/** Locks the account's row, so that subsequent counts hold until the transaction ends. */
export async function refuseSuspended(tx: Tx, accountId: string): Promise<void> {
  const [account] = await tx<{ status: string }[]>`
    select status from accounts where account_id = ${accountId} for no key update`;
  if (account?.status !== 'active') throw new Refusal('account_suspended', {});
}
