import { newestPositions } from '#server/domains/events/events.ts';
import { eachByItself } from '#server/infra/postgres/batches.ts';
import type { Sql, Fragment, Tx } from '#server/infra/postgres/database.ts';

/**
 * Changes are gathered this long before they are folded; until then readers add them. Most messages go from accepted to
 * read in this time, so four changes become one.
 */
const FOLD_MS = 5_000;
const ACCOUNTS_MAX = 200;
/** Interval of looking for accounts that other processes left unfolded. */
const SWEEP_MS = 30_000;

export type Folding = {
  add: (accountIds: Iterable<string>) => void;
  fold: () => Promise<void>;
  close: () => Promise<void>;
};

/**
 * Starts folding the changes of events into the rollups, for accounts with changes. Any number of processes may fold.
 */
export function startFolding({
  allAccountsSql,
  report,
}: {
  allAccountsSql: Sql;
  report: (trouble: unknown) => void;
}): Folding {
  const changed = new Set<string>();
  let folding: Promise<void> | undefined;
  let sweptAt = -Infinity;

  const fold = async () => {
    if (performance.now() - sweptAt > SWEEP_MS) {
      for (const accountId of await unfoldedAccounts(allAccountsSql)) changed.add(accountId);
      sweptAt = performance.now();
    }
    const accountIds = [...changed];
    changed.clear();
    for (let from = 0; from < accountIds.length; from += ACCOUNTS_MAX) {
      const some = accountIds.slice(from, from + ACCOUNTS_MAX);
      const failed = await eachByItself(
        some,
        (ids) => allAccountsSql`select fold_counts(${[...ids]}::uuid[])`,
      );
      for (const { error } of failed) report(error);
    }
  };
  const run = () => {
    folding ??= fold()
      .catch((error: unknown) => {
        sweptAt = -Infinity;
        report(error);
      })
      .finally(() => (folding = undefined));
    return folding;
  };
  const timer = setInterval(() => void run(), FOLD_MS);
  return {
    add: (accountIds) => {
      for (const accountId of accountIds) changed.add(accountId);
    },
    fold: run,
    close: async () => {
      clearInterval(timer);
      await folding;
    },
  };
}

async function unfoldedAccounts(allAccountsSql: Sql): Promise<string[]> {
  const rows = await allAccountsSql<{ accountId: string; position: number }[]>`
    select account_id as "accountId", position from count_cursors`;
  const folded = new Map(rows.map(({ accountId, position }) => [accountId, position]));
  return (await newestPositions(allAccountsSql))
    .filter(({ accountId, position }) => position > (folded.get(accountId) ?? 0))
    .map(({ accountId }) => accountId);
}

/**
 * An account's messages from `from` to before `before`: values, or columns of the enclosing statement.
 */
type Stretch<Bound> = { accountId: string; from: Bound; before: Bound };

/**
 * The counts of an account's messages by the hour of acceptance, as a table for `from …`: `hour`, `token_id`,
 * `direction`, `status`, `type`, `messages`, `cost`. One hour may have several rows of the same kind, also negative
 * ones: only their sum is meaningful.
 * Every reader of counts uses this or `countsBySpan`, which include changes that are not folded yet.
 */
export const countsByHour = (
  tx: Tx,
  { accountId, from, before }: Stretch<Date | Fragment>,
): Fragment => tx`(
    select hour, token_id, direction, status, type, messages, cost from message_counts
    where account_id = ${accountId} and hour >= ${from} and hour < ${before}
  )`;

/**
 * The same counts by days or months of WIB, with their first day as `since` in place of the hour. The `cost` of spans
 * from before the migration 0003 is null: only their hours have it.
 *
 * @param bounds civil days, `YYYY-MM-DD`; `-infinity` and `infinity` for all.
 */
export const countsBySpan = (
  sql: Sql | Tx,
  grain: 'day' | 'month',
  { accountId, from, before }: Stretch<string | Fragment>,
): Fragment => sql`(
    select since, token_id, direction, status, type, messages, cost from message_count_sums
    where account_id = ${accountId} and grain = ${grain} and since >= ${from} and since < ${before}
  )`;

export const allCounts = (sql: Sql | Tx, accountId: string): Fragment =>
  countsBySpan(sql, 'month', { accountId, from: '-infinity', before: 'infinity' });
