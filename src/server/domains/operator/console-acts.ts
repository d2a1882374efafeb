import * as customers from '#contract/operator/customers.ts';
import { operatorOverview } from '#contract/operator/overview.ts';
import * as things from '#contract/operator/things.ts';
import { type ActHandler, handle } from '#server/infra/acts.ts';
import { type OverviewDeps, openOverview } from './console.ts';
import {
  type StandingDeps,
  endPlan,
  endSessions,
  suspendCustomer,
  customerInvoice,
  customerMessage,
  customerToken,
  customerTopup,
  disclosedText,
} from './customers.ts';
import type { DeskDeps } from './deps.ts';

export type ConsoleDeps = StandingDeps & OverviewDeps & Pick<DeskDeps, 'config'>;

/** The overview, and what operators do to a customer beside money. */
export function consoleActs(deps: ConsoleDeps): readonly ActHandler[] {
  const overview = openOverview(deps);
  return [
    handle(operatorOverview, ({ caller }) => overview(caller)),
    handle(customers.suspendCustomer, ({ caller }, { account_id, becomes, reason }) =>
      suspendCustomer(deps, {
        accountId: account_id,
        becomes,
        reason,
        operatorId: caller.userId,
      }),
    ),
    handle(customers.endCustomerSessions, (_, { account_id, session_id }) =>
      endSessions(deps, { accountId: account_id, sessionId: session_id }),
    ),
    handle(customers.endCustomerPlan, ({ caller }, { account_id, refund, reason }) =>
      endPlan(deps, {
        accountId: account_id,
        refund: refund === 'yes',
        reason,
        operatorId: caller.userId,
      }),
    ),
    handle(things.getCustomerMessage, (_, { account_id, message_id }) =>
      customerMessage(deps, { accountId: account_id, messageId: message_id }),
    ),
    handle(things.readCustomerMessage, ({ caller }, { account_id, message_id, reason }) =>
      disclosedText(deps, {
        accountId: account_id,
        messageId: message_id,
        operatorId: caller.userId,
        reason,
      }),
    ),
    handle(things.getCustomerToken, (_, { account_id, token_id }) =>
      customerToken(deps, { accountId: account_id, tokenId: token_id }),
    ),
    handle(things.getCustomerTopup, (_, { account_id, topup_id }) =>
      customerTopup(deps, { accountId: account_id, topupId: topup_id }),
    ),
    handle(things.getCustomerInvoice, (_, { account_id, invoice_id }) =>
      customerInvoice(deps, { accountId: account_id, invoiceId: invoice_id }),
    ),
  ];
}
