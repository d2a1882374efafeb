import { type CustomerPerson, customersAfter } from '#server/domains/accounts/accounts.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import { withEachAccountIn } from '#server/infra/postgres/distribution/scope.ts';
import { json } from '#server/infra/postgres/sql.ts';
import { type Audience, isInAudience } from './audience.ts';

/** Accounts that are gone through in one transaction. */
const ACCOUNTS_AT_ONCE = 200;

type Due = Audience & {
  broadcast_id: string;
  by_push: boolean;
  by_message: boolean;
  is_stopped: boolean;
  queued_to: string;
};

/**
 * Goes through the customers of broadcasts that have begun, or were stopped: their open pages hear of it,
 * and who is to be told by push or message is written down. How far that is stands in the broadcast, in the
 * same transaction: whoever dies in between leaves nobody out and writes nobody down twice.
 */
export async function announceDue(
  allAccountsSql: Sql,
  at: Date,
  isClosing: () => boolean,
): Promise<void> {
  while (!isClosing()) {
    const isMore = await allAccountsSql.begin((tx) =>
      announceSome({ sql: allAccountsSql, tx }, at),
    );
    if (!isMore) return;
  }
}

/** @returns false when nothing is left that is not another process's. */
async function announceSome({ sql, tx }: { sql: Sql; tx: Tx }, at: Date): Promise<boolean> {
  const [due] = await tx<Due[]>`
    select broadcast_id, audience, plan, by_push, by_message, queued_to,
      stopped_at is not null as is_stopped
    from broadcasts
    where ready_at is null and from_at <= ${at}
    order by broadcast_id limit 1 for no key update skip locked`;
  if (!due) return false;
  const people = await customersAfter(tx, {
    after: due.queued_to,
    limit: ACCOUNTS_AT_ONCE,
    where: isInAudience(tx, due),
  });
  await withEachAccountIn({ sql, tx }, people, (own, some) =>
    announceTo(own, due, { people: some, at }),
  );
  const accounts = accountsOf(people);
  await tx`
    update broadcasts set queued_to = ${accounts.at(-1) ?? due.queued_to},
      ready_at = ${accounts.length < ACCOUNTS_AT_ONCE ? at : null}
    where broadcast_id = ${due.broadcast_id}`;
  return true;
}

const accountsOf = (people: readonly CustomerPerson[]): string[] => [
  ...new Set(people.map(({ accountId }) => accountId)),
];

async function announceTo(
  tx: Tx,
  due: Due,
  { people, at }: { people: readonly CustomerPerson[]; at: Date },
): Promise<void> {
  const accounts = accountsOf(people);
  if (accounts.length === 0) return;
  await tx`
    select enqueue_events(${accounts}::uuid[], 'broadcast.changed',
      array_fill(${json({})}::jsonb, array[${accounts.length}::int]))`;
  if (!due.is_stopped && (due.by_push || due.by_message)) {
    await tx`
      insert into broadcast_deliveries (account_id, broadcast_id, user_id, next_at)
      select account_id, ${due.broadcast_id}, user_id, ${at}
      from unnest(
        ${people.map(({ accountId }) => accountId)}::uuid[],
        ${people.map(({ userId }) => userId)}::uuid[]
      ) as p(account_id, user_id)
      on conflict do nothing`;
  }
}
