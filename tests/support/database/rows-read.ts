import type { Sql, Tx } from '#server/infra/postgres/database.ts';

/** Rows of a table read by a sequential scan, and by an index. */
export type RowsRead = { scanned: number; found: number };

/**
 * Counts the rows of a table that some work reads, then rolls it back. The result does not depend on the machine's
 * speed.
 * @param sql sees what the work needs to see; each statement is planned as if it were the first.
 */
export async function rowsRead(
  sql: Sql,
  table: string,
  work: (tx: Tx) => Promise<unknown>,
): Promise<RowsRead> {
  let read: RowsRead | undefined;
  const undo = new Error('undone');
  const look = (tx: Tx) => tx<RowsRead[]>`
    select coalesce(sum(seq_tup_read), 0)::int as scanned, coalesce(sum(idx_tup_fetch), 0)::int as found
    from pg_stat_xact_user_tables where relname = ${table}`;
  await sql
    .begin(async (tx) => {
      const [before] = await look(tx);
      await work(tx);
      const [after] = await look(tx);
      if (!before || !after) throw new Error('no figures');
      read = { scanned: after.scanned - before.scanned, found: after.found - before.found };
      throw undo;
    })
    .catch((error: unknown) => {
      if (error !== undo) throw error;
    });
  if (!read) throw new Error('nothing was read');
  return read;
}
