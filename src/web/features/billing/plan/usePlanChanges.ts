import { useQueryClient } from '@tanstack/react-query';
import {
  cancelSubscription,
  resumeSubscription,
  type Subscription,
  listInvoices,
  payInvoice,
} from '#contract/billing.ts';
import { saldoSummary } from '#contract/saldo-summary.ts';
import { useAct } from '#web/api/query.ts';
import { subscriptionQuery } from '#web/features/billing/queries.ts';

/** Stores a changed subscription and refetches everything that depends on it. */
export function useTakeSubscription() {
  const client = useQueryClient();
  return (after: Subscription | undefined) => {
    if (after) client.setQueryData(subscriptionQuery.queryKey, after);
    else void client.invalidateQueries({ queryKey: subscriptionQuery.queryKey });
    void client.invalidateQueries({ queryKey: ['invoices'] });
    void client.invalidateQueries({ queryKey: [listInvoices.name] });
    void client.invalidateQueries({ queryKey: [saldoSummary.name] });
  };
}

export function usePlanChanges() {
  const take = useTakeSubscription();
  const cancel = useAct(cancelSubscription, { onSuccess: take });
  const resume = useAct(resumeSubscription, { onSuccess: take });
  const pay = useAct(payInvoice, { onSuccess: () => take(undefined) });
  return { cancel, resume, pay };
}
