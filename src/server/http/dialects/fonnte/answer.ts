import { shownPeer } from '#contract/messages/peer.ts';
import type { Refusal } from '#contract/base/refusals.ts';
import type { Accepted, ApiMessage } from '#contract/rest/messages.ts';
import type { Device } from '#server/http/dialects/dialect.ts';
import { isDisconnect, reasonOf } from './errors.ts';
import type { Piece } from './read.ts';

/** The number that an answer goes by: as their clients store it, a whole number of 31 bits, made from the request's id. */
export const requestNumber = (requestId: string): number =>
  Number.parseInt(requestId.replaceAll(/[^0-9a-f]/g, '').slice(-8) || '0', 16) & 0x7fff_ffff;

/** One target of a call with what became of it. */
export type Outcome = { piece: Piece; result: Accepted | Refusal };

/**
 * What `/send` answers: the messages that were taken, each at the place of its target. Those that were not stand in
 * `rejected`, which is there only when there are any; when nothing was taken, the whole is refused for the first reason.
 *
 * @param at when the call came; of a repeat, when the first did, in ms since 1970
 */
export function sendAnswer(
  outcomes: readonly Outcome[],
  { requestId, at }: { requestId: string; at: number },
): object {
  const taken = outcomes.flatMap(({ piece, result }) =>
    isRefusal(result) ? [] : [{ target: piece.target, id: result.id }],
  );
  const rejected = outcomes.flatMap(({ piece, result }) =>
    isRefusal(result) ? [{ target: piece.target, reason: reasonOf(result) }] : [],
  );
  const scheduled = outcomes.some(({ piece: { plannedMs = at } }) => plannedMs > at);
  return {
    detail: scheduled
      ? 'success! message will be sent on scheduled time'
      : 'success! message in queue',
    id: taken.map(({ id }) => id),
    process: 'pending',
    requestid: requestNumber(requestId),
    status: true,
    target: taken.map(({ target }) => target),
    ...(rejected.length > 0 && { rejected }),
  };
}

const isRefusal = (result: Accepted | Refusal): result is Refusal => result instanceof Error;

/** A "no" to a call of an address, in the dialect's shape. */
export function noAnswer(no: Refusal, { id, path }: { id: string; path: string }): object {
  const reason = reasonOf(no, path);
  return {
    ...(isDisconnect(path) && { detail: reason }),
    reason,
    requestid: requestNumber(id),
    status: false,
  };
}

/** How far a message is, in the dialect's words. */
export function statusWord({ status, failure }: Pick<ApiMessage, 'status' | 'failure'>): string {
  switch (status) {
    case 'scheduled':
      return 'waiting';
    case 'accepted':
    case 'queued':
      return 'pending';
    case 'sending':
      return 'processing';
    case 'sent':
    case 'delivered':
    case 'read':
    case 'received':
      return 'sent';
    case 'expired':
    case 'cancelled':
      return 'expired';
    case 'failed':
      return failure?.code === 'media_unreachable' ? 'url unreachable' : 'invalid';
  }
}

/** What `/get-devices` answers: a key knows its own token alone, which stands there by its id. */
export const devicesAnswer = (device: Device): object => {
  const { id, name, phone, connected, sentToday, quota } = device;
  return {
    connected: connected ? 1 : 0,
    data: [
      {
        autoread: 'off',
        device: shownPeer(phone ?? ''),
        expired: '-',
        name,
        package: 'Kabari',
        quota: String(quota),
        status: connected ? 'connect' : 'disconnect',
        token: id,
      },
    ],
    devices: 1,
    messages: sentToday,
    status: true,
  };
};

/** What `/device` answers. There is no package, and the account does not run out by a day. */
export const deviceAnswer = ({ name, phone, connected, sentToday, quota }: Device): object => ({
  device: shownPeer(phone ?? ''),
  device_status: connected ? 'connect' : 'disconnect',
  expired: '-',
  messages: sentToday,
  name,
  package: 'Kabari',
  quota: String(quota),
  status: true,
});
