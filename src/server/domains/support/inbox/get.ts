import { publicId } from '#contract/base/ids.ts';
import { formatPhone } from '#contract/base/phone.ts';
import type { OperatorThread } from '#contract/operator/support.ts';
import { answeringOperators } from '#server/domains/accounts/accounts.ts';
import { planNameOf } from '#server/domains/billing/billing.ts';
import { walletOf } from '#server/domains/ledger/ledger.ts';
import { countFailed } from '#server/domains/messages/messages.ts';
import type { SupportDeps } from '#server/domains/support/deps.ts';
import { waitedMinutes } from '#server/domains/support/hours/hours.ts';
import { type Thread, emptyThread, readThread } from '#server/domains/support/thread/row.ts';
import { viewThread } from '#server/domains/support/thread/view.ts';
import { tokensOf } from '#server/domains/tokens/tokens.ts';
import { findCustomer } from './customer.ts';
import { assigneeOf } from './list.ts';

const FAILED_MS = 24 * 3_600_000;
/** Tokens beside a thread. */
const TOKENS_MAX = 20;

/**
 * One customer's thread, and what an operator wants to know of them beside it.
 *
 * @param known the thread as an act has just left it.
 * @throws Refusal `not_found`.
 */
export async function inboxThread(
  deps: SupportDeps,
  { accountId, operatorId, known }: { accountId: string; operatorId: string; known?: Thread },
): Promise<OperatorThread> {
  const { allAccountsSql: sql } = deps;
  const at = deps.now();
  const facts = await findCustomer(sql, accountId);
  const [found, wallet, plan, tokens, failed, operators] = await Promise.all([
    known ?? readThread(sql, accountId),
    walletOf(sql, accountId),
    planNameOf(sql, accountId),
    tokensOf(sql, accountId, TOKENS_MAX),
    countFailed(sql, accountId, new Date(at.getTime() - FAILED_MS)),
    answeringOperators(sql),
  ]);
  const thread = found ?? emptyThread(accountId, at);
  const view = await viewThread(deps, thread, 'operator');
  const names = new Map(operators.map(({ user_id, name }) => [user_id, name]));
  return {
    ...view,
    account_id: publicId('account', accountId),
    account_name: facts.name,
    phone: facts.phone === '' ? '' : formatPhone(facts.phone),
    waiting_since: thread.waiting_since,
    waited_minutes: waitedMinutes(deps.hours(), thread.waiting_since, at),
    snoozed_until: view.status === 'snoozed' ? thread.snoozed_until : null,
    assignee: assigneeOf(thread.assignee, names, operatorId),
    operators: operators.map(({ user_id, name }) => ({ id: publicId('user', user_id), name })),
    customer: {
      since: facts.since,
      status: facts.status,
      available: wallet.available,
      plan,
      tokens: tokens.map(({ id, name, status }) => ({ id, name, status })),
      failed,
    },
  };
}
