import type { OrderBook, SimulatedOrder } from './book.ts';
import type { Answer, Ask } from './midtrans-wire.ts';

/** Xendit's invoices, as they answer. */
export function askXendit(book: OrderBook, ask: Ask, pageBase: string): Answer | undefined {
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

/** A callback about an invoice; it is not signed. */
export const xenditNotice = (order: SimulatedOrder, status: string): object => ({
  ...invoice(order, 'https://checkout.invalid'),
  status: words[status] ?? 'PENDING',
  payment_method: 'QRIS',
  payment_channel: 'QRIS',
});
