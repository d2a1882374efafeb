import { Refusal } from '#contract/base/refusals.ts';
import {
  type QuickReply,
  REPLY_MAX,
  deleteQuickReply,
  listQuickReplies,
  saveQuickReply,
} from '#contract/messages/quick-replies.ts';
import { appendEvent } from '#server/domains/events/events.ts';
import { type ActHandler, handle } from '#server/infra/acts.ts';
import { type Sql, type Tx, asAccount } from '#server/infra/postgres/database.ts';

/** The acts of an account's quick replies; open pages learn of each change. */
export const quickReplyActs = (sql: Sql): readonly ActHandler[] => [
  handle(listQuickReplies, ({ caller: { accountId } }) =>
    asAccount(sql, accountId, async (tx) => ({ replies: await readReplies(tx, accountId) })),
  ),
  handle(saveQuickReply, ({ caller: { accountId } }, reply) =>
    asAccount(sql, accountId, (tx) => saveReply(tx, accountId, reply)),
  ),
  handle(deleteQuickReply, ({ caller: { accountId } }, { name }) =>
    asAccount(sql, accountId, async (tx) => {
      const { count } = await tx`
        delete from quick_replies where account_id = ${accountId} and name = ${name}`;
      if (count === 0) throw new Refusal('not_found', { what: 'Balasan' });
      await appendEvent(tx, { accountId, kind: 'quick_reply.changed', data: {} });
      return {};
    }),
  ),
];

async function readReplies(tx: Tx, accountId: string): Promise<QuickReply[]> {
  const found = await tx<QuickReply[]>`
    select name, text, updated_at from quick_replies
    where account_id = ${accountId} order by name collate "C"`;
  return [...found];
}

/** @throws Refusal `quick_replies_full`. */
async function saveReply(
  tx: Tx,
  accountId: string,
  { name, text }: Pick<QuickReply, 'name' | 'text'>,
): Promise<QuickReply> {
  // One at a time: two that add the last one would both find room.
  await tx`select pg_advisory_xact_lock(hashtextextended('quick_replies ' || ${accountId}::text, 0))`;
  const [saved] = await tx<QuickReply[]>`
    insert into quick_replies (account_id, name, text) values (${accountId}, ${name}, ${text})
    on conflict (account_id, name) do update
      set text = excluded.text, updated_at = excluded.updated_at
    returning name, text, updated_at`;
  const [counted] = await tx<{ replies: number }[]>`
    select count(*) as replies from quick_replies where account_id = ${accountId}`;
  if (!saved || (counted?.replies ?? 0) > REPLY_MAX.all)
    throw new Refusal('quick_replies_full', { limit: REPLY_MAX.all });
  await appendEvent(tx, { accountId, kind: 'quick_reply.changed', data: {} });
  return saved;
}
