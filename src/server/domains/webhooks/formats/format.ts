import type { TEST_EVENT, WebhookEvent } from '#contract/webhooks/events.ts';

/** What the test button sends. */
export type TestEvent = {
  type: typeof TEST_EVENT;
  timestamp: string;
  data: { account: string; token: string; message: string };
};

/** An event that is to be sent, by one try. */
export type Outgoing = {
  /** The same for every try of an event. */
  id: string;
  /** When this try is made. */
  at: Date;
  event: WebhookEvent | TestEvent;
  /** Under which it is signed: the present one, and during a rotation the one before. */
  secrets: readonly string[];
};

/** A shape in which events are sent. */
export type Format = {
  /** The headers and the very bytes of the body; null for an event that this shape has no word for. */
  build: (outgoing: Outgoing) => { headers: Record<string, string>; body: string } | null;
};
