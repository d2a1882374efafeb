import { PINS_MAX, pinConversation } from '#contract/messages/conversations.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { appendEvent } from '#server/domains/events/events.ts';
import { type ActHandler, handle } from '#server/infra/acts.ts';
import { type Sql, asAccount } from '#server/infra/postgres/database.ts';

/** The act that pins a conversation, or lets it go; open pages learn of it. */
export const pinActs = (sql: Sql): readonly ActHandler[] => [
  handle(pinConversation, ({ caller: { accountId } }, { token_id: tokenId, peer, pinned }) =>
    asAccount(sql, accountId, async (tx) => {
      // One at a time: two that pin the last one would both find room.
      await tx`select pg_advisory_xact_lock(hashtextextended('pins ' || ${accountId}::text, 0))`;
      const which = tx`account_id = ${accountId} and token_id = ${tokenId} and peer = ${peer}`;
      const [known] = await tx`select from conversations where ${which}`;
      if (!known) throw new Refusal('not_found', { what: 'Percakapan' });
      if (pinned === '0') {
        await tx`delete from pinned_conversations where ${which}`;
      } else {
        await tx`
          insert into pinned_conversations (account_id, token_id, peer)
          values (${accountId}, ${tokenId}, ${peer}) on conflict do nothing`;
        const [all] = await tx<{ pins: number }[]>`
          select count(*) as pins from pinned_conversations where account_id = ${accountId}`;
        if ((all?.pins ?? 0) > PINS_MAX) throw new Refusal('pins_full', { limit: PINS_MAX });
      }
      await appendEvent(tx, { accountId, kind: 'conversation.changed', data: { peer } });
      return {};
    }),
  ),
];
