import * as z from 'zod/mini';

const none = () => z.object({});

/** What is refused about webhooks: part of the catalogue (`base/refusals.ts`). */
export const webhookRefusals = {
  /** The address did not answer the signed test with 2xx (or a Cloud API handshake). */
  webhook_unconfirmed: {
    status: 422,
    facts: () =>
      z.object({
        /** What was answered; null where there was no answer. */
        status: z.nullable(z.int()),
        why: z.enum(['refused', 'late', 'unreachable', 'redirect', 'status', 'challenge']),
      }),
  },
  /** It is switched off: nothing is sent until it is switched on again. */
  webhook_off: { status: 409, facts: none },
} as const;
