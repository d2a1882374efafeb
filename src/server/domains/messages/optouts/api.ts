import { shownPeer } from '#contract/messages/peer.ts';
import type { ApiOptout } from '#contract/messages/optouts.ts';
import { type Sql, asAccount } from '#server/infra/postgres/database.ts';
import {
  type StoredOptout,
  deleteOptout,
  lockOptouts,
  readOptouts,
  storeOptout,
} from './optouts.ts';

type Sender = { accountId: string; tokenId: string };

/** The opt-outs' side of `/v1`: those of the sender's own token. */
export type ApiOptouts = {
  list: (
    sender: Sender,
    query: { peer?: string | undefined; cursor?: string | undefined; limit: number },
  ) => Promise<{ optouts: readonly ApiOptout[]; next: string | null }>;
  add: (
    sender: Sender,
    optout: { peer: string; reason?: string | undefined },
  ) => Promise<ApiOptout>;
  /** Idempotent: removing a missing opt-out changes nothing. */
  remove: (sender: Sender, peer: string) => Promise<void>;
};

/** @param onStored called after an opt-out was stored or removed: the outbox has grown */
export const openApiOptouts = (sql: Sql, onStored: () => void): ApiOptouts => ({
  list: ({ accountId, tokenId }, { peer, cursor, limit }) =>
    asAccount(sql, accountId, async (tx) => {
      const which = { accountId, tokenId, peer };
      const found = await readOptouts(tx, which, { limit: limit + 1, after: cursor });
      const shown = found.slice(0, limit);
      const last = shown.at(-1);
      return {
        optouts: shown.map(optoutOf),
        next: found.length > limit && last ? shownPeer(last.peer) : null,
      };
    }),
  add: async ({ accountId, tokenId }, { peer, reason }) => {
    const stored = await asAccount(sql, accountId, async (tx) => {
      await lockOptouts(tx, accountId);
      return storeOptout(tx, { accountId, tokenId, peer }, { source: 'api', reason });
    });
    onStored();
    return optoutOf(stored);
  },
  remove: async ({ accountId, tokenId }, peer) => {
    await asAccount(sql, accountId, (tx) => deleteOptout(tx, { accountId, tokenId, peer }));
    onStored();
  },
});

const optoutOf = ({ peer, source, reason, created_at }: StoredOptout): ApiOptout => ({
  phone: shownPeer(peer),
  source,
  reason,
  created_at,
});
