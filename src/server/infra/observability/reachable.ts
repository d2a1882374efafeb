import type { Sql } from '#server/infra/postgres/database.ts';

/** Asks the database for nothing. @throws when it does not answer. */
export async function checkReachable(sql: Sql): Promise<void> {
  await sql`select 1`;
}
