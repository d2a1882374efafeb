import { queryOptions } from '@tanstack/react-query';
import {
  getSubscription,
  listPlans,
  previewSubscription,
  getBillingProfile,
  getInvoice,
  listInvoices,
} from '#contract/billing.ts';
import { listTopupMethods } from '#contract/saldo.ts';
import { perform } from '#web/api/act.ts';

/** The account's plan, its period and usage; live events keep it current. */
export const subscriptionQuery = queryOptions({
  queryKey: [getSubscription.name],
  queryFn: ({ signal }) => perform(getSubscription, {}, { signal }),
});

export const plansQuery = queryOptions({
  queryKey: [listPlans.name],
  queryFn: async ({ signal }) => (await perform(listPlans, {}, { signal })).plans,
});

/** A preview of a change of plan now; never cached. */
export const previewQuery = (plan: string) =>
  queryOptions({
    queryKey: [previewSubscription.name, plan],
    queryFn: ({ signal }) => perform(previewSubscription, { plan }, { signal }),
    staleTime: 0,
    gcTime: 0,
  });

/** The unpaid invoice of the plan; null when there is none. */
export const dueInvoiceQuery = queryOptions({
  queryKey: ['invoices', 'due'],
  queryFn: async ({ signal }) => {
    const { rows } = await perform(listInvoices, { status: 'open', kind: 'plan' }, { signal });
    return rows[0] ?? null;
  },
});

export const invoiceQuery = (id: string) =>
  queryOptions({
    queryKey: ['invoices', id],
    queryFn: ({ signal }) => perform(getInvoice, { invoice_id: id }, { signal }),
  });

export const buyerQuery = queryOptions({
  queryKey: [getBillingProfile.name],
  queryFn: ({ signal }) => perform(getBillingProfile, {}, { signal }),
});

export const methodsQuery = queryOptions({
  queryKey: [listTopupMethods.name],
  queryFn: async ({ signal }) => (await perform(listTopupMethods, {}, { signal })).methods,
});
