import { Refusal } from '#contract/base/refusals.ts';
import type { ChannelName } from '#contract/tokens.ts';
import type { TokenRef, TokenSubscribers } from '#server/domains/tokens/subscribers.ts';
import type { Tx } from '#server/infra/postgres/database.ts';

type Numbered = TokenRef & { channel: ChannelName; phone: string };

/**
 * A number becomes a token's own, on the word of its network and not of a phone: nothing was scanned. Safe to
 * repeat. Another number than the token's last one takes its place.
 *
 * @throws Refusal `phone_taken` when it is another token's.
 */
export async function linkNumber(
  tx: Tx,
  subscribers: TokenSubscribers,
  { accountId, tokenId, channel, phone }: Numbered,
): Promise<void> {
  await tx`
    delete from linked_phones
    where account_id = ${accountId} and token_id = ${tokenId} and (channel, phone) <> (${channel}, ${phone})`;
  const [holder] = await tx<{ account_id: string; token_id: string }[]>`
    insert into linked_phones as l (channel, phone, account_id, token_id)
    values (${channel}, ${phone}, ${accountId}, ${tokenId})
    on conflict (channel, phone) do update set linked_at = l.linked_at
    returning account_id, token_id`;
  if (holder?.account_id !== accountId || holder.token_id !== tokenId)
    throw new Refusal('phone_taken', {});
  const [token] = await tx<{ name: string }[]>`
    update tokens set phone = ${phone},
      status = case when status = 'suspended' then status else 'linked' end
    where account_id = ${accountId} and token_id = ${tokenId} and deleted_at is null
      and channel = ${channel}
    returning name`;
  if (!token) throw new Refusal('not_found', { what: 'Token' });
  await subscribers.tokenLinked(tx, { accountId, tokenId, name: token.name, phone });
  await subscribers.tokenChanged(tx, { accountId, tokenId });
}
