import { nameContact } from '#contract/messages/conversations.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { appendEvent } from '#server/domains/events/events.ts';
import { type ActHandler, handle } from '#server/infra/acts.ts';
import { type Fragment, type Sql, type Tx, asAccount } from '#server/infra/postgres/database.ts';

/**
 * The account's name for a phone, as an expression; null without one. @param peer an expression, too.
 */
export const contactName = (sql: Sql | Tx, accountId: string, peer: Fragment): Fragment =>
  sql`(select k.name from contacts k where k.account_id = ${accountId} and k.peer = ${peer})`;

/**
 * The name of the peer of a conversation `c`: the account's name for it, else the peer's own. The only definition of
 * this rule.
 */
export const shownName = (sql: Sql | Tx, accountId: string): Fragment =>
  sql`coalesce(${contactName(sql, accountId, sql`c.peer`)}, c.peer_name)`;

/**
 * Selects the numbers that an account knows in exactly these digits: from a message, a conversation, a name or an
 * opt-out.
 *
 * @param numbers digits that `exactNumber` found.
 */
export async function knownNumbers(
  sql: Sql | Tx,
  accountId: string,
  numbers: readonly string[],
): Promise<ReadonlySet<string>> {
  const known = await sql<{ peer: string }[]>`
    select n.peer from unnest(${[...numbers]}::text[]) as n(peer)
    where exists (
        select from conversations c where c.account_id = ${accountId} and c.peer = n.peer
      ) or exists (
        select from messages m where m.account_id = ${accountId} and m.peer = n.peer
      ) or exists (
        select from contacts k where k.account_id = ${accountId} and k.peer = n.peer
      ) or exists (
        select from tokens t
        join optouts o
          on o.account_id = t.account_id and o.token_id = t.token_id and o.peer = n.peer
        where t.account_id = ${accountId}
      )`;
  return new Set(known.map(({ peer }) => peer));
}

/**
 * The act that names a phone. The account must have a conversation with it, which bounds the number of names. Open
 * pages are notified.
 */
export const contactActs = (sql: Sql): readonly ActHandler[] => [
  handle(nameContact, ({ caller: { accountId } }, { peer, name }) =>
    asAccount(sql, accountId, async (tx) => {
      const [known] = await tx`
        select from conversations where account_id = ${accountId} and peer = ${peer} limit 1`;
      if (!known) throw new Refusal('not_found', { what: 'Percakapan' });
      await (name === ''
        ? tx`delete from contacts where account_id = ${accountId} and peer = ${peer}`
        : tx`
            insert into contacts (account_id, peer, name) values (${accountId}, ${peer}, ${name})
            on conflict (account_id, peer) do update
              set name = excluded.name, updated_at = excluded.updated_at`);
      await appendEvent(tx, { accountId, kind: 'conversation.changed', data: { peer } });
      return { peer, name: name === '' ? null : name };
    }),
  ),
];
