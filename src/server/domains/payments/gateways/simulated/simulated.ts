import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isSame } from '#server/domains/payments/gateways/wire.ts';
import { openLoopback } from './loopback.ts';
import { type OrderBook, type SimulatedOrder, openOrderBook } from './book.ts';
import { type Answer, type Ask, askMidtrans, midtransNotice } from './midtrans-wire.ts';
import {
  type Notice,
  type NoticeMode,
  type NoticeQueue,
  openNoticeQueue,
  postNotice,
} from './notices.ts';
import { askXendit, xenditNotice } from './xendit-wire.ts';

/** How the simulated gateway fails. Changed at any time; it counts for the next request. */
export type FailureMode = {
  latencyMs: number;
  /** What was asked is done, and the connection ends without an answer. */
  dropAnswer: boolean;
  /** From 0, never, to 1: answers 500 and does nothing. */
  error500: number;
  /** The fee that Midtrans adds to the orders made from now on; 0 for none. */
  imposedFee: number;
  notices: NoticeMode;
};

export type SimulatedGateway = {
  url: string;
  keys: { serverKey: string; secretKey: string; callbackToken: string };
  mode: FailureMode;
  /** Every request it got: `POST /v2/charge`. */
  calls: string[];
  book: OrderBook;
  queue: Pick<NoticeQueue, 'flush'>;
  /**
   * What happens to an order outside: its payer acts, or its time passes. A notice follows.
   *
   * @returns false when there is no such order, or it has come to its end.
   */
  happen(orderId: string, outcome: SimulatedOutcome, more?: Partial<SimulatedOrder>): boolean;
  /** Sends a notice of a status, true or not. */
  notify(orderId: string, status: string): void;
  close(): Promise<void>;
};

export type SimulatedOutcome = 'pay' | 'expire' | 'cancel' | 'deny' | 'refund' | 'refund_part';

export type SimulatedOptions = {
  /** Where notices go that no request named an address for: the address of the callbacks of a provider. */
  callbackUrl?: (provider: string) => string | undefined;
  now?: () => Date;
  random?: () => number;
  /** False: notices leave only by `queue.flush()`. */
  isAutomatic?: boolean;
  /** How notices reach the application; posted without it. @returns the answer's status. */
  deliver?: (notice: Notice) => Promise<number>;
};

const calm: NoticeMode = {
  copies: 1,
  shuffle: false,
  delayMs: 0,
  lose: 0,
  tamperStatus: false,
};

/**
 * A server on a loopback port that speaks the wires of Midtrans and Xendit, with keys of its own. Its
 * orders are in memory: they are gone with the process.
 */
export async function openSimulatedGateway(
  options: SimulatedOptions = {},
): Promise<SimulatedGateway> {
  const { now = () => new Date(), random = Math.random, isAutomatic = true } = options;
  const { deliver = postNotice } = options;
  const key = (prefix: string) => prefix + randomBytes(18).toString('hex');
  const keys = {
    serverKey: key('SB-Mid-server-'),
    secretKey: key('xnd_development_'),
    callbackToken: key(''),
  };
  const mode: FailureMode = {
    latencyMs: 0,
    dropAnswer: false,
    error500: 0,
    imposedFee: 0,
    notices: { ...calm },
  };
  const book = openOrderBook(() => mode.imposedFee);
  const calls: string[] = [];
  const queue = openNoticeQueue({ now, random, mode: mode.notices, isAutomatic, deliver });
  const remember = openIdempotency();
  const server = await openLoopback(now, async (ask) => {
    calls.push(`${ask.method} ${ask.path}`);
    // Read once: what is asked meanwhile may change it.
    const { dropAnswer, latencyMs } = mode;
    if (latencyMs > 0) await sleep(latencyMs);
    if (/^\/(snap|invoice)\/[\w-]+$/.test(ask.path)) return 'page';
    for (const { orderId } of book.tick(ask.now)) notify(orderId, 'expire');
    const base = `http://${String(ask.headers['host'])}`;
    const answer =
      random() < mode.error500 ? broken : remember(ask, () => answerOf(ask, { book, keys, base }));
    return dropAnswer ? 'drop' : answer;
  });
  const notify = (orderId: string, status: string): void => {
    const order = book.find(orderId);
    const url = order && (order.callback ?? options.callbackUrl?.(order.provider));
    if (order && url !== undefined) queue.add({ ...noticeOf(order, { status, keys, mode }), url });
  };
  return {
    url: server.url,
    keys,
    mode,
    calls,
    book,
    queue,
    notify,
    happen: (orderId, outcome, more = {}) => {
      const order = book.find(orderId);
      if (!order || !canHappen(order, outcome)) return false;
      const returned = outcome === 'refund_part' && { returned: Math.floor(order.total / 2) };
      Object.assign(order, { status: statuses[outcome] }, returned, more);
      notify(orderId, order.status);
      return true;
    },
    close: async () => {
      queue.close();
      await server.close();
    },
  };
}

const broken: Answer = { status: 500, body: { status_code: '500' } };

const IDEMPOTENT_MS = 5 * 60_000;

/** The first good answer to a POST with a key, again, for five minutes: whatever it asks for. */
function openIdempotency() {
  const saved = new Map<string, { answer: Answer; at: number }>();
  return ({ method, headers, now }: Ask, answer: () => Answer): Answer => {
    const key = headers['idempotency-key'];
    if (method !== 'POST' || typeof key !== 'string') return answer();
    const known = saved.get(key);
    if (known && now.getTime() - known.at < IDEMPOTENT_MS) return known.answer;
    const made = answer();
    const code = 'status_code' in made.body ? Number(made.body.status_code) : made.status;
    if (code < 300) saved.set(key, { answer: made, at: now.getTime() });
    return made;
  };
}

type Keys = SimulatedGateway['keys'];

function answerOf(ask: Ask, { book, keys, base }: { book: OrderBook; keys: Keys; base: string }) {
  if (!isAllowed(ask, keys)) return { status: 401, body: { status_code: '401' } };
  const unknown = { status: 404, body: { status_code: '404' } };
  return askMidtrans(book, ask, base) ?? askXendit(book, ask, base) ?? unknown;
}

type Telling = { status: string; keys: Keys; mode: FailureMode };

function noticeOf(order: SimulatedOrder, { status, keys, mode }: Telling): Omit<Notice, 'url'> {
  const isMidtrans = order.provider === 'midtrans';
  const body = isMidtrans
    ? midtransNotice(order, status, keys.serverKey)
    : xenditNotice(order, status);
  const headers: Record<string, string> = isMidtrans
    ? { 'user-agent': 'Veritrans' }
    : { 'x-callback-token': keys.callbackToken };
  const told = mode.notices.tamperStatus ? { ...body, ...tampered(order) } : body;
  return { order, headers, body: JSON.stringify(told) };
}

const statuses = {
  pay: 'settlement',
  expire: 'expire',
  cancel: 'cancel',
  deny: 'deny',
  refund: 'refund',
  refund_part: 'partial_refund',
} as const;

function canHappen({ status }: SimulatedOrder, outcome: SimulatedOutcome): boolean {
  if (outcome === 'refund' || outcome === 'refund_part')
    return status === 'settlement' || status === 'capture';
  return status === 'page' || status === 'pending' || status === 'deny';
}

/** The opposite word, under the same signature. */
const tampered = ({ provider, status }: SimulatedOrder): object => {
  const isPaid = status === 'settlement';
  return provider === 'midtrans'
    ? { transaction_status: isPaid ? 'cancel' : 'settlement' }
    : { status: isPaid ? 'EXPIRED' : 'PAID' };
};

function isAllowed({ path, headers }: Ask, keys: Keys): boolean {
  const isXendit = /^\/(v2\/)?invoices/.test(path);
  const key = isXendit ? keys.secretKey : keys.serverKey;
  const given = String(headers['authorization'] ?? '');
  return isSame(given, `Basic ${Buffer.from(`${key}:`).toString('base64')}`);
}
