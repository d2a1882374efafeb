import * as z from 'zod/mini';
import { MESSAGE_QUERY_MAX, rowFilters } from '#contract/messages.ts';

/** The filters of the message table as views and files take them, all but the token: nothing that says nothing. */
export const messageFilters = () => ({
  ...rowFilters(),
  q: z.optional(z.string().check(z.trim(), z.minLength(1), z.maxLength(MESSAGE_QUERY_MAX))),
  sort_type: z.optional(z.enum(['asc', 'desc'])),
});
