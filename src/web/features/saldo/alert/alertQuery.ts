import { queryOptions } from '@tanstack/react-query';
import { getSaldoAlert } from '#contract/saldo.ts';
import { perform } from '#web/api/act.ts';

export const alertQuery = queryOptions({
  queryKey: ['alert'],
  queryFn: ({ signal }) => perform(getSaldoAlert, {}, { signal }),
});
