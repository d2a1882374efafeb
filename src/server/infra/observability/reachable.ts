import type { Sql } from '#server/infra/postgres/database.ts';

export async function checkReachable(sql: Sql): Promise<void> {
  await sql`select 1`;
}
