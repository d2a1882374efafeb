import type { ActHandler } from '#server/infra/acts.ts';
import { alertActs } from './alerts.ts';
import { checkTopupHandler } from './gateways/orders.ts';
import { listMethodsHandler } from './gateways/methods.ts';
import { type ProofDeps, proveTopupHandler } from './proofs.ts';
import { cancelTopupHandler } from './topups/cancel.ts';
import { type CreateDeps, createTopupHandler } from './topups/create.ts';
import { getTopupHandler, listTopupsHandler } from './topups/read.ts';
import { type SummaryDeps, saldoSummaryHandler } from './topups/summary.ts';

export { countProposedFor, givenAlone, lockAlone, needsTwo } from './topups/four-eyes.ts';
export { saveAlert, type AlertWatch, startAlertWatch } from './alerts.ts';
export { receiveBankLine } from './bank.ts';
export {
  type MoneyWork,
  type StatusOf,
  askGateways,
  bankFindings,
  holderOfTopup,
  moneyWork,
  unmatchedLines,
  paidSince,
  recentTopups,
  reconcilePayments,
} from './desk.ts';
export {
  type SuspenseRow,
  noteSuspense,
  suspenseOf,
  suspensePage,
  suspenseSum,
} from './suspense.ts';
export { findTopup } from './topups/topup.ts';
export { expireTopups } from './topups/expire.ts';
export { topupOfAccount } from './topups/read.ts';
export { placeTopup } from './topups/create.ts';
export { paymentsAccountData } from './account-data.ts';
export { countGatewayWork, pruneInbox } from './gateways/inbox.ts';
export { type OpenGateways, openGateways } from './gateways/open.ts';
export { flaggedPage, settleFlag } from './gateways/flags.ts';
export {
  type PaidPayment,
  accountOfManualRefund,
  inOneSpelling,
  isRefundReference,
  openRefundsPage,
  paymentOf,
  refundStates,
} from './gateways/open-refunds.ts';
export type { OrderDeps } from './gateways/orders.ts';
export { finishRefundByHand, retryRefunds, sendRefund } from './gateways/refund.ts';
export { simulatedPaymentHandler } from './gateways/simulated.ts';
export { gatewayStatusOf } from './gateways/status-of.ts';
export { startInbox, startOrderPolls } from './gateways/worker.ts';
export { type StatementDeps, importStatement, previewStatement } from './statements/import.ts';
export { bankLinesForOperator, confirmBoth, dismissLine } from './statements/lines.ts';
export { type ReviewDeps, topupsForOperator } from './topups/operator-list.ts';
export { checkTopupForOperator, confirmTopupByHand, rejectTopupByHand } from './topups/review.ts';

export type PaymentsDeps = CreateDeps & SummaryDeps & ProofDeps;

/** The acts of payments: the saldo summary, top-ups, and the low-saldo alert. */
export const paymentsActs = (deps: PaymentsDeps): readonly ActHandler[] => [
  saldoSummaryHandler(deps),
  listMethodsHandler(deps),
  createTopupHandler(deps),
  listTopupsHandler(deps),
  getTopupHandler(deps),
  cancelTopupHandler(deps),
  checkTopupHandler(deps),
  proveTopupHandler(deps),
  ...alertActs(deps),
];
