import { type AccountData, eraseRows, inPages } from '#server/infra/account-data.ts';
import { publicId } from '#contract/base/ids.ts';
import type { Sql } from '#server/infra/postgres/database.ts';

type Read = { broadcast_id: string; read_at: Date };

/** Which notices an account's people have closed, and which they were sent. */
export const broadcastsAccountData = ({
  sql,
  allAccountsSql,
}: {
  sql: Sql;
  allAccountsSql: Sql;
}): AccountData => ({
  subjects: (accountId) => [{ name: 'pengumuman-ditutup', rows: () => readsOf(sql, accountId) }],
  erase: async ({ accountId }) => {
    await eraseRows(allAccountsSql, 'broadcast_reads', accountId);
    await eraseRows(allAccountsSql, 'broadcast_deliveries', accountId);
  },
});

async function* readsOf(sql: Sql, accountId: string) {
  const reads = inPages<Read>(
    { sql, accountId },
    (tx, last, limit) => tx<Read[]>`
      select broadcast_id, read_at from broadcast_reads
      where account_id = ${accountId} ${last ? tx`and broadcast_id > ${last.broadcast_id}` : tx``}
      order by broadcast_id limit ${limit}`,
  );
  for await (const { broadcast_id, read_at } of reads) {
    yield { id: publicId('broadcast', broadcast_id), read_at };
  }
}
