import { createHash } from 'node:crypto';
import type { OrderBook, SimulatedOrder } from './book.ts';

/** An answer of the simulated gateway: status, and what is sent as JSON. */
export type Answer = { status: number; body: object };
/** A request it takes. */
export type Ask = {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: Readonly<Record<string, unknown>>;
  now: Date;
};

const WIB_MS = 7 * 3_600_000;
/** Written a second time here, beside the adapter's: the wire is Midtrans', not ours. */
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

/** Midtrans' Core API and Snap, as they answer. */
export function askMidtrans(book: OrderBook, ask: Ask, pageBase: string): Answer | undefined {
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

function newOrder(book: OrderBook, { body, headers, now }: Ask, kind: string): SimulatedOrder {
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

function charge(book: OrderBook, ask: Ask): Answer {
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

function snap(book: OrderBook, ask: Ask, pageBase: string): Answer {
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
  // A status does not tell the QR again.
  const again = order.kind === 'qris' || order.kind === 'snap' ? {} : shown(order);
  return { status: 200, body: { ...base, ...again } };
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

/** Amount that the customer paid, with the fee that Midtrans imposes. */
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
    // DANA writes its states in capitals.
    transaction_status: order.kind === 'snap' ? status.toUpperCase() : status,
    fraud_status: order.fraud,
    ...(order.returned !== undefined && { refund_amount: `${order.returned}.00` }),
    status_message: 'Success, transaction is found',
    ...(order.customField !== undefined && { custom_field1: order.customField }),
    ...(order.imposedFee !== undefined && imposed(order)),
  };
}

/** A notice of a status, as Midtrans signs it. */
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
