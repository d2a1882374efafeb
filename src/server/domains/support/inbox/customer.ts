import { Refusal } from '#contract/base/refusals.ts';
import { type CustomerFacts, customerFacts } from '#server/domains/accounts/accounts.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';

/** @throws Refusal `not_found`, also for the installation's own account. */
export async function findCustomer(sql: Sql | Tx, accountId: string): Promise<CustomerFacts> {
  const found = await customerFacts(sql, accountId);
  if (!found) throw new Refusal('not_found', { what: 'Pelanggan' });
  return found;
}
