import type { Outgoing, SendResult } from '#server/domains/channels/channels.ts';
import type { EngineSocket } from '#server/domains/channels/web/engine/engine.ts';
import type { WebDeps } from '#server/domains/channels/web/web-deps.ts';
import { restrictedUntil } from '#server/domains/channels/web/sockets/numbers.ts';
import { withTimeout } from '#server/infra/with-timeout.ts';
import { beginChat, forgetChat, isChatKnown } from './chats.ts';
import { engineMessageOf } from './content.ts';
import { paceOf } from './pace.ts';
import { failureOf } from './refusals.ts';
import { noteAcknowledged, noteLeaving } from './sent-storage.ts';

export type SendingPhone = {
  readonly openSocket: EngineSocket | undefined;
  readonly firstLinkedAt: Date;
  holdsLease(): Promise<boolean>;
  refused(code: number): Promise<void>;
};

const AWAY_MS = 5_000;
/** A longer restriction fails the first message of a chat at once: waiting would hide it. */
const WAIT_MS_MAX = 24 * 3_600_000;

/**
 * Sends one message by a number. A message begins a chat only if the network and the number's age allow it.
 *
 * @throws if the network did not answer: it may have the message. `StoreAway`, before anything has left, if the
 *   message's file cannot be read now
 */
export async function sendMessage(
  deps: WebDeps,
  phone: SendingPhone,
  message: Outgoing,
  signal: AbortSignal,
): Promise<SendResult> {
  const { allAccountsSql: sql } = deps;
  const { accountId, tokenId, to: peer } = message;
  const chat = { accountId, tokenId, peer };
  const { isAcknowledged } = await noteLeaving(sql, message);
  if (isAcknowledged) return { outcome: 'sent' };

  const isNewChat = !(await isChatKnown(sql, chat));
  const refused = isNewChat ? await refusalOfNewChat(deps, phone, chat) : undefined;
  if (refused) return refused;
  const engineMessage = await engineMessageOf(message, deps.readFile).catch(
    async (error: unknown) => {
      if (isNewChat) await forgetChat(sql, chat);
      throw error;
    },
  );
  if (!engineMessage) return { outcome: 'failed', failure: 'media_unreachable' };
  const isOurs = await phone.holdsLease();
  const socket = phone.openSocket;
  if (!isOurs || !socket || signal.aborted) {
    if (isNewChat) await forgetChat(sql, chat);
    return { outcome: 'later', afterMs: AWAY_MS, failure: 'not_linked' };
  }
  const answer = await withTimeout(
    socket.send({ ...engineMessage, isNewChat }),
    deps.timings.sendMs,
    () => {
      throw new Error('WhatsApp did not acknowledge a message');
    },
  );
  switch (answer.outcome) {
    case 'acknowledged':
      await noteAcknowledged(sql, message);
      return { outcome: 'sent' };
    case 'not_on_whatsapp':
      await forgetChat(sql, chat);
      return { outcome: 'failed', failure: 'not_on_whatsapp' };
    case 'refused':
      if (isNewChat) await forgetChat(sql, chat);
      await phone.refused(answer.code);
      return { outcome: 'failed', failure: failureOf(answer.code) };
  }
}

type Chat = { accountId: string; tokenId: string; peer: string };

/** The reason that a message may not begin a chat now; undefined if it does. */
async function refusalOfNewChat(
  { allAccountsSql: sql }: WebDeps,
  { firstLinkedAt }: SendingPhone,
  chat: Chat,
): Promise<SendResult | undefined> {
  const now = new Date();
  const until = await restrictedUntil(sql, chat);
  if (until) {
    const afterMs = Math.max(1_000, until.getTime() - now.getTime());
    const failure = 'number_restricted';
    return afterMs > WAIT_MS_MAX
      ? { outcome: 'failed', failure }
      : { outcome: 'later', afterMs, failure };
  }
  const waitMs = await beginChat(sql, chat, paceOf(firstLinkedAt, now).newChatsPerDay);
  return waitMs === 0 ? undefined : { outcome: 'later', afterMs: waitMs, failure: 'rate_limited' };
}
