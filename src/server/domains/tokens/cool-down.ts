import { Refusal } from '#contract/base/refusals.ts';
import { type Token, keepToken } from '#contract/tokens.ts';
import { handle } from '#server/infra/acts/act.ts';
import { type Sql, type Tx, asAccount } from '#server/infra/postgres/database.ts';
import { isDoubted, readToken } from './row.ts';
import type { TokenSubscribers } from './subscribers.ts';

type Deps = { sql: Sql; subscribers: TokenSubscribers };

/** So long after a password was reset by code, or the number changed, no API key is made. */
const COOL_DOWN_HOURS = 24;

/**
 * Refuses whatever would hand out an API key while the account cools down. Locks the account's row: a
 * reset that comes meanwhile waits, and then finds the new token among those to be looked at.
 *
 * @throws Refusal `cooling_down` with the hours left, rounded up, by the database's clock.
 */
export async function refuseCooling(tx: Tx, accountId: string): Promise<void> {
  const [account] = await tx<{ hours: number | null }[]>`
    select ceil(
      extract(epoch from cooling_since - clock_timestamp()) / 3600 + ${COOL_DOWN_HOURS}
    )::int as hours
    from accounts where account_id = ${accountId} for no key update`;
  const hours = account?.hours ?? 0;
  if (hours > 0) throw new Refusal('cooling_down', { hours });
}

export const keepTokenHandler = (deps: Deps) =>
  handle(keepToken, ({ caller }, input) => keep(deps, caller.accountId, input.token_id));

/**
 * Its owner has looked at a token and knows it: the doubt ends, until the next reset or change of
 * number. A token that nobody doubts stays as it is.
 *
 * @throws Refusal `not_found` when the account has no such token.
 */
function keep({ sql, subscribers }: Deps, accountId: string, tokenId: string): Promise<Token> {
  return asAccount(sql, accountId, async (tx) => {
    // The moment that was looked at, not the present one: a reset under way begins a new doubt.
    const kept = await tx`
      update tokens t set kept_since = a.cooling_since from accounts a
      where a.account_id = t.account_id and ${isDoubted(tx)}
        and t.account_id = ${accountId} and t.token_id = ${tokenId} and t.deleted_at is null`;
    if (kept.count > 0) await subscribers.tokenChanged(tx, { accountId, tokenId });
    return readToken(tx, accountId, tokenId);
  });
}
