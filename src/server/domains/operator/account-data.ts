import type { AccountData } from '#server/infra/account-data.ts';
import type { Sql } from '#server/infra/postgres/database.ts';

/**
 * What operators wrote about an account. Its entries are the ledger's, and its owner takes those along; the
 * words of operators go with the account, while amounts, people and times stay.
 */
export const operatorAccountData = ({ allAccountsSql }: { allAccountsSql: Sql }): AccountData => ({
  erase: async ({ accountId }) =>
    void (await allAccountsSql`select erase_desk_words(${accountId})`),
});
