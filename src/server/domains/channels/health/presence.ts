import { isolated } from '#contract/base/names.ts';
import {
  type Parting,
  type Restriction,
  partings,
  restrictions,
} from '#contract/tokens/connection.ts';
import { publicId } from '#contract/base/ids.ts';
import type { ChannelName } from '#contract/tokens.ts';
import {
  type TokenRef,
  type TokenSubscribers,
  setPresence,
} from '#server/domains/tokens/tokens.ts';
import type { Tx } from '#server/infra/postgres/database.ts';
import { markConnected, markParted, markRestricted } from './health.ts';

/** What the owners of a number are told, on their browsers. */
type Notice = { accountId: string; title: string; body: string; url: string; tag: string };

/** What is told of numbers, and to whom. */
export type PresenceDeps = {
  subscribers: TokenSubscribers;
  queueNotice: (tx: Tx, notice: Notice) => Promise<void>;
  now: () => Date;
};

export type ChannelRef = TokenRef & { channel: ChannelName };

/** Whether a token still uses this channel; it stays so until COMMIT. What a channel tells of a token that has left it is dropped. */
export async function isOfChannel(
  tx: Tx,
  { accountId, tokenId, channel }: ChannelRef,
): Promise<boolean> {
  const [token] = await tx`
    select 1 from tokens
    where account_id = ${accountId} and token_id = ${tokenId} and channel = ${channel}
      and deleted_at is null
    for no key update`;
  return token !== undefined;
}

/** A number can send again, and what waited for it leaves. Safe to repeat. */
export async function connectNumber(
  tx: Tx,
  { subscribers, now }: PresenceDeps,
  ref: ChannelRef,
): Promise<void> {
  if (!(await isOfChannel(tx, ref))) return;
  await markConnected(tx, ref, now());
  await setPresence(tx, subscribers, { ...ref, to: 'linked' });
}

/**
 * Disconnects the token of a number that cannot send for now, and tells its owner once why and what to do; not again
 * after a mere retry (`isAgain`).
 *
 * @param tx the transaction of the cause.
 */
export async function partNumber(
  tx: Tx,
  { subscribers, queueNotice, now }: PresenceDeps,
  { isAgain = false, ...ref }: ChannelRef & { isAgain?: boolean },
  reason: Parting,
): Promise<void> {
  if (!(await isOfChannel(tx, ref))) return;
  const isNew = await markParted(tx, ref, { reason, at: now() });
  const name = await setPresence(tx, subscribers, { ...ref, to: 'disconnected' });
  if (!isNew || isAgain || name === undefined) return;
  await queueNotice(tx, noticeOf(ref, `Token "${isolated(name)}" terputus`, partings[reason]));
}

/** A network restricts a number, or no longer does: its owner is told once, in both cases the page shows it. */
export async function restrictNumber(
  tx: Tx,
  { subscribers, queueNotice, now }: PresenceDeps,
  ref: ChannelRef,
  { kind, until }: { kind: Restriction | undefined; until?: Date },
): Promise<void> {
  if (!(await isOfChannel(tx, ref))) return;
  if (!(await markRestricted(tx, ref, { kind, until, at: now() }))) return;
  await subscribers.tokenChanged(tx, ref);
  if (kind === undefined) return;
  const [token] = await tx<{ name: string }[]>`
    select name from tokens where account_id = ${ref.accountId} and token_id = ${ref.tokenId}`;
  if (!token) return;
  await queueNotice(
    tx,
    noticeOf(ref, `Token "${isolated(token.name)}" dibatasi`, restrictions[kind]),
  );
}

export const noticeOf = (
  { accountId, tokenId }: TokenRef,
  title: string,
  body: string,
): Notice => ({
  accountId,
  title,
  body,
  url: `/token?open=${publicId('token', tokenId)}`,
  tag: `connection:${publicId('token', tokenId)}`,
});
