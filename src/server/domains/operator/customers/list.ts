import type { InputOf, PageOf } from '#contract/base/act.ts';
import { publicId } from '#contract/base/ids.ts';
import { rupiah } from '#contract/base/money.ts';
import type * as contract from '#contract/operator/customers.ts';
import { type CustomerRow, findCustomers, maskedPhone } from '#server/domains/accounts/accounts.ts';
import { isOnPlan, plansOfAccounts } from '#server/domains/billing/billing.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { meantBy } from './search.ts';

/** A page of customers, by one box and filters; numbers without their middle. */
export async function customersPage(
  { allAccountsSql: sql }: { allAccountsSql: Sql },
  { plan, q = '', ...query }: InputOf<typeof contract.findCustomers>,
): Promise<PageOf<contract.CustomerFound>> {
  const { found, isExact } = await meantBy(sql, q);
  const { rows, total } = await findCustomers(sql, {
    ...query,
    q,
    meant: [...found.keys()],
    isExact,
    ...(plan !== undefined && { where: isOnPlan(sql, plan) }),
  });
  const plans = await plansOfAccounts(
    sql,
    rows.map(({ account_id }) => account_id),
  );
  return {
    rows: rows.map((row) => ({
      ...customerFrom(row, plans.get(row.account_id) ?? null),
      phone: maskedPhone(row.phone),
      found: found.get(row.account_id) ?? null,
    })),
    total,
  };
}

/** A customer as it is answered, with the owner's whole number. */
export const customerFrom = (
  row: CustomerRow,
  plan: contract.DeskCustomer['plan'],
): contract.DeskCustomer => ({
  account_id: publicId('account', row.account_id),
  name: row.name,
  phone: row.phone,
  available: rupiah(row.available),
  held: rupiah(row.held),
  status: row.status,
  state: row.state,
  plan,
  created_at: row.created_at,
});
