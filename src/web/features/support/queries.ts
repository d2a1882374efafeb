import { queryOptions } from '@tanstack/react-query';
import { supportHelp, supportThread } from '#contract/support.ts';
import { perform } from '#web/api/act.ts';

/** The key of a customer's own thread, in caches, drafts and the outbox. */
export const OWN = 'own';

export const threadQuery = queryOptions({
  queryKey: ['support', 'thread'],
  queryFn: ({ signal }) => perform(supportThread, {}, { signal }),
});

export const helpQuery = queryOptions({
  queryKey: ['support', 'help'],
  queryFn: ({ signal }) => perform(supportHelp, {}, { signal }),
});
