import type { ApiOptout } from '#contract/rest/opt-outs.ts';
import type { ApiSender } from '#server/http/access.ts';
import type { Handlers } from '#server/http/v1/call.ts';

/** What these endpoints need of opt-outs. */
export type OptoutCalls = {
  list: (
    sender: ApiSender,
    query: { peer?: string | undefined; cursor?: string | undefined; limit: number },
  ) => Promise<{ optouts: readonly ApiOptout[]; next: string | null }>;
  add: (
    sender: ApiSender,
    optout: { peer: string; reason?: string | undefined },
  ) => Promise<ApiOptout>;
  remove: (sender: ApiSender, peer: string) => Promise<void>;
};

/** Opt-outs on a page, unless asked otherwise. */
const PAGE = 50;

export const optoutHandlers = ({
  list,
  add,
  remove,
}: OptoutCalls): Handlers<'listOptOuts' | 'addOptOut' | 'removeOptOut'> => ({
  listOptOuts: async ({ sender, query: { phone: peer, cursor, limit = PAGE } }) => {
    const { optouts, next } = await list(sender, { peer, cursor, limit });
    return { data: [...optouts], next_cursor: next };
  },
  addOptOut: ({ sender, body: { phone: peer, reason } }) => add(sender, { peer, reason }),
  removeOptOut: async ({ sender, query: { phone }, reply }) => {
    await remove(sender, phone);
    return reply.code(204).send();
  },
});
