// The parts of this feature that other features may import.
export { invoiceTone } from '#web/features/billing/labels.ts';
export { subscriptionQuery } from '#web/features/billing/queries.ts';
