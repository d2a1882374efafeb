import type { Sql } from '#server/infra/postgres/database.ts';
import type { SupportDeps } from './deps.ts';
import { announceChange } from './thread/notify.ts';
import { existingThread, writeThread } from './thread/row.ts';
import { closed } from './thread/rules.ts';
import { writeAll } from './thread/transaction.ts';

const THREADS_AT_ONCE = 200;

type UpkeepDeps = Pick<
  SupportDeps,
  'allAccountsSql' | 'now' | 'hours' | 'systemAccountId' | 'onNews'
> & {
  /** After so many quiet days an answered thread is closed. */
  closeDays: () => number;
};

/**
 * Brings back threads whose time of being put off is over, and closes those in which nobody wrote for some days
 * and nobody waits. For the minute's job.
 */
export async function tendThreads(deps: UpkeepDeps): Promise<void> {
  const at = deps.now();
  const quietSince = new Date(at.getTime() - deps.closeDays() * 86_400_000);
  const due = (sql: Sql) => sql<{ account_id: string }[]>`
    select account_id from support_threads
    where (status = 'snoozed' and snoozed_until <= ${at})
      or (status = 'open' and waiting_since is null and last_at < ${quietSince})
    limit ${THREADS_AT_ONCE}`;
  const found = await due(deps.allAccountsSql);
  for (const { account_id } of found) await tend(deps, account_id, { at, quietSince });
  if (found.length > 0) deps.onNews();
}

/** Looks at one thread once more, under its lock. */
async function tend(
  deps: UpkeepDeps,
  accountId: string,
  { at, quietSince }: { at: Date; quietSince: Date },
): Promise<void> {
  await deps.allAccountsSql.begin(async (tx) => {
    const before = await existingThread(tx, accountId);
    if (before.snoozed_until !== null && before.snoozed_until <= at) {
      // Its quiet days begin now: it was put off to be seen today.
      const open = { ...before, status: 'open' as const, snoozed_until: null, last_at: at };
      await writeThread(tx, open);
      await announceChange(tx, open, false);
      return;
    }
    if (before.status !== 'open' || before.waiting_since !== null) return;
    if (before.last_at >= quietSince) return;
    const words = `Percakapan ditutup otomatis setelah ${deps.closeDays()} hari tanpa pesan`;
    const ending = { at, words, hours: deps.hours(), byItself: true };
    const written = closed({ thread: before, lines: [] }, ending);
    await writeAll(tx, deps, { before, written });
  });
}
