import type {
  LATEST,
  Delivery,
  DeliveryDetail,
  DeliveryState,
  EventType,
  WebhookEvent,
  SavedWebhook,
  Webhook,
  WebhookFormat,
  WebhookTest,
} from '#contract/webhooks.ts';

/** A token, as the key of a call says it, or an act names it. */
export type TokenRef = { accountId: string; tokenId: string };

/**
 * The stored form of a webhook: without a format it is `kabari`, without kinds, or null, it gets all events. Without a
 * `verify_token` it keeps its own; null gives it the one that Kabari makes.
 */
export type WebhookFields = {
  url: string;
  format?: WebhookFormat | undefined;
  kinds?: readonly EventType[] | null | undefined;
  verify_token?: string | null | undefined;
};

/** Which deliveries of a webhook; the times are of the events, `to` not included. */
export type DeliveryFilter = {
  state?: DeliveryState | undefined;
  type?: EventType | undefined;
  /** With whom: of messages with this number, and of its opt-out. */
  peer?: string | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
};

/** Webhooks as the portal's acts and the public API call them. Each refuses `not_found` for what is not the token's. */
export type WebhookCalls = {
  read: (token: TokenRef) => Promise<Webhook | null>;
  /** @throws Refusal `input_invalid` for an address that may not be asked, `webhook_unconfirmed`, `busy`, `too_many_requests`. */
  save: (token: TokenRef, fields: WebhookFields) => Promise<SavedWebhook>;
  /** @throws Refusal `webhook_unconfirmed`, `busy`, `too_many_requests`. */
  setOn: (token: TokenRef, on: boolean) => Promise<Webhook>;
  rotateSecret: (token: TokenRef) => Promise<{ webhook: Webhook; secret: string }>;
  remove: (token: TokenRef) => Promise<void>;
  /** @throws Refusal `busy`, `too_many_requests`. */
  test: (token: TokenRef) => Promise<WebhookTest>;
  /** The newest first, those below the position `before`; `next` is null on the last page. */
  list: (
    token: TokenRef,
    query: DeliveryFilter & {
      before?: number | undefined;
      offset?: number | undefined;
      limit: number;
    },
  ) => Promise<{ rows: Delivery[]; next: number | null }>;
  get: (token: TokenRef, deliveryId: string) => Promise<DeliveryDetail>;
  /** @throws Refusal `webhook_off`. */
  replay: (token: TokenRef, deliveryId: string) => Promise<Delivery>;
  /** Begins at most `REPLAY_MAX`, the oldest first. @throws Refusal `webhook_off`. */
  replayPeriod: (
    token: TokenRef,
    period: { from: Date; to: Date; which: 'parked' | 'all' },
  ) => Promise<{ replayed: number; more: boolean }>;
  /** Events of the token and of its account after a position, in their order; `next` is where to go on. */
  readFeed: (
    token: TokenRef,
    query: {
      after: number | typeof LATEST;
      limit: number;
      types?: readonly EventType[] | undefined;
    },
  ) => Promise<{ events: WebhookEvent[]; next: number; hasMore: boolean }>;
};
