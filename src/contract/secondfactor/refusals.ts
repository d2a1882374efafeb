import * as z from 'zod/mini';

const none = () => z.object({});

/** What is refused because of a second factor: part of the catalogue (`base/refusals.ts`). */
export const secondFactorRefusals = {
  second_factor_needed: { status: 403, facts: none },
  second_factor_again: { status: 403, facts: none },
  second_factor_wrong: { status: 422, facts: () => z.object({ left: z.int() }) },
  second_factor_expired: { status: 410, facts: none },
  second_factor_last: { status: 409, facts: none },
  second_factor_exists: { status: 409, facts: none },
} as const;
