import { PAGE_SIZE } from '#contract/base/act.ts';
import { publicId } from '#contract/base/ids.ts';
import { type Optout, addOptout, listOptouts, removeOptout } from '#contract/messages/optouts.ts';
import { requireToken } from '#server/domains/tokens/tokens.ts';
import { type ActHandler, handle } from '#server/infra/acts.ts';
import { type Sql, asAccount } from '#server/infra/postgres/database.ts';
import {
  type OptoutRef,
  type StoredOptout,
  countOptouts,
  deleteOptout,
  lockOptouts,
  readOptouts,
  storeOptout,
} from './optouts.ts';

type Deps = {
  sql: Sql;
  /** Called after an opt-out was stored or removed: the outbox has grown. */
  onStored: () => void;
};

export const optoutActs = ({ sql, onStored }: Deps): readonly ActHandler[] => [
  handle(listOptouts, ({ caller: { accountId } }, { token_id: tokenId, peer, page = 1 }) =>
    asAccount(sql, accountId, async (tx) => {
      await requireToken(tx, accountId, tokenId);
      const which = { accountId, tokenId, peer };
      const offset = Math.max(0, page - 1) * PAGE_SIZE;
      const found = await readOptouts(tx, which, { limit: PAGE_SIZE, offset });
      const total = await countOptouts(tx, which);
      return { rows: found.map((one) => optoutOf(tokenId, one)), total };
    }),
  ),
  handle(addOptout, async ({ caller: { accountId } }, { token_id: tokenId, peer, reason }) => {
    const by = { source: 'portal', reason } as const;
    const stored = await store(sql, { accountId, tokenId, peer }, by);
    onStored();
    return optoutOf(tokenId, stored);
  }),
  handle(removeOptout, async ({ caller: { accountId } }, { token_id: tokenId, peer }) => {
    const removed = await asAccount(sql, accountId, async (tx) => {
      await requireToken(tx, accountId, tokenId);
      return deleteOptout(tx, { accountId, tokenId, peer });
    });
    onStored();
    return { removed };
  }),
];

const store = (sql: Sql, ref: OptoutRef, by: Parameters<typeof storeOptout>[2]) =>
  asAccount(sql, ref.accountId, async (tx) => {
    await lockOptouts(tx, ref.accountId);
    await requireToken(tx, ref.accountId, ref.tokenId);
    return storeOptout(tx, ref, by);
  });

const optoutOf = (tokenId: string, { peer, source, reason, created_at }: StoredOptout): Optout => ({
  token_id: publicId('token', tokenId),
  peer,
  source,
  reason,
  created_at,
});
