import * as z from 'zod/mini';
import { CivilDay } from '#contract/base/days.ts';
import { Direction, MESSAGE_QUERY_MAX, MessageType, StatusFilter } from '#contract/messages.ts';

/** The filters of the message table as views and files take them, all but the token: nothing that says nothing. */
export const messageFilters = () => ({
  q: z.optional(z.string().check(z.trim(), z.minLength(1), z.maxLength(MESSAGE_QUERY_MAX))),
  status: z.optional(StatusFilter()),
  direction: z.optional(Direction()),
  type: z.optional(MessageType()),
  from: z.optional(CivilDay()),
  to: z.optional(CivilDay()),
  sort_type: z.optional(z.enum(['asc', 'desc'])),
});
