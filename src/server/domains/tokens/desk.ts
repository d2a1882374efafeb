import type { Token } from '#contract/tokens.ts';
import { type Sql, asAccount } from '#server/infra/postgres/database.ts';
import { readToken, readTokens } from '#server/domains/tokens/row.ts';

const TOKENS_MAX = 50;

/** An account's tokens as operators see them, newest first. */
export async function tokensOfAccount(sql: Sql, accountId: string): Promise<Token[]> {
  const query = { by: 'created_at', descending: true, offset: 0, limit: TOKENS_MAX } as const;
  const { rows } = await asAccount(sql, accountId, (tx) => readTokens(tx, accountId, query));
  return rows;
}

/**
 * One token of an account, and since when its phone is linked.
 *
 * @throws Refusal `not_found` when the account has none of this id, or has deleted it.
 */
export function tokenOfAccount(
  sql: Sql,
  accountId: string,
  tokenId: string,
): Promise<Token & { linked_at: Date | null }> {
  return asAccount(sql, accountId, async (tx) => {
    const token = await readToken(tx, accountId, tokenId);
    const [linked] = await tx<{ at: Date }[]>`
      select linked_at as at from linked_phones
      where account_id = ${accountId} and token_id = ${tokenId}`;
    return { ...token, linked_at: linked?.at ?? null };
  });
}

/** A token and whose it is. */
export type HeldToken = { accountId: string; tokenId: string };

const FOUND_MAX = 100;

/** The tokens whose key ends so. */
export const tokensOfHint = (sql: Sql, hint: string): Promise<readonly HeldToken[]> =>
  sql<HeldToken[]>`
    select account_id as "accountId", token_id as "tokenId" from tokens
    where key_hint = ${hint} and deleted_at is null and not is_system limit ${FOUND_MAX}`;

/** The tokens that are linked to a phone whose number begins so. */
export const tokensOfPhones = (sql: Sql, digits: string): Promise<readonly HeldToken[]> =>
  sql<HeldToken[]>`
    select account_id as "accountId", token_id as "tokenId" from linked_phones
    where phone like ${`${digits}%`}::text limit ${FOUND_MAX}`;

/** Whose token it is. */
export async function holderOfToken(sql: Sql, tokenId: string): Promise<string | undefined> {
  const [found] = await sql<{ id: string }[]>`
    select account_id as id from tokens where token_id = ${tokenId} and not is_system`;
  return found?.id;
}
