import { type AccountData, eraseRows, untilNone } from '#server/infra/account-data.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';

/**
 * The events of an account. They go before what they tell of: whoever is publishing some is waited for,
 * and nothing new comes.
 */
export const eventsAccountData = ({ allAccountsSql }: { allAccountsSql: Sql }): AccountData => ({
  erase: async ({ accountId }) => {
    await eraseRows(allAccountsSql, 'outbox', accountId);
    await eraseRows(allAccountsSql, 'events', accountId);
    await eraseRows(allAccountsSql, 'event_positions', accountId);
  },
});

/** Events of an account, all or those about some numbers. */
type Whose = { accountId: string; peers?: readonly string[] };

/**
 * True while the relay has not yet published what happened last. Events that were set aside, for they
 * cannot be published, are not waited for.
 */
export async function hasUnpublished(
  allAccountsSql: Sql,
  { accountId, peers }: Whose,
): Promise<boolean> {
  const among = peers ? [...peers] : null;
  const [waiting] = await allAccountsSql`
    select from outbox where account_id = ${accountId} and tries = 0
      and (${among}::text[] is null or peers && ${among}::text[])
    limit 1`;
  return waiting !== undefined;
}

/** The newest position of every account. */
export const newestPositions = (
  allAccountsSql: Sql,
): Promise<{ accountId: string; position: number }[]> =>
  allAccountsSql<{ accountId: string; position: number }[]>`
    select account_id as "accountId", last as position from event_positions`;

/** The position of an account's newest event; 0 while it has none. */
export async function positionOf(tx: Tx, accountId: string): Promise<number> {
  const [row] = await tx<{ last: number }[]>`
    select last from event_positions where account_id = ${accountId}`;
  return row?.last ?? 0;
}

/** Erases the published events about some numbers. */
export async function eraseEventsAbout(
  allAccountsSql: Sql,
  { accountId, peers }: Required<Whose>,
): Promise<void> {
  await allAccountsSql`
    delete from events where account_id = ${accountId} and coalesce(peer, data->>'peer') = any(${[...peers]}::text[])`;
}

/** Erases the events of one account that tell of another one: what operators were told of a customer. */
export async function eraseEventsOf(
  allAccountsSql: Sql,
  { accountId, about }: { accountId: string; about: string },
): Promise<void> {
  // Whoever is publishing some is waited for.
  await allAccountsSql`
    delete from outbox where account_id = ${accountId} and data->>'account_id' = ${about}`;
  await allAccountsSql`
    delete from events where account_id = ${accountId} and data->>'account_id' = ${about}`;
}

const old = (sql: Sql | Tx) => sql`clock_timestamp() - interval '30 days'`;

/** Forgets events after 30 days, a few thousand rows at a time. */
export async function pruneEvents(allAccountsSql: Sql): Promise<void> {
  // The first event of each account tells whether there is something.
  const found = await allAccountsSql<{ accountId: string }[]>`
    select p.account_id as "accountId" from event_positions p cross join lateral (
      select at from events where account_id = p.account_id order by position limit 1
    ) first where first.at < ${old(allAccountsSql)}`;
  for (const { accountId } of found) {
    await untilNone((limit) => forgetFirst(allAccountsSql, accountId, limit));
  }
}

/** Forgets those of an account's first events that are old: they were published in the order of their positions. */
export async function forgetFirst(
  sql: Sql | Tx,
  accountId: string,
  limit: number,
): Promise<number> {
  const { count } = await sql`
    delete from events where ctid = any(array(
      select first.ctid from (
        select ctid, at from events where account_id = ${accountId} order by position limit ${limit}
      ) first where first.at < ${old(sql)}))`;
  return count;
}

/** More than anybody can have published between a backup and the loss of what it is a backup of. */
const SKIPPED = 1_000_000_000;

/**
 * In a restored database, leaves out the positions that were given since its backup: nobody takes an event for
 * one that they have seen, and every open tab fetches everything anew.
 *
 * @param owner a pool of the database's owner; no relay runs.
 */
export async function skipPositions(owner: Sql): Promise<void> {
  await owner`update event_positions set last = last + ${SKIPPED}`;
}
