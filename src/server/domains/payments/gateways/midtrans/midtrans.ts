import {
  type GatewayOrder,
  type CreateResult,
  type GatewayRef,
  type GatewayStatus,
  GatewayTrouble,
  type PaymentGateway,
  type RefundRequest,
  type RefundResult,
} from '#server/domains/payments/gateways/gateway.ts';
import { type GatewayAnswer, askGateway } from '#server/domains/payments/gateways/ask-gateway.ts';
import { wibText } from '#server/domains/payments/gateways/wire.ts';
import { verifyMidtrans } from './notice.ts';
import { chargeDetails, codeOf, refusalOf, snapDetails, statusOf } from './answers.ts';

export type MidtransOptions = {
  serverKey: string;
  coreUrl: string;
  snapUrl: string;
  timeoutMs: number;
  simulated: boolean;
  /** Where notices shall go; without it where the dashboard says. */
  callbackUrl?: string | undefined;
  /** Where Snap leads the customer back to. */
  finishUrl?: string | undefined;
};

/** Ways to pay on the page of Snap: only those whose status can be asked for by our own order id. */
const SNAP_PAYMENTS = [
  'credit_card',
  'other_qris',
  'gopay',
  'bca_va',
  'bni_va',
  'bri_va',
  'permata_va',
  'cimb_va',
  'echannel',
];
const MINUTE_MS = 60_000;

/** Midtrans: QRIS and virtual accounts by the Core API, everything else by Snap. */
export function createMidtrans(options: MidtransOptions): PaymentGateway {
  const { serverKey: key, timeoutMs, simulated } = options;
  const core = options.coreUrl.replace(/\/+$/, '');
  const get = (id: string) =>
    askGateway({
      url: `${core}/v2/${encodeURIComponent(id)}/status`,
      method: 'GET',
      key,
      timeoutMs,
    });
  const post = (id: string, what: string, body: object = {}) =>
    askGateway({
      url: `${core}/v2/${encodeURIComponent(id)}/${what}`,
      method: 'POST',
      body,
      key,
      timeoutMs,
    });
  return {
    provider: 'midtrans',
    simulated,
    keptHeaders: ['user-agent'],
    verify: (_headers, raw) => verifyMidtrans(raw, key),
    create: async (order) => {
      const isSnap = order.method === 'snap';
      const answer = await askGateway({
        url: isSnap ? `${options.snapUrl.replace(/\/+$/, '')}/transactions` : `${core}/v2/charge`,
        method: 'POST',
        headers: headersOf(order, options.callbackUrl),
        body: isSnap ? snapBody(order, options.finishUrl) : chargeBody(order),
        key,
        timeoutMs,
      });
      return createResult(order, answer, simulated);
    },
    fetchStatus: async (ref) => fetchStatus(get, ref),
    cancel: async ({ orderId }) => void (await post(orderId, 'cancel')),
    refund: (request) => refund(post, request),
  };
}

function headersOf({ orderId, method }: GatewayOrder, callbackUrl: string | undefined) {
  return {
    // Permata takes none.
    ...(method !== 'va_permata' && { 'idempotency-key': orderId }),
    ...(callbackUrl !== undefined && { 'x-override-notification': callbackUrl }),
  };
}

const transactionOf = ({ orderId, base, ppn }: GatewayOrder) => ({
  transaction_details: { order_id: orderId, gross_amount: base + ppn },
  item_details: [
    { id: 'saldo', name: 'Isi saldo', price: base, quantity: 1 },
    ...(ppn > 0 ? [{ id: 'ppn', name: 'PPN', price: ppn, quantity: 1 }] : []),
  ],
  // Named again in every status, also in those that do not name the order.
  custom_field1: orderId,
});

const minutesOf = ({ createdAt, expiresAt }: GatewayOrder): number =>
  Math.round((expiresAt.getTime() - createdAt.getTime()) / MINUTE_MS);

function chargeBody(order: GatewayOrder): object {
  const expiry = {
    order_time: `${wibText(order.createdAt)} +0700`,
    expiry_duration: minutesOf(order),
    unit: 'minute',
  };
  const payment =
    order.method === 'qris'
      ? { payment_type: 'qris', qris: { acquirer: 'gopay' } }
      : { payment_type: 'bank_transfer', bank_transfer: { bank: order.method.slice(3) } };
  return { ...payment, ...transactionOf(order), custom_expiry: expiry };
}

function snapBody(order: GatewayOrder, finishUrl: MidtransOptions['finishUrl']): object {
  return {
    ...transactionOf(order),
    enabled_payments: SNAP_PAYMENTS,
    expiry: {
      start_time: `${wibText(order.createdAt)} +0700`,
      unit: 'minutes',
      duration: minutesOf(order),
    },
    page_expiry: { duration: minutesOf(order), unit: 'minutes' },
    ...(finishUrl !== undefined && { callbacks: { finish: finishUrl } }),
  };
}

function createResult(
  order: GatewayOrder,
  answer: GatewayAnswer,
  simulated: boolean,
): CreateResult {
  const refusal = refusalOf(answer);
  if (refusal === 'taken') return { outcome: 'taken' };
  if (refusal !== undefined) return { outcome: 'refused', why: refusal };
  const details =
    order.method === 'snap'
      ? snapDetails(answer.json, simulated)
      : chargeDetails(answer.json, order);
  if (!details) throw new GatewayTrouble('unknown', 'midtrans answered a charge in an odd shape');
  return { outcome: 'created', details };
}

/**
 * The status of an order, by our id; then of the payment that a notice named, where that is another:
 * some answer to their own id only, and a second payment of an order has its own.
 */
async function fetchStatus(
  get: (id: string) => Promise<GatewayAnswer>,
  { orderId, providerRef, txnId }: GatewayRef,
): Promise<GatewayStatus> {
  const own = { orderId, providerRef };
  const status = statusOf(await get(orderId), own);
  if (txnId === undefined || txnId === status.txnId) return status;
  const named = statusOf(await get(txnId), { ...own, txnId });
  return named.state === 'paid' || status.state === 'not_found' ? named : status;
}

async function refund(
  post: (id: string, what: string, body: object) => Promise<GatewayAnswer>,
  { txnId, amount, refundKey }: RefundRequest,
): Promise<RefundResult> {
  const answer = await post(txnId, 'refund', {
    refund_key: refundKey,
    amount,
    reason: 'Pengembalian dana',
  });
  const code = codeOf(answer);
  if (code === 200) return { outcome: 'refunded', reference: refundKey };
  // 406: a try of ours is known there; its status will tell.
  if (code === 406) throw new GatewayTrouble('unknown', 'midtrans knows this refund already');
  // 412 and 414: not this kind of payment, or not enough at the gateway: it is given back by hand.
  if (code >= 400 && code < 500 && code !== 429) return { outcome: 'unsupported' };
  throw new GatewayTrouble('unknown', `midtrans answered a refund with ${code}`);
}
