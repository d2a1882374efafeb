import * as z from 'zod/mini';

const none = () => z.object({});

/** What is refused because of a token's network: part of the catalogue (`base/refusals.ts`). */
export const channelRefusals = {
  /** This installation does not offer the channel. */
  channel_off: { status: 409, facts: none },
  /** What was asked belongs to another channel than the token's. */
  channel_other: { status: 409, facts: none },
  /** Messages of the token are on their way: their outcome is awaited first. */
  channel_busy: { status: 409, facts: none },
  /** Templates of the token wait at the price of its channel: they leave, or are cancelled, first. */
  channel_waiting: { status: 409, facts: () => z.object({ templates: z.int() }) },
  /** Meta says no to what was entered; `code` is Meta's. */
  cloud_refused: { status: 422, facts: () => z.object({ code: z.int() }) },
  cloud_unreachable: { status: 503, facts: none, retryable: true },
  /** The receiver has not written in the last 24 hours, or never: only templates may be sent. */
  window_closed: { status: 409, facts: none },
} as const;
