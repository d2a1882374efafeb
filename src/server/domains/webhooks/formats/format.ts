import type { TEST_EVENT, WebhookEvent } from '#contract/webhooks.ts';

/** What the test button sends. */
export type TestEvent = {
  type: typeof TEST_EVENT;
  timestamp: string;
  data: { account: string; token: string; message: string };
};

/** What is known beside what an event says, for shapes that say it. */
export type EventContext = {
  /** The token's number; null while no phone is linked. */
  phone: string | null;
  /** The caller's own pairs of a message that was sent. */
  metadata: Readonly<Record<string, unknown>>;
};

/** An event that is to be sent, by one try. */
export type Outgoing = {
  /** The same for every try of an event. */
  id: string;
  /** When this try is made. */
  at: Date;
  event: WebhookEvent | TestEvent;
  context: EventContext;
  /** Under which it is signed: the present one, and during a rotation the one before. */
  secrets: readonly string[];
};

/** A shape in which events are sent. */
export type Format = {
  /**
   * The headers and the very bytes of the body, which are ASCII or UTF-8; null for an event that this shape
   * has no word for.
   */
  build: (outgoing: Outgoing) => { headers: Record<string, string>; body: string } | null;
  /** True where an address is confirmed by the handshake of the Cloud API, in place of a test. */
  hasHandshake?: true;
};

/** The event of a message that came in, or that its sender changed or deleted afterwards. */
export type Received = Extract<
  WebhookEvent,
  { type: 'message.received' | 'message.edited' | 'message.revoked' }
>;

/** An event of a message that was sent. */
export type Sent = Extract<
  WebhookEvent,
  {
    type:
      | 'message.accepted'
      | 'message.sent'
      | 'message.delivered'
      | 'message.read'
      | 'message.failed';
  }
>;

/** A field of a message's content that is a text; undefined without one. */
export const textIn = (content: Readonly<Record<string, unknown>>, field: string) => {
  const value = content[field];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

/** The file of a message's content; each of its fields is undefined where it is not known. */
export function fileIn({ file }: Readonly<Record<string, unknown>>) {
  const known = typeof file === 'object' && file !== null ? { ...file } : {};
  return {
    /** As `med_…`: what reads the file by the API. */
    id: textIn(known, 'id'),
    mime: textIn(known, 'mime_type'),
    sha256: textIn(known, 'sha256'),
  };
}

/** An event's time in whole seconds since 1970. */
export const secondsOf = ({ timestamp }: { timestamp: string }): number =>
  Math.floor(Date.parse(timestamp) / 1_000);
