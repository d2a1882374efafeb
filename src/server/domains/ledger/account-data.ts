import { asAccount, type Sql } from '#server/infra/postgres/database.ts';
import { type AccountData, type Row, atOnce, inPages } from '#server/infra/account-data.ts';

/**
 * An account's saldo and its mutations. They are never erased: tax law requires the ledger to be kept, and
 * after pseudonymization it names nobody.
 */
export const ledgerAccountData = ({ sql }: { sql: Sql }): AccountData => ({
  subjects: (accountId) => [
    {
      name: 'saldo',
      rows: () =>
        atOnce(() =>
          asAccount(
            sql,
            accountId,
            (tx) => tx<Row[]>`
              select available, held, status from wallets where account_id = ${accountId}`,
          ),
        ),
    },
    {
      name: 'mutasi',
      about: async () => {
        const [wallet] = await asAccount(
          sql,
          accountId,
          (tx) => tx<{ seq: number }[]>`select seq from wallets where account_id = ${accountId}`,
        );
        return wallet?.seq ?? 0;
      },
      rows: () => mutationsOf(sql, accountId),
    },
  ],
});

type EntryRow = Row & { seq: number };

const mutationsOf = (sql: Sql, accountId: string) =>
  inPages<EntryRow>(
    { sql, accountId },
    (tx, last, limit) => tx<EntryRow[]>`
      select seq, kind, d_available as amount, d_held as held_amount, available_after, held_after,
        n_items as items, ref_type, ref_id, memo, created_at
      from wallet_entries where account_id = ${accountId} and seq > ${last?.seq ?? 0}
      order by seq limit ${limit}`,
  );
