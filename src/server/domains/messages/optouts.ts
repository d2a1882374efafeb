import { publicId } from '#contract/base/ids.ts';
import * as optouts from '#contract/messages/optouts.ts';
import type { OptoutSource, Optout, ApiOptout } from '#contract/messages/optouts.ts';
import { API_LIMITS } from '#contract/rest/endpoint.ts';
import type { ApiHandlers } from '#server/infra/endpoints.ts';
import { appendEvent } from '#server/domains/events/events.ts';
import { withdrawMessages } from '#server/domains/messages/dispatch/withdraw.ts';
import { type Sql, type Tx, asAccount } from '#server/infra/postgres/database.ts';
import { PAGE_SIZE } from '#contract/base/act.ts';
import { shownName } from '#server/domains/messages/contacts.ts';
import { requireToken } from '#server/domains/tokens/tokens.ts';
import { type ActHandler, handle } from '#server/infra/acts.ts';
import { shownPeer } from '#contract/messages/peer.ts';

export type OptoutRef = { accountId: string; tokenId: string; peer: string };

export type StoredOptout = {
  peer: string;
  peer_name: string | null;
  source: OptoutSource;
  reason: string | null;
  created_at: Date;
};

/** Call it first in a transaction that may store an opt-out. */
export async function lockOptouts(tx: Tx, accountId: string): Promise<void> {
  await tx`select lock_optouts(${accountId})`;
}

/**
 * Opts a phone out of a token's messages, for every source of opt-outs. Cancels waiting messages to it, scheduled or
 * queued. The first time it is announced (`optout.added`), in the same transaction; a repeat leaves the first one
 * unchanged.
 */
export async function storeOptout(
  tx: Tx,
  { accountId, tokenId, peer }: OptoutRef,
  { source, reason }: { source: OptoutSource; reason?: string | undefined },
): Promise<StoredOptout> {
  const added = await tx`
    insert into optouts (account_id, token_id, peer, source, reason)
    values (${accountId}, ${tokenId}, ${peer}, ${source}, ${reason ?? null})
    on conflict do nothing`;
  await withdrawOptedOut(tx, { accountId, tokenId, peer });
  if (added.count > 0) {
    const data = { token_id: publicId('token', tokenId), peer, source };
    await appendEvent(tx, { accountId, kind: 'optout.added', data });
  }
  const [stored] = await readOptouts(tx, { accountId, tokenId, peer }, { limit: 1, offset: 0 });
  // Removed between the two statements by a concurrent call.
  return (
    stored ?? { peer, peer_name: null, source, reason: reason ?? null, created_at: new Date() }
  );
}

/**
 * Cancels messages that wait for a phone that opted out of a token, scheduled ones included; their price is released.
 * Messages in flight are still sent. Codes of the installation's own token are not cancelled, since the receiver
 * requested them.
 * Called under `lockOptouts`. Locks what `withdraw_messages` locks.
 */
async function withdrawOptedOut(tx: Tx, { accountId, tokenId, peer }: OptoutRef): Promise<void> {
  const waiting = await tx<{ id: string }[]>`
    select d.message_id as id from dispatch d
    join tokens t on t.account_id = d.account_id and t.token_id = d.token_id
    where d.account_id = ${accountId} and d.token_id = ${tokenId} and d.peer = ${peer}
      and not (t.is_system and d.priority = 0)`;
  const ids = waiting.map(({ id }) => id);
  if (ids.length > 0) await withdrawMessages(tx, { accountId, ids, outcome: 'cancelled' });
}

/** Removes an opt-out, and notifies open pages. @returns false when there was none */
export async function deleteOptout(
  tx: Tx,
  { accountId, tokenId, peer }: OptoutRef,
): Promise<boolean> {
  const removed = await tx`
    delete from optouts
    where account_id = ${accountId} and token_id = ${tokenId} and peer = ${peer} returning 1`;
  if (removed.length === 0) return false;
  const data = { token_id: publicId('token', tokenId), peer };
  await appendEvent(tx, { accountId, kind: 'optout.removed', data });
  return true;
}

export async function hasOptedOut(
  allAccountsSql: Sql,
  { accountId, tokenId }: { accountId: string; tokenId: string },
  peer: string,
): Promise<boolean> {
  const found = await allAccountsSql`
    select from optouts
    where account_id = ${accountId} and token_id = ${tokenId} and peer = ${peer}`;
  return found.length > 0;
}

export async function optedOutOf(
  tx: Tx,
  { accountId, tokenId }: { accountId: string; tokenId: string },
): Promise<string[]> {
  const found = await tx<{ peer: string }[]>`
    select peer from optouts where account_id = ${accountId} and token_id = ${tokenId}`;
  return found.map(({ peer }) => peer);
}

type Which = { accountId: string; tokenId: string; peer?: string | undefined };

/** Opt-outs of a token, newest first from `offset` on, or by phone from the one `after`. */
type Page = { limit: number } & ({ offset: number } | { after: string | undefined });

export function readOptouts(
  tx: Tx,
  { accountId, tokenId, peer }: Which,
  page: Page,
): Promise<StoredOptout[]> {
  const isPaged = 'offset' in page;
  const order = isPaged
    ? tx`order by o.created_at desc, o.peer limit ${page.limit} offset ${page.offset}`
    : tx`and o.peer > ${page.after ?? ''} order by o.peer limit ${page.limit}`;
  return tx<StoredOptout[]>`
    select o.peer, ${shownName(tx, accountId, tx`o.peer`)} as peer_name, o.source, o.reason,
      o.created_at
    from optouts o
    left join conversations c
      on c.account_id = ${accountId} and c.token_id = ${tokenId} and c.peer = o.peer
    where o.account_id = ${accountId} and o.token_id = ${tokenId}
      ${peer === undefined ? tx`` : tx`and o.peer = ${peer}`} ${order}`;
}

export async function countOptouts(tx: Tx, { accountId, tokenId, peer }: Which): Promise<number> {
  const [found] = await tx<{ count: number }[]>`
    select count(*) as count from optouts
    where account_id = ${accountId} and token_id = ${tokenId}
      ${peer === undefined ? tx`` : tx`and peer = ${peer}`}`;
  return found?.count ?? 0;
}

type Deps = {
  sql: Sql;
  /** Called after an opt-out was stored or removed: the outbox has grown. */
  onStored: () => void;
};

export const optoutActs = ({ sql, onStored }: Deps): readonly ActHandler[] => [
  handle(optouts.listOptouts, ({ caller: { accountId } }, { token_id: tokenId, peer, page = 1 }) =>
    asAccount(sql, accountId, async (tx) => {
      await requireToken(tx, accountId, tokenId);
      const which = { accountId, tokenId, peer };
      const offset = Math.max(0, page - 1) * PAGE_SIZE;
      const found = await readOptouts(tx, which, { limit: PAGE_SIZE, offset });
      const total = await countOptouts(tx, which);
      return { rows: found.map((one) => optoutOf(tokenId, one)), total };
    }),
  ),
  handle(
    optouts.addOptout,
    async ({ caller: { accountId } }, { token_id: tokenId, peer, reason }) => {
      const by = { source: 'portal', reason } as const;
      const stored = await store(sql, { accountId, tokenId, peer }, by);
      onStored();
      return optoutOf(tokenId, stored);
    },
  ),
  handle(optouts.removeOptout, async ({ caller: { accountId } }, { token_id: tokenId, peer }) => {
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

const optoutOf = (tokenId: string, stored: StoredOptout): Optout => ({
  token_id: publicId('token', tokenId),
  ...stored,
});

/** The endpoints of a token's own opt-outs. Removing a missing one changes nothing. */
export const optoutEndpoints = ({
  sql,
  onStored,
}: Deps): ApiHandlers<keyof typeof optouts.optoutEndpoints> => ({
  listOptOuts: ({
    sender: { accountId, tokenId },
    query: { phone: peer, cursor, limit = API_LIMITS.page },
  }) =>
    asAccount(sql, accountId, async (tx) => {
      const which = { accountId, tokenId, peer };
      const found = await readOptouts(tx, which, { limit: limit + 1, after: cursor });
      const shown = found.slice(0, limit);
      const last = shown.at(-1);
      return {
        data: shown.map(apiOptoutOf),
        next_cursor: found.length > limit && last ? shownPeer(last.peer) : null,
      };
    }),
  addOptOut: async ({ sender: { accountId, tokenId }, body: { phone: peer, reason } }) => {
    const stored = await asAccount(sql, accountId, async (tx) => {
      await lockOptouts(tx, accountId);
      return storeOptout(tx, { accountId, tokenId, peer }, { source: 'api', reason });
    });
    onStored();
    return apiOptoutOf(stored);
  },
  removeOptOut: async ({ sender: { accountId, tokenId }, query: { phone: peer } }) => {
    await asAccount(sql, accountId, (tx) => deleteOptout(tx, { accountId, tokenId, peer }));
    onStored();
  },
});

const apiOptoutOf = ({ peer, peer_name: name, ...stored }: StoredOptout): ApiOptout => ({
  phone: shownPeer(peer),
  name,
  ...stored,
});
