import * as z from 'zod/mini';
import type { Rupiah } from '#contract/base/money.ts';
import {
  type GatewayOrder,
  type GatewayRef,
  type GatewayState,
  type GatewayStatus,
  GatewayTrouble,
  type PaymentDetails,
} from '#server/domains/payments/gateways/gateway.ts';
import type { GatewayAnswer } from '#server/domains/payments/gateways/ask-gateway.ts';
import { Word, pageAddress, wholeRupiah, wibTime } from '#server/domains/payments/gateways/wire.ts';

const Coded = z.object({ status_code: z.string().check(z.regex(/^\d{3}$/)) });

/** What an answer says: its body's own code, which Midtrans sends with any status; else its status. */
export function codeOf({ status, json }: GatewayAnswer): number {
  const coded = Coded.safeParse(json);
  return coded.success ? Number(coded.data.status_code) : status;
}

const Messages = z.object({ error_messages: z.array(z.string()) });

/**
 * Why an order was not made: `taken` when its id was used, else words for the log.
 *
 * @returns undefined when it was made.
 * @throws GatewayTrouble when nobody can tell.
 */
export function refusalOf(answer: GatewayAnswer): string | undefined {
  const code = codeOf(answer);
  if (code === 406) return 'taken';
  const told = Messages.safeParse(answer.json);
  if (told.success && told.data.error_messages.some((one) => one.includes('already been taken'))) {
    return 'taken';
  }
  // 202: another try with the same key is under way.
  if (code === 200 || code === 201) return undefined;
  if (code >= 400 && code < 500 && code !== 408) return `midtrans refused the order with ${code}`;
  throw new GatewayTrouble('unknown', `midtrans answered an order with ${code}`);
}

const Page = (simulated: boolean) =>
  z.object({ token: Word(200), redirect_url: pageAddress(simulated) });

export function snapDetails(json: unknown, simulated: boolean): PaymentDetails | undefined {
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

/** Parts of a gross amount where Midtrans adds its fee to the customer's payment. */
const ImposedFee = z.object({
  extra_info: z.object({
    gross_amount_info: z.object({
      original_amount: Amount,
      gross_amount: Amount,
      customer_imposed_payment_fee: Amount,
    }),
  }),
});

/** How the order is paid; undefined when the answer is of another order, amount or shape. */
export function chargeDetails(json: unknown, order: GatewayOrder): PaymentDetails | undefined {
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

/**
 * The truth about an order, as Midtrans answers it.
 *
 * @throws GatewayTrouble when it is no answer.
 */
export function statusOf(answer: GatewayAnswer, ref: GatewayRef): GatewayStatus {
  const code = codeOf(answer);
  if (code === 404) return { state: 'not_found' };
  // 407 is how an expired order is answered.
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
 * Whose the transaction is. Some kinds name themselves where the order's id should be: then it is the
 * field we gave, or what the gateway called it when it was made, that tells; or nothing does.
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

/**
 * Facts of a partial refund. The fee that Midtrans imposed is not ours to give back: a
 * refund of all the rest is whole, although Midtrans calls it partial.
 */
function partOf(transaction: Transaction): Pick<GatewayStatus, 'partly' | 'returned'> {
  const { transaction_status, refund_amount } = transaction;
  if (!/^partial_/i.test(transaction_status)) return {};
  const returned = refund_amount === undefined ? undefined : wholeRupiah(refund_amount);
  const amount = amountOf(transaction);
  if (returned !== undefined && amount !== undefined && returned >= amount) return {};
  return { partly: true, ...(returned !== undefined && returned > 0 && { returned }) };
}

/** Amount paid for the order: the gross amount without the fee that Midtrans imposed on the customer. */
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
  // Another method may still be tried on the same page; the order ends by its time.
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
