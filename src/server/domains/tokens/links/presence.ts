import type { Tx } from '#server/infra/postgres/database.ts';
import type { TokenRef, TokenSubscribers } from '#server/domains/tokens/subscribers.ts';

/**
 * A token's number cannot send for now (`disconnected`), or can again (`linked`). What is queued waits meanwhile;
 * what is new is still taken. The number stays the token's own.
 *
 * @returns its name; undefined where nothing has changed: it has no number, or is not to send at all.
 */
export async function setPresence(
  tx: Tx,
  subscribers: TokenSubscribers,
  { accountId, tokenId, to }: TokenRef & { to: 'linked' | 'disconnected' },
): Promise<string | undefined> {
  const from = to === 'linked' ? 'disconnected' : 'linked';
  const [token] = await tx<{ name: string; phone: string }[]>`
    update tokens set status = ${to}
    where account_id = ${accountId} and token_id = ${tokenId} and status = ${from}
      and phone is not null and deleted_at is null
    returning name, phone`;
  if (!token) return undefined;
  const named = { accountId, tokenId, ...token };
  await (to === 'linked' ? subscribers.tokenLinked : subscribers.tokenUnlinked)(tx, named);
  await subscribers.tokenChanged(tx, named);
  return token.name;
}
