import { Refusal } from '#contract/base/refusals.ts';
import type { DeskCustomerDetail } from '#contract/operator/customers.ts';
import {
  type OperatorTies,
  changeAccount,
  customerOf,
  endSessionsOfAccount,
  notifySuspensions,
  tiesOf,
} from '#server/domains/accounts/accounts.ts';
import { endSubscriptionNow, subscriptionForDesk } from '#server/domains/billing/billing.ts';
import { lockWallet, restrictToBonus, setWalletFrozen } from '#server/domains/ledger/ledger.ts';
import type { DeskDeps } from '#server/domains/operator/deps.ts';
import { givenAlone, lockAlone, needsTwo } from '#server/domains/payments/payments.ts';
import { wakeLane } from '#server/domains/messages/messages.ts';
import { suspendTokens } from '#server/domains/tokens/tokens.ts';
import { newId } from '#server/infra/ids.ts';
import type { Tx } from '#server/infra/postgres/database.ts';
import { type CustomerDeps, customerDetail } from './detail.ts';

/** What an operator does to a customer, and why. */
type Order = { accountId: string; reason: string; operatorId: string };

/** @throws Refusal `not_found`, `account_ended`. */
async function refuseEnded(tx: Tx, accountId: string): Promise<void> {
  const found = await customerOf(tx, accountId);
  if (!found) throw new Refusal('not_found', { what: 'Pelanggan' });
  if (found.state === 'closed') throw new Refusal('account_ended', {});
}

/**
 * Freezes a wallet or lets it go on, and records who and why. What is so already stays as it was.
 *
 * @throws Refusal `not_found`, `account_ended`.
 */
export async function freezeCustomer(
  deps: CustomerDeps,
  { accountId, isFrozen, reason, operatorId }: Order & { isFrozen: boolean },
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

type LimitedDeps = CustomerDeps & Pick<DeskDeps, 'config'>;

/**
 * Without a proposal, another operator must act above the limit of one operator. Under `lockAlone`.
 *
 * @throws Refusal `operator_limit_reached`.
 */
async function refuseAboveLimit(
  tx: Tx,
  { config }: LimitedDeps,
  { ties, at, ...asked }: { accountId: string; amount: number; ties: OperatorTies; at: Date },
): Promise<void> {
  if (asked.amount === 0) return;
  if (needsTwo(config, asked, await givenAlone(tx, { ties, at }))) {
    throw new Refusal('operator_limit_reached', {});
  }
}

/**
 * Lets a customer spend the welcome bonus on any number, and records who and why. What is so already stays
 * as it was.
 *
 * @throws Refusal `not_found`, `account_ended`, `operator_limit_reached`.
 */
export async function approveBonus(
  deps: LimitedDeps,
  { accountId, reason, operatorId }: Order,
): Promise<DeskCustomerDetail> {
  const at = deps.now();
  const ties = await tiesOf(deps.allAccountsSql, operatorId);
  await deps.allAccountsSql.begin(async (tx) => {
    await lockAlone(tx, ties);
    await refuseEnded(tx, accountId);
    const { isBonusOnly, available: amount } = await lockWallet(tx, accountId);
    if (!isBonusOnly) return;
    await refuseAboveLimit(tx, deps, { accountId, amount, ties, at });
    await restrictToBonus(tx, accountId, false);
    await tx`
      insert into bonus_approvals (account_id, reason, operator_id, at, amount)
      values (${accountId}, ${reason}, ${operatorId}, ${at}, ${amount})`;
  });
  return customerDetail(deps, accountId);
}

export type StandingDeps = CustomerDeps & {
  /** Sends a text through the installation's own token; the same `key` sends it once. */
  sendSystemText: (phone: string, text: string, shownText: string, key: string) => Promise<void>;
  /** Removes ended sessions from this process's cache. */
  evictSessions: (sessionIds: readonly string[]) => Promise<void>;
  report: (trouble: unknown) => void;
};

/**
 * Suspends a customer or lets them go on, and writes the reason to them. Suspended: sessions and open links
 * end, nothing is accepted, nothing leaves; what waits stays, and goes on afterwards or expires by its own
 * time. What is so already stays as it was.
 *
 * @throws Refusal `not_found`, `account_ended`.
 */
export async function suspendCustomer(
  deps: StandingDeps,
  order: Order & { becomes: 'suspended' | 'active' },
): Promise<DeskCustomerDetail> {
  const { accountId, becomes } = order;
  const ended = await deps.allAccountsSql.begin(async (tx) => {
    await refuseEnded(tx, accountId);
    // What was being accepted stands before; everything later is refused.
    await lockWallet(tx, accountId);
    const sessions = await changeAccount(tx, { ...order, at: deps.now() });
    if (!sessions) return [];
    const tokenIds = await suspendTokens(tx, accountId, becomes === 'suspended');
    if (becomes === 'active') {
      for (const tokenId of tokenIds) await wakeLane(tx, { accountId, tokenId });
    }
    return sessions;
  });
  await deps.evictSessions(ended);
  await notifySuspensions(deps).catch(deps.report);
  return customerDetail(deps, accountId);
}

/** Ends a session of a customer's, or all. @throws Refusal `not_found`. */
export async function endSessions(
  deps: StandingDeps,
  { accountId, sessionId }: { accountId: string; sessionId: string | undefined },
): Promise<DeskCustomerDetail> {
  const ended = await deps.allAccountsSql.begin(async (tx) => {
    if (!(await customerOf(tx, accountId))) throw new Refusal('not_found', { what: 'Pelanggan' });
    const sessions = await endSessionsOfAccount(tx, accountId, sessionId);
    if (sessionId !== undefined && sessions.length === 0) {
      throw new Refusal('not_found', { what: 'Sesi' });
    }
    return sessions;
  });
  await deps.evictSessions(ended);
  return customerDetail(deps, accountId);
}

/**
 * Ends a customer's plan now, and records who and why.
 *
 * @throws Refusal `not_found`, `account_ended`, `operator_limit_reached`, `subscription_not_running` where there is
 *   only the free plan.
 */
export async function endPlan(
  deps: LimitedDeps,
  { accountId, reason, operatorId, refund }: Order & { refund: boolean },
): Promise<DeskCustomerDetail> {
  const at = deps.now();
  const ties = await tiesOf(deps.allAccountsSql, operatorId);
  await deps.allAccountsSql.begin(async (tx) => {
    await lockAlone(tx, ties);
    await refuseEnded(tx, accountId);
    const plan = await subscriptionForDesk(tx, accountId);
    // Of two that end it at once, the second finds the free plan.
    const credited = await endSubscriptionNow(tx, { accountId, at, refund });
    if (!plan || credited === undefined) throw new Refusal('subscription_not_running', {});
    await refuseAboveLimit(tx, deps, { accountId, amount: credited, ties, at });
    await tx`
      insert into plan_endings (account_id, ending_id, plan, credited, reason, operator_id, at)
      values (${accountId}, ${newId()}, ${plan.name}, ${credited}, ${reason}, ${operatorId}, ${at})`;
  });
  return customerDetail(deps, accountId);
}
