import * as z from 'zod/mini';

/** Why a list of recipients cannot be read. */
export const unreadable = ['empty', 'no_numbers', 'too_many', 'broken'] as const;
export type UnreadableList = (typeof unreadable)[number];

/** What is refused of messages to many: part of the catalogue (`base/refusals.ts`). */
export const campaignRefusals = {
  recipients_unreadable: {
    status: 422,
    facts: () => z.object({ why: z.enum(unreadable) }),
  },
  /** It has no content, or nobody to go to. */
  campaign_incomplete: {
    status: 409,
    facts: () => z.object({ missing: z.enum(['content', 'recipients']) }),
  },
  /** It is started, or ended, already. */
  campaign_state: { status: 409, facts: () => z.object({}) },
  campaigns_full: { status: 409, facts: () => z.object({ limit: z.int() }) },
} as const;
