import { keyIsAbout, type CacheChanges, type LivePatches, type Match } from '#web/live/patches.ts';

const plan = keyIsAbout('subscription', 'subscription_');
const invoices = keyIsAbout('invoices', 'invoice_');
const both: Match = (key) => plan(key) || invoices(key);
const refetching =
  (queries: Match) =>
  (_event: unknown, { refetch }: CacheChanges) =>
    refetch(queries);

/** Keeps the plan, its usage and the invoices current. */
export const billingPatches: LivePatches = {
  follows: both,
  on: {
    'subscription.changed': refetching(both),
    'invoice.changed': refetching(both),
    // What is missing for a charge, and what has been used.
    'saldo.changed': refetching(plan),
    'message.accepted': refetching(plan),
  },
};
