import { type AccountData, atOnce, eraseRows } from '#server/infra/account-data.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { publicId } from '#contract/base/ids.ts';

/**
 * What WhatsApp Web holds of an account. Taken along: its numbers and since when they are linked. Sessions, keys
 * and contents are secrets; messages and chats are in the history.
 */
export const webAccountData = ({ allAccountsSql }: { allAccountsSql: Sql }): AccountData => ({
  subjects: (accountId) => [
    { name: 'nomor-whatsapp-web', rows: () => atOnce(() => numbersOf(allAccountsSql, accountId)) },
  ],
  erase: async ({ accountId }) => {
    for (const table of [
      'web_inbox',
      'web_sent',
      'web_chats',
      'web_numbers',
      'web_keys',
      'web_sessions',
    ] as const) {
      await eraseRows(allAccountsSql, table, accountId);
    }
  },
});

async function numbersOf(sql: Sql, accountId: string): Promise<Record<string, unknown>[]> {
  const found = await sql<{ token_id: string; phone: string; first_linked_at: Date }[]>`
    select token_id, phone, first_linked_at from web_numbers
    where account_id = ${accountId} order by token_id, phone`;
  return found.map(({ token_id, ...facts }) => ({ token: publicId('token', token_id), ...facts }));
}
