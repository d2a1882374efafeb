import { newestPositions } from '#server/domains/events/events.ts';
import { eachByItself } from '#server/infra/postgres/batches.ts';
import type { Sql } from '#server/infra/postgres/database.ts';

/**
 * How long changes are gathered before they are folded; until then readers add them. In so long most
 * messages have come from accepted to read: one change is left of four.
 */
const FOLD_MS = 5_000;
/** Accounts of one call. */
const ACCOUNTS_MAX = 200;
/** How often accounts are looked for that other processes left behind. */
const SWEEP_MS = 30_000;

export type Folding = {
  /** These accounts' events have grown. */
  add: (accountIds: Iterable<string>) => void;
  /** Folds all there is. */
  fold: () => Promise<void>;
  close: () => Promise<void>;
};

type Deps = { allAccountsSql: Sql; report: (trouble: unknown) => void };

/**
 * Starts to fold what events changed into the rollups, for the accounts that have changes. Any number of
 * processes may fold.
 */
export function startFolding({ allAccountsSql, report }: Deps): Folding {
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
        // What was not folded is found by the next sweep.
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
    select account_id as "accountId", position from count_marks`;
  const folded = new Map(rows.map(({ accountId, position }) => [accountId, position]));
  return (await newestPositions(allAccountsSql))
    .filter(({ accountId, position }) => position > (folded.get(accountId) ?? 0))
    .map(({ accountId }) => accountId);
}
