import type { LATEST } from '#contract/rest/webhooks.ts';
import { API_LIMITS } from '#contract/rest/limits.ts';
import type { EventType, WebhookEvent } from '#contract/webhooks/events.ts';
import type { ApiSender } from '#server/http/access.ts';
import type { Handlers } from '#server/http/v1/call.ts';

/** What this endpoint needs of events. */
export type EventCalls = {
  /** Events after a position, or behind the newest; `next` is where to go on. */
  readFeed: (
    sender: ApiSender,
    query: {
      after: number | typeof LATEST;
      limit: number;
      types?: readonly EventType[] | undefined;
    },
  ) => Promise<{ events: WebhookEvent[]; next: number; hasMore: boolean }>;
};

export const eventHandlers = ({ readFeed }: EventCalls): Handlers<'listEvents'> => ({
  listEvents: async ({ sender, query: { after = 0, limit = API_LIMITS.pageMax, types } }) => {
    const { events, next, hasMore } = await readFeed(sender, { after, limit, types });
    return { data: events, next, has_more: hasMore };
  },
});
