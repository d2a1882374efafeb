import type { Sql, Tx } from '#server/infra/postgres/database.ts';

/** The names of people, by their ids; who is gone is not among them. @param sql sees all accounts. */
export async function namesOfPeople(
  sql: Sql | Tx,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (userIds.length === 0) return new Map();
  const people = await sql<{ user_id: string; name: string }[]>`
    select user_id, name from users where user_id = any(${[...new Set(userIds)]}::uuid[])`;
  return new Map(people.map(({ user_id, name }) => [user_id, name]));
}
