import { publicId, uuidOf } from '#contract/base/ids.ts';
import type { Direction } from '#contract/messages.ts';
import type { Reaction } from '#server/domains/messages/history/rows.ts';
import type { Tx } from '#server/infra/postgres/database.ts';

/**
 * The reactions to messages of a conversation, by their ids: of each side the newest that did not fail. An
 * empty one takes the one before away.
 */
export async function reactionsTo(
  tx: Tx,
  { accountId, tokenId, peer }: { accountId: string; tokenId: string; peer: string },
  messageIds: readonly string[],
): Promise<ReadonlyMap<string, readonly Reaction[]>> {
  const named = messageIds.map((id) => publicId('message', id));
  const found = await tx<{ about: string; direction: Direction; emoji: string }[]>`
    select distinct on (about, direction) about, direction, emoji
    from (
      select m.body->>'message_id' as about, m.direction, m.body->>'emoji' as emoji, m.message_id
      from messages m
      where m.account_id = ${accountId} and m.type = 'reaction'
        and m.body->>'message_id' = any (${named}::text[])
        and m.token_id = ${tokenId} and m.peer = ${peer}
        and m.status not in ('failed', 'cancelled', 'expired', 'scheduled')
    ) r
    order by about, direction, message_id desc`;
  const reactions = new Map<string, Reaction[]>();
  for (const { about, direction, emoji } of found) {
    const id = uuidOf('message', about);
    if (id === undefined || !emoji) continue;
    const both = reactions.get(id) ?? [];
    reactions.set(id, [...both, { direction, emoji }]);
  }
  return reactions;
}
