import { keyIsAbout, type CacheChanges, type LivePatches, type Match } from '#web/live/patches.ts';

const plan = keyIsAbout('subscription', 'subscription_');
const invoices = keyIsAbout('invoices', 'invoice_');
const both: Match = (key) => plan(key) || invoices(key);
const refetching =
  (queries: Match) =>
  (_event: unknown, { refetch }: CacheChanges) =>
    refetch(queries);

export const billingPatches: LivePatches = {
  follows: both,
  on: {
    'subscription.changed': refetching(both),
    'invoice.changed': refetching(both),
    // A changed saldo changes the shortage and the usage.
    'saldo.changed': refetching(plan),
    'message.accepted': refetching(plan),
  },
};
