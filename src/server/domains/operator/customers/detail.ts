import { publicId } from '#contract/base/ids.ts';
import { formatPhone } from '#contract/base/phone.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { DeskCustomerDetail } from '#contract/operator/customers.ts';
import {
  customerOf,
  maskedPeer,
  operatorNames,
  sessionsOfAccount,
  suspensionSteps,
} from '#server/domains/accounts/accounts.ts';
import { recentInvoices, subscriptionForDesk } from '#server/domains/billing/billing.ts';
import { recentEntries, walletOf } from '#server/domains/ledger/ledger.ts';
import { lastFailures, messageSums } from '#server/domains/messages/messages.ts';
import { recentTopups } from '#server/domains/payments/payments.ts';
import { tokensOfAccount } from '#server/domains/tokens/tokens.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { customerFrom } from './list.ts';

/** What a customer's page reads with. */
export type CustomerDeps = {
  /** Sees every account. */
  allAccountsSql: Sql;
  now: () => Date;
};

/**
 * A customer with what moved last.
 *
 * @throws Refusal `not_found`.
 */
export async function customerDetail(
  { allAccountsSql: sql, now }: CustomerDeps,
  accountId: string,
): Promise<DeskCustomerDetail> {
  const found = await customerOf(sql, accountId);
  if (!found) throw new Refusal('not_found', { what: 'Pelanggan' });
  // Half at a time: one customer's page does not take all connections.
  const [wallet, entries, topups, subscription] = await Promise.all([
    walletOf(sql, accountId),
    recentEntries(sql, accountId),
    recentTopups(sql, accountId, now()),
    subscriptionForDesk(sql, accountId),
  ]);
  const [messages, failures, tokens, sessions] = await Promise.all([
    messageSums(sql, accountId, now()),
    lastFailures(sql, accountId),
    tokensOfAccount(sql, accountId),
    sessionsOfAccount(sql, accountId),
  ]);
  const [invoices, steps] = await Promise.all([
    recentInvoices(sql, accountId),
    stepsOf(sql, accountId),
  ]);
  const plan = subscription && { name: subscription.name, status: subscription.status };
  return {
    ...customerFrom(found, plan),
    phone: found.phone === '' ? '' : formatPhone(found.phone),
    erase_at: found.erase_at,
    messages,
    subscription,
    tokens,
    failures: failures.map(({ messageId, peer, ...failure }) => ({
      ...failure,
      message_id: publicId('message', messageId),
      peer: maskedPeer(peer),
    })),
    sessions,
    invoices,
    bonus_only: wallet.isBonusOnly,
    entries,
    topups: topups.map(({ topup_id, ...topup }) => ({
      ...topup,
      id: publicId('topup', topup_id),
    })),
    ...steps,
  };
}

const FREEZES_MAX = 10;

/** When the account was suspended and its wallet frozen, and by whom. */
async function stepsOf(
  sql: Sql,
  accountId: string,
): Promise<Pick<DeskCustomerDetail, 'freezes' | 'suspensions'>> {
  const [freezes, suspensions] = await Promise.all([
    sql<{ frozen: boolean; reason: string; operatorId: string; at: Date }[]>`
      select is_frozen as frozen, reason, operator_id as "operatorId", at from wallet_freezes
      where account_id = ${accountId} order by freeze_id desc limit ${FREEZES_MAX}`,
    suspensionSteps(sql, accountId),
  ]);
  const ids = [...freezes, ...suspensions].map(({ operatorId }) => operatorId);
  const names = await operatorNames(sql, ids);
  const named = <Step extends { operatorId: string }>({ operatorId, ...step }: Step) => ({
    ...step,
    operator: names.get(operatorId) ?? 'Operator',
  });
  return { freezes: freezes.map(named), suspensions: suspensions.map(named) };
}
