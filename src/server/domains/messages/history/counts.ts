import type { Fragment, Sql, Tx } from '#server/infra/postgres/database.ts';

/**
 * What is counted of an account's messages, in a stretch of time from `from` to before `before`: values,
 * or columns of the statement around it.
 */
type Stretch<Bound> = { accountId: string; from: Bound; before: Bound };

/**
 * The counts of an account's messages by the hour they were accepted in, as a table for `from …`:
 * `hour`, `token_id`, `direction`, `status`, `type`, `messages`, `cost`. One hour may have several rows of the same
 * kind, also negative ones: only their sum says something.
 *
 * All that reads counts does so here or in `countsBySpan`: what is folded, and what is not yet.
 */
export const countsByHour = (
  tx: Tx,
  { accountId, from, before }: Stretch<Date | Fragment>,
): Fragment => tx`(
    select hour, token_id, direction, status, type, messages, cost from message_counts
    where account_id = ${accountId} and hour >= ${from} and hour < ${before}
  )`;

/**
 * The same counts by days or months of WIB, with their first day as `since` in place of the hour.
 *
 * @param bounds civil days, `YYYY-MM-DD`; `-infinity` and `infinity` for all.
 */
export const countsBySpan = (
  sql: Sql | Tx,
  grain: 'day' | 'month',
  { accountId, from, before }: Stretch<string | Fragment>,
): Fragment => sql`(
    select since, token_id, direction, status, type, messages from message_count_sums
    where account_id = ${accountId} and grain = ${grain} and since >= ${from} and since < ${before}
  )`;

/** All that an account has, by month. */
export const allCounts = (sql: Sql | Tx, accountId: string): Fragment =>
  countsBySpan(sql, 'month', { accountId, from: '-infinity', before: 'infinity' });
