import type { InputOf, OutputOf } from '#contract/base/act.ts';
import { type Token, deleteToken, rotateToken, updateToken } from '#contract/tokens.ts';
import { formatNumber } from '#contract/base/money.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { Config } from '#server/infra/config.ts';
import { handle } from '#server/infra/acts/act.ts';
import { type Sql, asAccount } from '#server/infra/postgres/database.ts';
import { refuseCooling } from './cool-down.ts';
import { makeKey } from './keys/key.ts';
import { releasePhone } from './links/phones.ts';
import { readToken, tokenNotFound } from './row.ts';
import type { TokenSubscribers } from './subscribers.ts';

type Deps = { sql: Sql; subscribers: TokenSubscribers };
type ChangeDeps = Deps & { config: Pick<Config, 'TOKEN_DAILY_LIMIT_MAX'> };

export const updateTokenHandler = (deps: ChangeDeps) =>
  handle(updateToken, ({ caller }, input) => changeToken(deps, caller.accountId, input));

/**
 * Gives a token another name or daily limit; omitted fields stay.
 *
 * @throws Refusal `input_invalid` for a limit above what operators allow, unless it lowers the token's.
 */
export function changeToken(
  { sql, subscribers, config: { TOKEN_DAILY_LIMIT_MAX: most } }: ChangeDeps,
  accountId: string,
  { token_id, name, daily_limit }: InputOf<typeof updateToken>,
): Promise<Token> {
  return asAccount(sql, accountId, async (tx) => {
    // What it has may stay, also when operators have lowered the highest since.
    if (daily_limit !== undefined && daily_limit > most) {
      const { daily_limit: before } = await readToken(tx, accountId, token_id);
      if (daily_limit > before) {
        const sentence = `Paling banyak ${formatNumber(most)} pesan.`;
        throw new Refusal('input_invalid', { fields: { daily_limit: sentence } });
      }
    }
    const changed = await tx`
      update tokens
      set name = coalesce(${name ?? null}, name),
        daily_limit = coalesce(${daily_limit ?? null}, daily_limit)
      where account_id = ${accountId} and token_id = ${token_id} and deleted_at is null`;
    if (changed.count === 0) throw tokenNotFound();
    await subscribers.tokenChanged(tx, { accountId, tokenId: token_id });
    return readToken(tx, accountId, token_id);
  });
}

export const rotateTokenHandler = (deps: Deps) =>
  handle(rotateToken, ({ caller }, input) => rotateKey(deps, caller.accountId, input.token_id));

/**
 * A new key for a token; every older key ends within 24 hours, or when it would have ended anyway.
 *
 * @throws Refusal `cooling_down` when the account gets no new key yet.
 */
export function rotateKey(
  { sql, subscribers }: Deps,
  accountId: string,
  tokenId: string,
): Promise<OutputOf<typeof rotateToken>> {
  return asAccount(sql, accountId, async (tx) => {
    const { channel } = await readToken(tx, accountId, tokenId);
    await refuseCooling(tx, accountId);
    const { key, hash, hint } = makeKey(channel);
    const changed = await tx`
      update tokens set key_hint = ${hint}
      where account_id = ${accountId} and token_id = ${tokenId} and deleted_at is null`;
    if (changed.count === 0) throw tokenNotFound();
    await tx`
      update token_keys
      set expires_at = least(expires_at, statement_timestamp() + interval '24 hours')
      where account_id = ${accountId} and token_id = ${tokenId} and revoked_at is null`;
    await tx`
      insert into token_keys (key_hash, account_id, token_id)
      values (${hash}, ${accountId}, ${tokenId})`;
    await subscribers.tokenChanged(tx, { accountId, tokenId });
    return { token: await readToken(tx, accountId, tokenId), key };
  });
}

export const deleteTokenHandler = (deps: Deps) =>
  handle(deleteToken, async ({ caller }, input) => {
    await removeToken(deps, caller.accountId, input.token_id);
    return {};
  });

/** Ends a token for good: its keys, its phone and its open links. Its messages stay to be read. */
export function removeToken(
  { sql, subscribers }: Deps,
  accountId: string,
  tokenId: string,
): Promise<void> {
  return asAccount(sql, accountId, async (tx) => {
    const released = await releasePhone(tx, accountId, tokenId);
    if (released) await subscribers.tokenUnlinked(tx, released);
    const gone = await tx`
      update tokens set deleted_at = clock_timestamp()
      where account_id = ${accountId} and token_id = ${tokenId} and deleted_at is null`;
    if (gone.count === 0) throw tokenNotFound();
    await tx`
      update token_keys set revoked_at = statement_timestamp()
      where account_id = ${accountId} and token_id = ${tokenId} and revoked_at is null`;
    await subscribers.tokenDeleted(tx, { accountId, tokenId });
    await subscribers.tokenChanged(tx, { accountId, tokenId });
  });
}
