import { randomBytes, createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { areSecretsEqual } from '#server/domains/payments/gateways/wire.ts';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import { publicId } from '#contract/base/ids.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { simulatedPayment } from '#contract/simulator.ts';
import { handle } from '#server/infra/acts.ts';

type Answer = { status: number; body: object };
type SimulatedRequest = {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: Readonly<Record<string, unknown>>;
  now: Date;
};

const WIB_MS = 7 * 3_600_000;
/** A second implementation beside the adapter's: the format is Midtrans', not ours. */
const wib = (at: Date): string =>
  new Date(at.getTime() + WIB_MS).toISOString().replace('T', ' ').slice(0, 19);

const codes: Readonly<Record<string, string>> = {
  settlement: '200',
  capture: '200',
  cancel: '200',
  refund: '200',
  pending: '201',
  deny: '202',
  expire: '202',
};

const failure = (code: string, words: string, id = '0'): Answer => ({
  status: 200,
  body: { status_code: code, status_message: words, id },
});

const record = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

function simulateMidtrans(
  book: OrderBook,
  ask: SimulatedRequest,
  pageBase: string,
): Answer | undefined {
  const { method, path } = ask;
  if (method === 'POST' && path === '/v2/charge') return charge(book, ask);
  if (method === 'POST' && path === '/snap/v1/transactions') return snap(book, ask, pageBase);
  const [, id, what] = /^\/v2\/([^/]+)\/(status|cancel|expire|refund)$/.exec(path) ?? [];
  if (id === undefined) return undefined;
  const order = book.find(decodeURIComponent(id));
  if (order?.provider !== 'midtrans' || order.status === 'page') {
    return failure('404', "Transaction doesn't exist.");
  }
  if (order.isNamedByTxn && decodeURIComponent(id) !== order.txnId) {
    return failure('404', "Transaction doesn't exist.");
  }
  if (what === 'status') return statusOf(order);
  if (what === 'refund') return refund(order, ask.body);
  if (order.status !== 'pending') return failure('412', 'Transaction status cannot be updated.');
  order.status = what === 'cancel' ? 'cancel' : 'expire';
  const code = what === 'cancel' ? '200' : '407';
  return { status: 200, body: { ...transaction(order), status_code: code } };
}

function newOrder(
  book: OrderBook,
  { body, headers, now }: SimulatedRequest,
  kind: string,
): SimulatedOrder {
  const details = record(body['transaction_details']);
  const expiry = record(body['custom_expiry'] ?? body['expiry']);
  const minutes = Number(expiry['expiry_duration'] ?? expiry['duration'] ?? 1_440);
  const callback = headers['x-override-notification'];
  return book.make({
    provider: 'midtrans',
    orderId: String(details['order_id']),
    total: Number(details['gross_amount']),
    kind,
    createdAt: now,
    expiresAt: new Date(now.getTime() + minutes * 60_000),
    ...(kind === 'snap' && { status: 'page' as const }),
    ...(typeof callback === 'string' && { callback }),
    ...(typeof body['custom_field1'] === 'string' && { customField: body['custom_field1'] }),
  });
}

const isSummed = (body: Readonly<Record<string, unknown>>): boolean => {
  const items = Array.isArray(body['item_details']) ? body['item_details'].map(record) : [];
  const sum = items.reduce((all, one) => all + Number(one['price']) * Number(one['quantity']), 0);
  return sum === record(body['transaction_details'])['gross_amount'];
};

function charge(book: OrderBook, ask: SimulatedRequest): Answer {
  const { body } = ask;
  const orderId = String(record(body['transaction_details'])['order_id']);
  if (!isSummed(body)) return failure('400', 'gross_amount is not equal to the sum of items');
  if (book.find(orderId))
    return failure('406', 'The request could not be completed due to a conflict');
  const kind =
    body['payment_type'] === 'qris' ? 'qris' : String(record(body['bank_transfer'])['bank']);
  const order = newOrder(book, ask, kind);
  return { status: 200, body: { ...transaction(order), status_code: '201', ...shown(order) } };
}

function shown(order: SimulatedOrder): object {
  const expires = wib(order.expiresAt);
  if (order.kind === 'qris')
    return { qr_string: order.qr, expire_time: expires, acquirer: 'gopay' };
  if (order.kind === 'permata') return { permata_va_number: order.va, expiry_time: expires };
  return { va_numbers: [{ bank: order.kind, va_number: order.va }], expiry_time: expires };
}

function snap(book: OrderBook, ask: SimulatedRequest, pageBase: string): Answer {
  const orderId = String(record(ask.body['transaction_details'])['order_id']);
  if (!isSummed(ask.body)) {
    return { status: 400, body: { error_messages: ['gross_amount is not equal to the sum'] } };
  }
  if (book.find(orderId)) {
    const words = 'transaction_details.order_id has already been taken';
    return { status: 400, body: { error_messages: [words] } };
  }
  const { token } = newOrder(book, ask, 'snap');
  return { status: 201, body: { token, redirect_url: `${pageBase}/snap/${token}` } };
}

function statusOf(order: SimulatedOrder): Answer {
  const code = order.status === 'expire' ? '407' : (codes[order.status] ?? '200');
  const base = { ...transaction(order), status_code: code };
  // A status does not contain the QR.
  const instructions = order.kind === 'qris' || order.kind === 'snap' ? {} : shown(order);
  return { status: 200, body: { ...base, ...instructions } };
}

function refund(order: SimulatedOrder, body: Readonly<Record<string, unknown>>): Answer {
  if (order.kind !== 'qris' && order.kind !== 'snap') return failure('412', 'Not refundable.');
  const key = String(body['refund_key']);
  if (order.refundKeys.includes(key)) return failure('406', 'Duplicate refund key.');
  if (order.status !== 'settlement' && order.status !== 'partial_refund') {
    return failure('412', 'Transaction status cannot be updated.');
  }
  const returned = (order.returned ?? 0) + Number(body['amount']);
  if (returned > grossOf(order)) return failure('412', 'Refund amount exceeds the transaction.');
  order.refundKeys.push(key);
  order.returned = returned;
  order.status = returned === grossOf(order) ? 'refund' : 'partial_refund';
  return { status: 200, body: { ...transaction(order), status_code: '200', refund_key: key } };
}

const grossOf = ({ total, paidTotal, imposedFee = 0 }: SimulatedOrder): number =>
  (paidTotal ?? total) + imposedFee;

const imposed = (order: SimulatedOrder): object => ({
  metadata: {
    extra_info: {
      gross_amount_info: {
        original_amount: `${order.paidTotal ?? order.total}`,
        gross_amount: `${grossOf(order)}`,
        customer_imposed_payment_fee: `${order.imposedFee}`,
      },
    },
  },
});

function transaction(order: SimulatedOrder) {
  const status = order.status === 'page' ? 'pending' : order.status;
  return {
    transaction_id: order.txnId,
    order_id: order.isNamedByTxn ? order.txnId : order.orderId,
    merchant_id: 'G000000001',
    gross_amount: `${grossOf(order)}.00`,
    currency: 'IDR',
    payment_type: order.kind === 'qris' ? 'qris' : 'bank_transfer',
    transaction_time: wib(order.createdAt),
    // DANA sends its statuses in capitals.
    transaction_status: order.kind === 'snap' ? status.toUpperCase() : status,
    fraud_status: order.fraud,
    ...(order.returned !== undefined && { refund_amount: `${order.returned}.00` }),
    status_message: 'Success, transaction is found',
    ...(order.customField !== undefined && { custom_field1: order.customField }),
    ...(order.imposedFee !== undefined && imposed(order)),
  };
}

export function midtransNotice(order: SimulatedOrder, status: string, serverKey: string): object {
  const code = codes[status] ?? '200';
  const gross = `${grossOf(order)}.00`;
  const signed = `${order.orderId}${code}${gross}${serverKey}`;
  return {
    ...transaction(order),
    order_id: order.orderId,
    gross_amount: gross,
    transaction_status: status,
    status_message: 'midtrans payment notification',
    status_code: code,
    signature_key: createHash('sha512').update(signed).digest('hex'),
  };
}

/** Simulated failures. Changes apply to the next request. */
export type FailureMode = {
  latencyMs: number;
  /** The request takes effect, but the connection ends without an answer. */
  dropAnswer: boolean;
  /** Probability, from 0 to 1, of answering 500 and doing nothing. */
  error500: number;
  imposedFee: number;
  notices: NoticeMode;
};

export type SimulatedGateway = {
  url: string;
  keys: { serverKey: string; secretKey: string; callbackToken: string };
  mode: FailureMode;
  calls: string[];
  book: OrderBook;
  queue: Pick<NoticeQueue, 'flush'>;
  /**
   * Simulates an act of the payer or the expiry; a notice follows. @returns false when there is no such order, or it
   * has ended.
   */
  happen(orderId: string, outcome: SimulatedOutcome, more?: Partial<SimulatedOrder>): boolean;
  notify(orderId: string, status: string): void;
  close(): Promise<void>;
};

export type SimulatedOutcome = 'pay' | 'expire' | 'cancel' | 'deny' | 'refund' | 'refund_part';

export type SimulatedOptions = {
  /** Address for notices of a provider, for orders whose request had none. */
  callbackUrl?: (provider: string) => string | undefined;
  now?: () => Date;
  random?: () => number;
  /** False: only `queue.flush()` sends notices. */
  isAutomatic?: boolean;
  /** Delivers notices; default is an HTTP POST. @returns the answer's status. */
  deliver?: (notice: Notice) => Promise<number>;
};

const noFailures: NoticeMode = {
  copies: 1,
  shuffle: false,
  delayMs: 0,
  lose: 0,
  tamperStatus: false,
};

/** Speaks the protocols of Midtrans and Xendit on a loopback port. Orders live in memory until the process ends. */
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
    notices: { ...noFailures },
  };
  const book = openOrderBook(() => mode.imposedFee);
  const calls: string[] = [];
  const queue = openNoticeQueue({ now, random, mode: mode.notices, isAutomatic, deliver });
  const remember = openIdempotency();
  const server = await openLoopback(now, async (ask) => {
    calls.push(`${ask.method} ${ask.path}`);
    // Read once, because requests may change it meanwhile.
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

/** Replays the first successful answer to a POST with a key for five minutes, regardless of the body. */
function openIdempotency() {
  const saved = new Map<string, { answer: Answer; at: number }>();
  return ({ method, headers, now }: SimulatedRequest, answer: () => Answer): Answer => {
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

function answerOf(
  ask: SimulatedRequest,
  { book, keys, base }: { book: OrderBook; keys: Keys; base: string },
) {
  if (!isAllowed(ask, keys)) return { status: 401, body: { status_code: '401' } };
  const unknown = { status: 404, body: { status_code: '404' } };
  return simulateMidtrans(book, ask, base) ?? simulateXendit(book, ask, base) ?? unknown;
}

type NoticeSource = { status: string; keys: Keys; mode: FailureMode };

function noticeOf(
  order: SimulatedOrder,
  { status, keys, mode }: NoticeSource,
): Omit<Notice, 'url'> {
  const isMidtrans = order.provider === 'midtrans';
  const body = isMidtrans
    ? midtransNotice(order, status, keys.serverKey)
    : xenditNotice(order, status);
  const headers: Record<string, string> = isMidtrans
    ? { 'user-agent': 'Veritrans' }
    : { 'x-callback-token': keys.callbackToken };
  const sent = mode.notices.tamperStatus ? { ...body, ...tampered(order) } : body;
  return { order, headers, body: JSON.stringify(sent) };
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

const tampered = ({ provider, status }: SimulatedOrder): object => {
  const isPaid = status === 'settlement';
  return provider === 'midtrans'
    ? { transaction_status: isPaid ? 'cancel' : 'settlement' }
    : { status: isPaid ? 'EXPIRED' : 'PAID' };
};

function isAllowed({ path, headers }: SimulatedRequest, keys: Keys): boolean {
  const isXendit = /^\/(v2\/)?invoices/.test(path);
  const key = isXendit ? keys.secretKey : keys.serverKey;
  const given = String(headers['authorization'] ?? '');
  return areSecretsEqual(given, `Basic ${Buffer.from(`${key}:`).toString('base64')}`);
}

const BODY_BYTES_MAX = 65_536;

type Reply = Answer | 'page' | 'drop';

async function openLoopback(
  now: () => Date,
  answer: (ask: SimulatedRequest) => Promise<Reply>,
): Promise<{ url: string; close: () => Promise<void> }> {
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const reply = await answer(await readRequest(request, now()));
    if (reply === 'drop') request.socket.destroy();
    else send(response, reply);
  };
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function readRequest(request: IncomingMessage, now: Date): Promise<SimulatedRequest> {
  const url = new URL(request.url ?? '/', 'http://127.0.0.1');
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request) {
    bytes += part.length;
    if (bytes > BODY_BYTES_MAX) throw new Error('the body is too large');
    parts.push(part);
  }
  const text = Buffer.concat(parts).toString('utf8');
  const body: unknown = text === '' ? {} : JSON.parse(text);
  return {
    method: request.method ?? 'GET',
    path: url.pathname,
    query: url.searchParams,
    headers: request.headers,
    body: typeof body === 'object' && body !== null ? (body as SimulatedRequest['body']) : {},
    now,
  };
}

const PAGE = `<!doctype html><html lang="id"><meta charset="utf-8"><title>Pembayaran simulasi</title>
<h1>Pembayaran simulasi</h1><p>Di sini tidak ada uang sungguhan. Bayar lewat halaman Simulator.</p></html>`;

function send(response: ServerResponse, reply: Answer | 'page'): void {
  if (reply === 'page') {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(PAGE);
    return;
  }
  response
    .writeHead(reply.status, { 'content-type': 'application/json' })
    .end(JSON.stringify(reply.body));
}

function simulateXendit(
  book: OrderBook,
  ask: SimulatedRequest,
  pageBase: string,
): Answer | undefined {
  const { method, path, query, body, now } = ask;
  if (method === 'POST' && path === '/v2/invoices/') {
    const seconds = Number(body['invoice_duration'] ?? 86_400);
    const order = book.make({
      provider: 'xendit',
      orderId: String(body['external_id']),
      total: Number(body['amount']),
      kind: 'invoice',
      createdAt: now,
      expiresAt: new Date(now.getTime() + seconds * 1_000),
    });
    return { status: 200, body: invoice(order, pageBase) };
  }
  if (method === 'GET' && path === '/v2/invoices') {
    const found = book.all(query.get('external_id') ?? '');
    return { status: 200, body: found.map((one) => invoice(one, pageBase)) };
  }
  const [, id] =
    /^\/v2\/invoices\/([^/]+)$/.exec(path) ?? /^\/invoices\/([^/]+)\/expire!$/.exec(path) ?? [];
  if (id === undefined) return undefined;
  const order = book.find(decodeURIComponent(id));
  if (order?.provider !== 'xendit' || order.txnId !== decodeURIComponent(id)) {
    return { status: 404, body: { error_code: 'INVOICE_NOT_FOUND_ERROR', message: 'not found' } };
  }
  if (path.endsWith('/expire!')) {
    if (order.status !== 'pending') {
      return { status: 400, body: { error_code: 'INVOICE_EXPIRE_ERROR', message: 'not pending' } };
    }
    order.status = 'expire';
  }
  return { status: 200, body: invoice(order, pageBase) };
}

const words: Readonly<Record<string, string>> = {
  settlement: 'PAID',
  capture: 'SETTLED',
  expire: 'EXPIRED',
  cancel: 'EXPIRED',
  refund: 'SETTLED',
};

function invoice(order: SimulatedOrder, pageBase: string) {
  const isPaid = order.status === 'settlement' || order.status === 'capture';
  return {
    id: order.txnId,
    external_id: order.orderId,
    user_id: 'simulated',
    status: words[order.status] ?? 'PENDING',
    merchant_name: 'Kabari (simulasi)',
    amount: order.total,
    ...(isPaid && { paid_amount: order.paidTotal ?? order.total }),
    currency: 'IDR',
    expiry_date: order.expiresAt.toISOString(),
    invoice_url: `${pageBase}/invoice/${order.txnId}`,
    created: order.createdAt.toISOString(),
  };
}

export const xenditNotice = (order: SimulatedOrder, status: string): object => ({
  ...invoice(order, 'https://checkout.invalid'),
  status: words[status] ?? 'PENDING',
  payment_method: 'QRIS',
  payment_channel: 'QRIS',
});

type NoticeMode = {
  copies: number;
  shuffle: boolean;
  delayMs: number;
  /** Probability, from 0 to 1, of losing a notice. */
  lose: number;
  /** Notices have another status than the signed one. */
  tamperStatus: boolean;
};

type Notice = {
  order: SimulatedOrder;
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
};

type Waiting = { notice: Notice; dueAt: number; tries: number };

type NoticeQueue = {
  add(notice: Notice): void;
  flush(): Promise<number>;
  close(): void;
};

type NoticeOptions = {
  now: () => Date;
  random: () => number;
  mode: NoticeMode;
  isAutomatic: boolean;
  deliver: (notice: Notice) => Promise<number>;
};

const MINUTE_MS = 60_000;
const retryMinutes = {
  midtrans: [2, 10, 30, 90, 210],
  xendit: [15, 45, 120, 180, 360, 720],
} as const;

/** Number of retries after an HTTP status, as Midtrans documents it; Xendit retries after every failure. */
function triesAfter(provider: SimulatedOrder['provider'], status: number): number {
  if (status >= 200 && status < 300) return 0;
  if (provider === 'xendit') return retryMinutes.xendit.length;
  if (status === 500) return 1;
  if (status === 503) return 4;
  if (status === 400 || status === 404) return 2;
  return status >= 301 && status <= 303 ? 0 : retryMinutes.midtrans.length;
}

function openNoticeQueue(options: NoticeOptions): NoticeQueue {
  const { now, random, mode } = options;
  let waiting: Waiting[] = [];
  let timer: NodeJS.Timeout | undefined;

  const schedule = () => {
    clearTimeout(timer);
    const next = Math.min(...waiting.map(({ dueAt }) => dueAt));
    if (!options.isAutomatic || !Number.isFinite(next)) return;
    timer = setTimeout(() => void flush(), Math.max(0, next - now().getTime()));
    timer.unref();
  };
  const send = async (one: Waiting): Promise<void> => {
    const { notice } = one;
    const { provider } = notice.order;
    const status = await options.deliver(notice);
    if (one.tries >= triesAfter(provider, status)) return;
    const minutes = retryMinutes[provider][one.tries] ?? 0;
    waiting.push({
      notice,
      tries: one.tries + 1,
      dueAt: now().getTime() + minutes * MINUTE_MS * (0.9 + random() * 0.2),
    });
  };
  const flush = async (): Promise<number> => {
    const at = now().getTime();
    const due = waiting.filter(({ dueAt }) => dueAt <= at);
    waiting = waiting.filter(({ dueAt }) => dueAt > at);
    if (mode.shuffle) due.sort(() => random() - 0.5);
    for (const one of due) await send(one);
    schedule();
    return due.length;
  };
  return {
    add: (notice) => {
      if (random() < mode.lose) return;
      const dueAt = now().getTime() + mode.delayMs;
      for (let copy = 0; copy < mode.copies; copy++) waiting.push({ notice, dueAt, tries: 0 });
      schedule();
    },
    flush,
    close: () => {
      clearTimeout(timer);
      waiting = [];
    },
  };
}

/** @returns the HTTP status, 0 without an answer. */
export async function postNotice({ url, headers, body }: Notice): Promise<number> {
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(15_000),
    });
    await answer.body?.cancel();
    return answer.status;
  } catch {
    return 0;
  }
}

/** An order at the simulated gateway. `status` is the truth, which status requests return. */
export type SimulatedOrder = {
  provider: 'midtrans' | 'xendit';
  orderId: string;
  txnId: string;
  /** `qris`, `bca` … of a charge; `snap` and `invoice` until a method is selected on the page. */
  kind: string;
  total: number;
  paidTotal?: number;
  imposedFee?: number;
  status:
    | 'page'
    | 'pending'
    | 'settlement'
    | 'expire'
    | 'cancel'
    | 'deny'
    | 'refund'
    | 'partial_refund'
    | 'capture';
  fraud: 'accept' | 'challenge';
  token: string;
  va: string;
  qr: string;
  createdAt: Date;
  expiresAt: Date;
  callback?: string;
  customField?: string;
  refundKeys: string[];
  returned?: number;
  /** True for payment types whose status has the payment id in place of the order id. */
  isNamedByTxn: boolean;
};

type OrderBook = {
  make(
    facts: Pick<SimulatedOrder, 'provider' | 'orderId' | 'kind' | 'total' | 'createdAt'> &
      Partial<SimulatedOrder>,
  ): SimulatedOrder;
  /** Finds by our id, the id of the payment, or the token of the page. */
  find(id: string): SimulatedOrder | undefined;
  /** All orders with an id; Xendit allows several invoices. */
  all(orderId: string): SimulatedOrder[];
  tick(now: Date): SimulatedOrder[];
};

const DAY_MS = 86_400_000;

function openOrderBook(imposedFee: () => number = () => 0): OrderBook {
  const orders: SimulatedOrder[] = [];
  return {
    make: (facts) => {
      const txnId = facts.provider === 'xendit' ? randomBytes(12).toString('hex') : randomUUID();
      const order: SimulatedOrder = {
        txnId,
        status: 'pending',
        fraud: 'accept',
        token: randomUUID(),
        va: `8808${String(Math.floor(Math.random() * 1e12)).padStart(12, '0')}`,
        qr: `00020101021226650013ID.CO.SIMULASI0118${txnId.replaceAll('-', '').slice(0, 18)}5303360540${facts.total}5802ID5906KABARI6304ABCD`,
        expiresAt: new Date(facts.createdAt.getTime() + DAY_MS),
        refundKeys: [],
        isNamedByTxn: false,
        ...(imposedFee() > 0 && { imposedFee: imposedFee() }),
        ...facts,
      };
      orders.push(order);
      return order;
    },
    find: (id) => orders.find(({ orderId, txnId, token }) => [orderId, txnId, token].includes(id)),
    all: (orderId) => orders.filter((one) => one.orderId === orderId),
    tick: (now) => {
      // A page without a selected method sends no notice.
      const due = orders.filter(
        ({ status, expiresAt }) => status === 'pending' && expiresAt <= now,
      );
      for (const order of due) order.status = 'expire';
      return due;
    },
  };
}

export const simulatedPaymentHandler = (simulated: SimulatedGateway | undefined) =>
  handle(simulatedPayment, async (_call, { topup_id, outcome }) => {
    if (!simulated) throw new Refusal('act_unknown', {});
    return { done: simulated.happen(publicId('topup', topup_id), outcome) };
  });
