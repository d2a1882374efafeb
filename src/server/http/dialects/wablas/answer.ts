import { shownPeer } from '#contract/messages/peer.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { Accepted, ApiMessage } from '#contract/rest/messages.ts';
import type { Device } from '#server/http/dialects/dialect.ts';
import { messageOf } from './errors.ts';
import { dialectId } from './ids.ts';
import type { Piece } from './read.ts';
import { inWib } from './times.ts';

const PENDING = 'Message is pending and waiting to be processed';
const SAVED = 'Scheduled Messages is succesfully saved and waiting to be processed';

/** One phone of a call with what became of it. */
export type Outcome = { piece: Piece; result: Accepted | Refusal };

/** A "no" in the dialect's shape. */
export const noAnswer = (no: Refusal): object => ({ status: false, message: messageOf(no) });

/** What the addresses that send answer: a row for each phone, in order, also for those that were refused. */
export const sendAnswer = (outcomes: readonly Outcome[], device: Device): object => ({
  status: true,
  message: PENDING,
  data: {
    device_id: device.id,
    quota: device.quota,
    messages: outcomes.map(({ piece, result }) =>
      result instanceof Refusal
        ? refusedRow(piece, result)
        : {
            id: dialectId(result.id),
            phone: piece.phone,
            ...piece.shown,
            status: 'pending',
            ref_id: piece.refId ?? null,
          },
    ),
  },
});

const refusedRow = ({ phone }: Piece, no: Refusal) => ({
  id: null,
  phone,
  message: messageOf(no),
  status: false,
});

/** What planning one text answers. */
export const planAnswer = (outcomes: readonly Outcome[], phones: readonly string[]): object => ({
  status: true,
  category: 'text',
  message: SAVED,
  'phones list': phones,
  messages: outcomes.map(({ piece, result }) =>
    result instanceof Refusal
      ? refusedRow(piece, result)
      : {
          id: dialectId(result.id),
          phone: piece.phone,
          message: piece.shown['message'] ?? null,
          status: true,
          timezone: piece.planned?.timezone,
          schedule_at: piece.planned?.schedule_at,
        },
  ),
});

/** What planning many answers. */
export const plansAnswer = (outcomes: readonly Outcome[]): object => ({
  status: true,
  message: PENDING,
  data: {
    messages: outcomes.map(({ piece, result }) => {
      if (result instanceof Refusal) return refusedRow(piece, result);
      const { message, caption, image, document, video, audio } = piece.shown;
      return {
        id: dialectId(result.id),
        phone: piece.phone,
        messages: message ?? caption ?? null,
        file: image ?? document ?? video ?? audio ?? null,
        timezone: piece.planned?.timezone,
        schedule_at: piece.planned?.schedule_at,
      };
    }),
  },
});

/** What cancelling answers for one message. */
export const cancelledRow = (message: ApiMessage): object => ({
  id: dialectId(message.id),
  phone: message.peer,
  message: wordsOf(message),
  status: 'cancel',
});

/** What cancelling answers for one that was not cancelled. */
export const keptRow = (no: Refusal): object => ({ message: messageOf(no), status: false });

/** What the sender's own address answers. */
export const deviceAnswer = ({ id, name, phone, connected, quota }: Device): object => ({
  status: true,
  data: {
    name,
    serial: id,
    sender: shownPeer(phone ?? ''),
    quota,
    expired_date: null,
    active: true,
    status: connected ? 'connected' : 'disconnected',
  },
});

/** How far a message is, in the dialect's words. */
export function statusWord(status: ApiMessage['status']): string {
  switch (status) {
    case 'scheduled':
    case 'accepted':
    case 'queued':
    case 'sending':
      return 'pending';
    case 'delivered':
    case 'received':
      return 'received';
    case 'sent':
    case 'read':
      return status;
    case 'cancelled':
      return 'cancel';
    case 'failed':
    case 'expired':
      return 'reject';
  }
}

/** The words of a message: its text, or what stands under its file. */
export function wordsOf({ content }: Pick<ApiMessage, 'content'>): string | null {
  for (const name of ['text', 'body', 'caption']) {
    const value = content[name];
    if (typeof value === 'string') return value;
  }
  return null;
}

/** A message in a report. */
export function reportRow(message: ApiMessage, from: string | null) {
  const { content, created_at: at, id, peer, status, type } = message;
  const link = content['link'];
  const refId = refIdOf(content);
  return {
    id: dialectId(id),
    phone: { from: shownPeer(from ?? ''), to: peer },
    category: type,
    text: wordsOf(message),
    file: typeof link === 'string' ? link : null,
    status: statusWord(status),
    type: 'agent',
    ref_id: refId,
    date: { created_at: inWib(at), updated_at: inWib(at) },
  };
}

function refIdOf(content: ApiMessage['content']): string | null {
  const metadata = content['metadata'];
  if (typeof metadata !== 'object' || metadata === null) return null;
  const refId = (metadata as Record<string, unknown>)['ref_id'];
  return typeof refId === 'string' ? refId : null;
}
