import * as z from 'zod/mini';

const none = () => z.object({});

/** What is refused in the history of messages and beside it: part of the catalogue (`base/refusals.ts`). */
export const historyRefusals = {
  /** What came in, what is under way or arrived, and reactions are not sent anew. */
  resend_unfit: { status: 409, facts: none },
  views_full: { status: 409, facts: () => z.object({ limit: z.int() }) },
  quick_replies_full: { status: 409, facts: () => z.object({ limit: z.int() }) },
  view_name_taken: { status: 409, facts: () => z.object({ name: z.string() }) },
} as const;
