import * as z from 'zod/mini';
import type { InBoth } from '#contract/language/language.ts';

/** What is said of an address that may not be asked; of one of the caller's own machine also how to receive there. */
export const addressRefused = {
  public: {
    id: 'Alamat ini tidak dapat dipakai: isi alamat https umum, pada port 443, 80, atau 8443, tanpa kata sandi di dalamnya.',
    en: 'This address cannot be used: expected a public https:// address on port 443, 80 or 8443, without a password in it.',
  },
  local: {
    id: 'Alamat komputer sendiri tidak dapat dihubungi. Untuk mencoba, jalankan `npx kabari forward` di komputer itu; untuk seterusnya isi alamat https umum. Operator dapat mengizinkan alamat lokal dengan setelan `WEBHOOK_ORIGINS`.',
    en: 'An address of your own machine cannot be asked. To try things out, run `npx kabari forward` there; for good give a public https:// address. Operators may allow local addresses by the setting `WEBHOOK_ORIGINS`.',
  },
} as const satisfies Record<string, InBoth>;

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
