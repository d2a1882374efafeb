import { Refusal } from '#contract/base/refusals.ts';
import { type Token, confirmToken } from '#contract/tokens.ts';
import { handle } from '#server/infra/acts.ts';
import { type Sql, type Tx, asAccount } from '#server/infra/postgres/database.ts';
import { needsReview, readToken, type TokenSubscribers } from './row.ts';

type Deps = { sql: Sql; subscribers: TokenSubscribers };

/** So long after a password was reset by code, or the number changed, no API key is issued. */
const COOL_DOWN_HOURS = 24;

/**
 * Refuses to issue an API key while the account cools down. Locks the account's row: a concurrent
 * reset waits, and then finds the new token among those to be reviewed.
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

export const confirmTokenHandler = (deps: Deps) =>
  handle(confirmToken, ({ caller }, input) => endReview(deps, caller.accountId, input.token_id));

/**
 * The owner confirms a token: it needs no review until the next reset or change of number. A token
 * without review stays as it is.
 *
 * @throws Refusal `not_found` when the account has no such token.
 */
function endReview({ sql, subscribers }: Deps, accountId: string, tokenId: string): Promise<Token> {
  return asAccount(sql, accountId, async (tx) => {
    // The cool-down that was reviewed, not the present time: a concurrent reset requires a new review.
    const [account] = await tx<{ since: string | null }[]>`
      select cooling_since::text as since from accounts where account_id = ${accountId}`;
    const confirmed = await tx`
      update tokens t set kept_since = a.cooling_since
      from (values (${account?.since ?? null}::text::timestamptz)) as a(cooling_since)
      where ${needsReview(tx)}
        and t.account_id = ${accountId} and t.token_id = ${tokenId} and t.deleted_at is null`;
    if (confirmed.count > 0) await subscribers.tokenChanged(tx, { accountId, tokenId });
    return readToken(tx, accountId, tokenId);
  });
}
