import { queryOptions } from '@tanstack/react-query';
import { getSaldoAlert } from '#contract/saldo.ts';
import { perform } from '#web/api/act.ts';

/** The account's alert for a low saldo. */
export const alertQuery = queryOptions({
  queryKey: ['alert'],
  queryFn: ({ signal }) => perform(getSaldoAlert, {}, { signal }),
});
