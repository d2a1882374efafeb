import { queryOptions } from '@tanstack/react-query';
import { accountActs, lazyApi } from '#web/api/lazyApi.ts';

/** The installation's configuration, fetched once. */
export const configQuery = queryOptions({
  queryKey: ['app_config'],
  queryFn: async ({ signal }) => {
    const [{ perform }, { appConfig }] = await Promise.all([lazyApi(), accountActs()]);
    return perform(appConfig, {}, { signal });
  },
  staleTime: Infinity,
  gcTime: Infinity,
});
