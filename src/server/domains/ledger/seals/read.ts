import { PAGE_SIZE, type PageOf } from '#contract/base/act.ts';
import type { Seal } from '#contract/operator/money/books.ts';
import type { Sql } from '#server/infra/postgres/database.ts';

/** A page of the seals, the newest first. */
export async function sealsPage(
  allAccountsSql: Sql,
  { page = 0 }: { page?: number | undefined },
): Promise<PageOf<Seal>> {
  const [found, [counted]] = await Promise.all([
    allAccountsSql<Seal[]>`
      select seal_no as number, day, hash, entries, bookings, created_at as at
      from ledger_seals order by seal_no desc limit ${PAGE_SIZE} offset ${page * PAGE_SIZE}`,
    allAccountsSql<{ total: number }[]>`
      select coalesce(max(seal_no), 0) as total from ledger_seals`,
  ]);
  return { rows: found, total: counted?.total ?? 0 };
}
