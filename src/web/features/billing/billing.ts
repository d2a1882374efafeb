// What other features may know of this one.
export { invoiceTone } from '#web/features/billing/labels.ts';
export { subscriptionQuery } from '#web/features/billing/queries.ts';
