import type { Sql } from '#server/infra/postgres/database.ts';

/** Contents by their key in the store, with their lengths in bytes. */
export type Contents = ReadonlyMap<string, number>;

type Row = { key: string; sizeBytes: number };

const byKey = (rows: readonly Row[]): Contents =>
  new Map(rows.map(({ key, sizeBytes }) => [key, sizeBytes]));

/**
 * Contents that file rows name, limited to hashes that begin with a digit.
 *
 * @param all a pool that sees every account.
 * @param digit of sixteen, from 0 to 15.
 */
export async function namedContents(all: Sql, digit: number): Promise<Contents> {
  const to = digit === 15 ? null : Buffer.of((digit + 1) * 16);
  const rows = await all<Row[]>`
    select distinct 'files/' || left(hex, 2) || '/' || hex as key, size_bytes as "sizeBytes"
    from files, lateral (select encode(sha256, 'hex') as hex)
    where sha256 >= ${Buffer.of(digit * 16)} and (${to}::bytea is null or sha256 < ${to})`;
  return byKey(rows);
}

export async function someContents(all: Sql, atMost: number): Promise<Contents> {
  const rows = await all<Row[]>`
    select 'files/' || left(hex, 2) || '/' || hex as key, size_bytes as "sizeBytes"
    from (select encode(sha256, 'hex') as hex, size_bytes from files limit ${atMost}) as found`;
  return byKey(rows);
}
