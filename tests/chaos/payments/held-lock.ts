import { type Sql, type Tx, retrying } from '#server/infra/postgres/database.ts';
import { waitFor } from '#tests/support/wait-for.ts';

export type HeldLock = {
  /** Waits until a statement with these words is blocked by this very lock. */
  stalls(words: string): Promise<void>;
  release(): Promise<void>;
};

/** Other statements would wait for the lock as long. */
const PATIENCE_MS = 20_000;

export async function holdLock(
  owner: Sql,
  take: (tx: Tx) => PromiseLike<unknown>,
): Promise<HeldLock> {
  const over = Promise.withResolvers<void>();
  const held = Promise.withResolvers<Tx>();
  const done = retrying(() =>
    owner.begin(async (tx) => {
      await take(tx);
      held.resolve(tx);
      await over.promise;
    }),
  ).catch(held.reject);
  const tx = await held.promise;
  return {
    stalls: async (words) => {
      const what = `${words} in front of a lock`;
      await waitFor(() => isStalled(tx, words), { what, patienceMs: PATIENCE_MS }).catch(
        async (error: unknown) => {
          over.resolve();
          await done;
          throw error;
        },
      );
    },
    release: async () => {
      over.resolve();
      await done;
    },
  };
}

async function isStalled(tx: Tx, words: string): Promise<boolean> {
  // Within a transaction the list of backends is otherwise a fixed snapshot.
  await tx`select pg_stat_clear_snapshot()::text`;
  const found = await tx`
    select from pg_stat_activity
    where pg_backend_pid() = any (pg_blocking_pids(pid)) and query ilike ${`%${words}%`}`;
  return found.length > 0;
}
