import { systemAccount } from '#server/domains/accounts/accounts.ts';
import { pastPhonesOf } from '#server/domains/tokens/tokens.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { type AccountData, type ErasureRequest, untilNone } from '#server/infra/account-data.ts';

/**
 * An account's messages on simulated phones. They are no data of the account, as on a real phone; but this
 * network is ours, so they are erased with the account.
 */
export const simulatorAccountData = ({ allAccountsSql }: { allAccountsSql: Sql }): AccountData => ({
  erase: (erasure) => erase(allAccountsSql, erasure),
});

async function erase(allAccountsSql: Sql, { accountId, phones }: ErasureRequest): Promise<void> {
  const linked = await pastPhonesOf(allAccountsSql, accountId);
  const all = [...new Set([...phones, ...linked])];
  const system = (await systemAccount(allAccountsSql)) ?? null;
  await allAccountsSql`
    delete from sim_due where account_id = ${accountId} or facts->>'accountId' = ${accountId}
      or (kind = 'inbound' and facts->>'to' = any(${linked}::text[]))
      or (account_id = ${system} and phone = any(${all}::text[]))`;
  await untilNone(async (limit) => {
    const { count } = await allAccountsSql`
      delete from sim_lines where (phone, line_id) in (
        select phone, line_id from sim_lines where account_id = ${accountId}
          or (account_id = ${system} and phone = any(${all}::text[]))
        order by phone, line_id limit ${limit})`;
    return count;
  });
  await allAccountsSql`delete from sim_phones where phone = any(${all}::text[])`;
}
