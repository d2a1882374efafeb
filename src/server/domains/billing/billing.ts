export { billingAccountData } from './account-data.ts';
export {
  holderOfInvoice,
  invoiceOfAccount,
  plansOfAccounts,
  recentInvoices,
  subscriptionForDesk,
} from './desk.ts';
export { pruneNotices } from './notices.ts';
export { GRATIS, planNameOf, plansForOperator, savePlan } from './plans.ts';
export { subscriptionActs } from './subscriptions/acts.ts';
export { endSubscriptionNow } from './subscriptions/advance.ts';
export { type BillingWorkDeps, runBilling } from './subscriptions/job.ts';
export { payPlanInvoice } from './subscriptions/pay.ts';
export { isOnPlan, openSubscription, readSubscription, tokenLimitOf } from './subscriptions/row.ts';
export { startCreditWatch } from './subscriptions/watch.ts';
export { invoicesAccountData } from './invoices/account-data.ts';
export { readInvoice } from './invoices/read.ts';
export { type Invoices, openInvoices } from './invoices/invoices.ts';
export { issueWaitingInvoices, readSellerGaps, recordSeller } from './invoices/sellers.ts';
