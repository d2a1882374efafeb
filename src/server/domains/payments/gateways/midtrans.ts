import {
  type GatewayOrder,
  type CreateResult,
  type GatewayRef,
  type GatewayStatus,
  GatewayTrouble,
  type PaymentGateway,
  type RefundRequest,
  type RefundResult,
  type Verification,
  type GatewayState,
  type PaymentDetails,
} from '#server/domains/payments/gateways/gateway.ts';
import {
  type GatewayAnswer,
  requestGateway,
} from '#server/domains/payments/gateways/ask-gateway.ts';
import {
  wibText,
  Word,
  areSecretsEqual,
  jsonOf,
  pageAddress,
  wholeRupiah,
  wibTime,
} from '#server/domains/payments/gateways/wire.ts';
import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import type { Rupiah } from '#contract/base/money.ts';

export type MidtransOptions = {
  serverKey: string;
  coreUrl: string;
  snapUrl: string;
  timeoutMs: number;
  simulated: boolean;
  /** Address for notices; if absent, the dashboard's setting applies. */
  callbackUrl?: string | undefined;
  finishUrl?: string | undefined;
};

/** Snap payment types, limited to those whose status can be fetched by our own order id. */
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

/** Midtrans: QRIS and virtual accounts through the Core API, everything else through Snap. */
export function createMidtrans(options: MidtransOptions): PaymentGateway {
  const { serverKey: key, timeoutMs, simulated } = options;
  const core = options.coreUrl.replace(/\/+$/, '');
  const get = (id: string) =>
    requestGateway({
      url: `${core}/v2/${encodeURIComponent(id)}/status`,
      method: 'GET',
      key,
      timeoutMs,
    });
  const post = (id: string, what: string, body: object = {}) =>
    requestGateway({
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
      const answer = await requestGateway({
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
    // Permata does not support idempotency keys.
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
  // Returned in every status, also in those that do not name the order.
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
 * Fetches the status by our order id, then by the payment id of a notice if it is another: some types answer only to
 * that id, and a second payment of an order has its own.
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
  // 406: one of our attempts arrived; its status will show the result.
  if (code === 406) throw new GatewayTrouble('unknown', 'midtrans knows this refund already');
  // 412 and 414: this payment type or the gateway balance does not allow a refund, so it is returned by hand.
  if (code >= 400 && code < 500 && code !== 429) return { outcome: 'unsupported' };
  throw new GatewayTrouble('unknown', `midtrans answered a refund with ${code}`);
}

const Notice = z.object({
  order_id: Word(100),
  status_code: Word(10),
  gross_amount: Word(30),
  signature_key: Word(200),
  transaction_status: Word(40),
  transaction_id: z.optional(Word(100)),
});

/** The signature of a notice, over the field texts exactly as they are in the body. */
export const midtransSignature = (
  { order_id, status_code, gross_amount }: SignedFields,
  serverKey: string,
): string =>
  createHash('sha512')
    .update(order_id + status_code + gross_amount + serverKey)
    .digest('hex');

type SignedFields = { order_id: string; status_code: string; gross_amount: string };

/**
 * Verifies that Midtrans sent a notice. The signature covers neither the status nor the payment id, so the owner of one
 * notice can forge others. That is why the content is not trusted.
 */
export function verifyMidtrans(raw: Buffer, serverKey: string): Verification {
  const read = Notice.safeParse(jsonOf(raw));
  if (!read.success) return 'malformed';
  const notice = read.data;
  const { order_id, status_code, transaction_id, transaction_status } = notice;
  if (!areSecretsEqual(notice.signature_key.toLowerCase(), midtransSignature(notice, serverKey))) {
    return 'forged';
  }
  const word = transaction_status.toLowerCase();
  return {
    orderId: order_id,
    ...(transaction_id !== undefined && { txnId: transaction_id }),
    dedupe: [order_id, transaction_id ?? '', status_code, word].join('|'),
  };
}

const Coded = z.object({ status_code: z.string().check(z.regex(/^\d{3}$/)) });

/** The code in the body, which Midtrans sends with any HTTP status; else the HTTP status. */
export function codeOf({ status, json }: GatewayAnswer): number {
  const coded = Coded.safeParse(json);
  return coded.success ? Number(coded.data.status_code) : status;
}

const Messages = z.object({ error_messages: z.array(z.string()) });

/**
 * The reason an order was not created: `taken` when its id was used before, else a text for the log.
 *
 * @returns undefined when it was created.
 * @throws GatewayTrouble when the answer leaves that open.
 */
export function refusalOf(answer: GatewayAnswer): string | undefined {
  const code = codeOf(answer);
  if (code === 406) return 'taken';
  const failure = Messages.safeParse(answer.json);
  if (
    failure.success &&
    failure.data.error_messages.some((one) => one.includes('already been taken'))
  ) {
    return 'taken';
  }
  // 202: another attempt with the same key is in progress.
  if (code === 200 || code === 201) return undefined;
  if (code >= 400 && code < 500 && code !== 408) return `midtrans refused the order with ${code}`;
  throw new GatewayTrouble('unknown', `midtrans answered an order with ${code}`);
}

const Page = (simulated: boolean) =>
  z.object({ token: Word(200), redirect_url: pageAddress(simulated) });

function snapDetails(json: unknown, simulated: boolean): PaymentDetails | undefined {
  const read = Page(simulated).safeParse(json);
  return read.success
    ? { providerRef: read.data.token, pageUrl: read.data.redirect_url }
    : undefined;
}

const AccountNumber = z.string().check(z.regex(/^\d{6,30}$/));
const Time = z.optional(z.string());

const Transaction = z.object({
  order_id: Word(100),
  transaction_id: Word(100),
  transaction_status: Word(40),
  fraud_status: z.optional(Word(40)),
  payment_type: z.optional(Word(60)),
  gross_amount: z.union([z.string(), z.number()]),
  currency: z.optional(Word(10)),
  refund_amount: z.optional(z.union([z.string(), z.number()])),
  qr_string: z.optional(Word(1_000)),
  va_numbers: z.optional(z.array(z.object({ bank: Word(20), va_number: AccountNumber }))),
  permata_va_number: z.optional(AccountNumber),
  custom_field1: z.optional(z.nullable(z.string())),
  expire_time: Time,
  expiry_time: Time,
  metadata: z.optional(z.unknown()),
});
type Transaction = z.infer<typeof Transaction>;

const Amount = z.union([z.string(), z.number()]);

const ImposedFee = z.object({
  extra_info: z.object({
    gross_amount_info: z.object({
      original_amount: Amount,
      gross_amount: Amount,
      customer_imposed_payment_fee: Amount,
    }),
  }),
});

/** Undefined when the answer has another order, amount or shape. */
function chargeDetails(json: unknown, order: GatewayOrder): PaymentDetails | undefined {
  const read = Transaction.safeParse(json);
  if (!read.success || read.data.order_id !== order.orderId) return undefined;
  if (amountOf(read.data) !== order.base + order.ppn) return undefined;
  const details = detailsOf(read.data);
  return (order.method === 'qris' ? details?.qr : details?.va) === undefined ? undefined : details;
}

function detailsOf(transaction: Transaction): PaymentDetails | undefined {
  const { transaction_id, qr_string, va_numbers, permata_va_number } = transaction;
  const expiresAt = wibTime(transaction.expire_time ?? transaction.expiry_time);
  const [va] = va_numbers ?? [];
  const same = { providerRef: transaction_id, ...(expiresAt && { expiresAt }) };
  if (qr_string !== undefined) return { ...same, qr: qr_string };
  if (permata_va_number !== undefined) {
    return { ...same, va: { bank: 'permata', number: permata_va_number } };
  }
  if (va) return { ...same, va: { bank: va.bank.toLowerCase(), number: va.va_number } };
  return undefined;
}

/** Reads the status of an order from an answer. @throws GatewayTrouble when the answer is unusable. */
export function statusOf(answer: GatewayAnswer, ref: GatewayRef): GatewayStatus {
  const code = codeOf(answer);
  if (code === 404) return { state: 'not_found' };
  // 407: the status of an expired order.
  if (code >= 400 && code !== 407) {
    throw new GatewayTrouble('unknown', `midtrans answered a status with ${code}`);
  }
  const read = Transaction.safeParse(answer.json);
  if (!read.success)
    throw new GatewayTrouble('unknown', 'midtrans answered a status in an odd shape');
  const transaction = read.data;
  const amount = amountOf(transaction);
  const details = detailsOf(transaction);
  const owner = ownerOf(transaction, ref);
  if (owner === 'another') return { state: 'not_found' };
  return {
    state: owner === 'ours' ? stateOf(code, transaction) : 'review',
    txnId: transaction.transaction_id,
    ...partOf(transaction),
    ...(amount !== undefined && { amount }),
    ...(details && { details }),
  };
}

/**
 * The order of a transaction. Some payment types put their own id in place of the order's; then our custom field, or
 * the id that Midtrans returned at creation, identifies it, if anything does.
 */
function ownerOf(
  { order_id, transaction_id, custom_field1 }: Transaction,
  { orderId, providerRef }: GatewayRef,
): 'ours' | 'another' | 'unclear' {
  if (order_id === orderId) return 'ours';
  if (order_id !== transaction_id) return 'another';
  if (custom_field1 === orderId || providerRef === order_id) return 'ours';
  return typeof custom_field1 === 'string' ? 'another' : 'unclear';
}

/** A fee imposed by Midtrans is not refunded, so Midtrans calls a full refund of the rest partial. */
function partOf(transaction: Transaction): Pick<GatewayStatus, 'partly' | 'returned'> {
  const { transaction_status, refund_amount } = transaction;
  if (!/^partial_/i.test(transaction_status)) return {};
  const returned = refund_amount === undefined ? undefined : wholeRupiah(refund_amount);
  const amount = amountOf(transaction);
  if (returned !== undefined && amount !== undefined && returned >= amount) return {};
  return { partly: true, ...(returned !== undefined && returned > 0 && { returned }) };
}

/** The amount paid for the order: the gross amount without the fee that Midtrans imposed on the customer. */
function amountOf({ gross_amount, currency, metadata }: Transaction): Rupiah | undefined {
  if ((currency ?? 'IDR').toUpperCase() !== 'IDR') return undefined;
  const gross = wholeRupiah(gross_amount);
  const imposed = ImposedFee.safeParse(metadata);
  if (gross === undefined || !imposed.success) return gross;
  const info = imposed.data.extra_info.gross_amount_info;
  const original = wholeRupiah(info.original_amount);
  const fee = wholeRupiah(info.customer_imposed_payment_fee);
  const isSum = original !== undefined && fee !== undefined && original + fee === gross;
  return isSum && wholeRupiah(info.gross_amount) === gross ? original : gross;
}

const states: Readonly<Record<string, GatewayState>> = {
  pending: 'pending',
  authorize: 'pending',
  // The customer may try another method on the same page until the order expires.
  deny: 'pending',
  cancel: 'cancelled',
  expire: 'expired',
  failure: 'failed',
  refund: 'refunded',
  partial_refund: 'refunded',
  chargeback: 'refunded',
  partial_chargeback: 'refunded',
};

function stateOf(code: number, { transaction_status, fraud_status }: Transaction): GatewayState {
  const word = transaction_status.toLowerCase();
  if (word === 'settlement' || word === 'capture') {
    const isAccepted = fraud_status === undefined || fraud_status.toLowerCase() === 'accept';
    return code === 200 && isAccepted ? 'paid' : 'review';
  }
  return states[word] ?? 'review';
}
