import { Refusal } from '#contract/base/refusals.ts';
import type { NewMessage } from '#contract/rest/new-message.ts';
import { idFloor } from '#contract/base/ids.ts';
import { type Sql, type Tx, asAccount } from '#server/infra/postgres/database.ts';

/** So long after somebody has written, anything may be sent to them by the Cloud API; then only templates. */
const WINDOW_MS = 24 * 3_600_000;

/** Whether the window of a receiver is open when a message leaves. */
export type IsOpen = (message: NewMessage) => boolean;

/**
 * The windows of those whom messages of a token go to. Known before any money is held; Meta's own word, that one has
 * closed meanwhile, ends a message and gives its price back.
 */
export async function openWindows(
  { sql, now }: { sql: Sql; now: () => Date },
  { accountId, tokenId }: { accountId: string; tokenId: string },
  messages: readonly NewMessage[],
): Promise<IsOpen> {
  const peers = [...new Set(messages.filter(needsWindow).map(({ to }) => to))];
  if (peers.length === 0) return () => true;
  const lastInAt = await asAccount(sql, accountId, async (tx) => {
    const ref = { accountId, tokenId };
    const known = await lastInbound(tx, ref, peers);
    const closed = peers.filter(
      (peer) => (known.get(peer) ?? -Infinity) + WINDOW_MS <= now().getTime(),
    );
    if (closed.length === 0) return known;
    return new Map([...known, ...(await newestInbound(tx, { ...ref, now: now() }, closed))]);
  });
  return ({ to, send_at }) => {
    const leavesAtMs = Math.max(now().getTime(), Date.parse(send_at ?? '') || 0);
    return leavesAtMs < (lastInAt.get(to) ?? -Infinity) + WINDOW_MS;
  };
}

type Ref = { accountId: string; tokenId: string };

/** When each of them last wrote, as their conversations have it: behind by what is not published yet. */
async function lastInbound(
  tx: Tx,
  { accountId, tokenId }: Ref,
  peers: readonly string[],
): Promise<Map<string, number>> {
  const rows = await tx<{ peer: string; last_in_at: Date }[]>`
    select peer, last_in_at from conversations
    where account_id = ${accountId} and token_id = ${tokenId}
      and peer = any (${[...peers]}::text[]) and last_in_at is not null`;
  return new Map(rows.map(({ peer, last_in_at }) => [peer, last_in_at.getTime()]));
}

/** When each of them last wrote within the window, as the messages themselves have it. */
async function newestInbound(
  tx: Tx,
  { accountId, tokenId, now }: Ref & { now: Date },
  peers: readonly string[],
): Promise<Map<string, number>> {
  const rows = await tx<{ peer: string; at: Date }[]>`
    select asked.peer, m.created_at as at
    from unnest(${[...peers]}::text[]) as asked(peer)
    cross join lateral (
      select x.created_at from messages x
      where x.account_id = ${accountId} and x.peer = asked.peer and x.token_id = ${tokenId}
        and x.direction = 'in' and x.message_id > ${idFloor(now.getTime() - WINDOW_MS)}
      order by x.message_id desc limit 1
    ) m`;
  return new Map(rows.map(({ peer, at }) => [peer, at.getTime()]));
}

const needsWindow = ({ type }: NewMessage): boolean => type !== 'template';

/** The refusal of a message whose receiver's window is closed. */
export const refuseClosed = (
  message: NewMessage,
  isOpen: IsOpen | undefined,
): Refusal | undefined =>
  isOpen === undefined || !needsWindow(message) || isOpen(message)
    ? undefined
    : new Refusal('window_closed', {});
