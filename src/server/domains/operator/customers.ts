import { type InputOf, type PageOf } from '#contract/base/act.ts';
import { publicId } from '#contract/base/ids.ts';
import { rupiah } from '#contract/base/money.ts';
import { formatPhone } from '#contract/base/phone.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { DeskCustomer, DeskCustomerDetail } from '#contract/operator/desk.ts';
import type * as desk from '#contract/operator/desk.ts';
import {
  type CustomerRow,
  customerOf,
  findCustomers,
  maskedPhone,
  operatorNames,
} from '#server/domains/accounts/accounts.ts';
import {
  lockWallet,
  recentEntries,
  restrictToBonus,
  setWalletFrozen,
  walletOf,
} from '#server/domains/ledger/ledger.ts';
import { recentTopups } from '#server/domains/payments/payments.ts';
import { newId } from '#server/infra/ids.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import type { DeskDeps } from './deps.ts';

/** A page of customers by name or number; numbers without their middle. */
export async function customersPage(
  { allAccountsSql }: DeskDeps,
  input: InputOf<typeof desk.findCustomers>,
): Promise<PageOf<DeskCustomer>> {
  const { rows, total } = await findCustomers(allAccountsSql, input);
  return { rows: rows.map((row) => customer(row, maskedPhone(row.phone))), total };
}

const customer = (row: CustomerRow, phone: string): DeskCustomer => ({
  account_id: publicId('account', row.account_id),
  name: row.name,
  phone,
  available: rupiah(row.available),
  held: rupiah(row.held),
  status: row.status,
});

/**
 * A customer with what moved last.
 *
 * @throws Refusal `not_found`.
 */
export async function customerDetail(
  { allAccountsSql, now }: DeskDeps,
  accountId: string,
): Promise<DeskCustomerDetail> {
  const found = await customerOf(allAccountsSql, accountId);
  if (!found) throw new Refusal('not_found', { what: 'Pelanggan' });
  const [wallet, entries, topups, freezes] = await Promise.all([
    walletOf(allAccountsSql, accountId),
    recentEntries(allAccountsSql, accountId),
    recentTopups(allAccountsSql, accountId, now()),
    freezesOf(allAccountsSql, accountId),
  ]);
  return {
    ...customer(found, found.phone === '' ? '' : formatPhone(found.phone)),
    bonus_only: wallet.isBonusOnly,
    entries,
    topups: topups.map(({ topup_id, ...topup }) => ({
      ...topup,
      id: publicId('topup', topup_id),
    })),
    freezes,
  };
}

const FREEZES_MAX = 10;

async function freezesOf(sql: Sql, accountId: string): Promise<DeskCustomerDetail['freezes']> {
  const found = await sql<{ is_frozen: boolean; reason: string; operator_id: string; at: Date }[]>`
    select is_frozen, reason, operator_id, at from wallet_freezes where account_id = ${accountId}
    order by freeze_id desc limit ${FREEZES_MAX}`;
  const names = await operatorNames(
    sql,
    found.map(({ operator_id }) => operator_id),
  );
  return found.map(({ is_frozen, reason, operator_id, at }) => ({
    frozen: is_frozen,
    reason,
    operator: names.get(operator_id) ?? 'Operator',
    at,
  }));
}

type Freeze = { accountId: string; isFrozen: boolean; reason: string; operatorId: string };

/**
 * Freezes a wallet or lets it go on, and records who and why. What is so already stays as it was.
 *
 * @throws Refusal `not_found`, `account_ended`.
 */
export async function freezeCustomer(
  deps: DeskDeps,
  { accountId, isFrozen, reason, operatorId }: Freeze,
): Promise<DeskCustomerDetail> {
  await deps.allAccountsSql.begin(async (tx) => {
    if (!(await customerOf(tx, accountId))) throw new Refusal('not_found', { what: 'Pelanggan' });
    const changed = await setWalletFrozen(tx, accountId, isFrozen);
    if (changed === undefined) throw new Refusal('account_ended', {});
    if (!changed) return;
    await tx`
      insert into wallet_freezes (account_id, freeze_id, is_frozen, reason, operator_id, at)
      values (${accountId}, ${newId()}, ${isFrozen}, ${reason}, ${operatorId}, ${deps.now()})`;
  });
  return customerDetail(deps, accountId);
}

/**
 * Lets a customer spend the welcome bonus on any number, and records who and why. What is so already stays
 * as it was.
 *
 * @throws Refusal `not_found`, `account_ended`.
 */
export async function approveBonus(
  deps: DeskDeps,
  { accountId, reason, operatorId }: Omit<Freeze, 'isFrozen'>,
): Promise<DeskCustomerDetail> {
  await deps.allAccountsSql.begin(async (tx) => {
    const found = await customerOf(tx, accountId);
    if (!found) throw new Refusal('not_found', { what: 'Pelanggan' });
    if (found.status === 'closed') throw new Refusal('account_ended', {});
    if (!(await lockWallet(tx, accountId)).isBonusOnly) return;
    await restrictToBonus(tx, accountId, false);
    await tx`
      insert into bonus_approvals (account_id, reason, operator_id, at)
      values (${accountId}, ${reason}, ${operatorId}, ${deps.now()})`;
  });
  return customerDetail(deps, accountId);
}
