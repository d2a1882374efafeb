import type { Sql } from '#server/infra/postgres/database.ts';

/** @throws if the database does not answer. */
export async function checkReachable(sql: Sql): Promise<void> {
  await sql`select 1`;
}
