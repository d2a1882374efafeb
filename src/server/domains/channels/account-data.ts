import { publicId } from '#contract/base/ids.ts';
import { type AccountData, type Row, atOnce, eraseRows } from '#server/infra/account-data.ts';
import { type Sql, asAccount } from '#server/infra/postgres/database.ts';

type Deps = {
  /** One account at a time. */
  sql: Sql;
  /** Sees all: numbers are looked up globally. */
  allAccountsSql: Sql;
};

type Named = Row & { token_id: string };
const withId = ({ token_id, ...facts }: Named): Row => ({
  token: publicId('token', token_id),
  ...facts,
});

/** What real networks know of an account's numbers; of their secrets only that there are some. */
export const channelsAccountData = ({ sql, allAccountsSql }: Deps): AccountData => ({
  subjects: (accountId) => [
    { name: 'sambungan', rows: () => atOnce(() => connectionsOf(sql, accountId)) },
    {
      name: 'nomor-cloud-api',
      rows: () => atOnce(() => cloudNumbersOf(allAccountsSql, accountId)),
    },
  ],
  close: async (accountId) => {
    await allAccountsSql`delete from cloud_numbers where account_id = ${accountId}`;
  },
  erase: async ({ accountId }) => {
    await allAccountsSql`delete from cloud_numbers where account_id = ${accountId}`;
    for (const table of [
      'cloud_group_messages',
      'cloud_inbound',
      'cloud_media',
      'cloud_refs',
      'connection_spans',
      'connections',
      'provider_answers',
    ] as const) {
      await eraseRows(allAccountsSql, table, accountId);
    }
  },
});

const connectionsOf = (sql: Sql, accountId: string): Promise<Row[]> =>
  asAccount(sql, accountId, async (tx) => {
    const found = await tx<Named[]>`
      select token_id, channel, since, parted_at, parted_reason, restriction, restricted_at,
        restricted_until, last_receipt_at
      from connections where account_id = ${accountId} order by token_id`;
    return found.map(withId);
  });

async function cloudNumbersOf(allAccountsSql: Sql, accountId: string): Promise<Row[]> {
  const found = await allAccountsSql<Named[]>`
    select token_id, phone_number_id, waba_id, verified_name, quality, connected_at, verified_at,
      called_back_at
    from cloud_numbers where account_id = ${accountId} order by token_id`;
  return found.map(withId);
}
