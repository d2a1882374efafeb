import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import type { Verification } from '#server/domains/payments/gateways/gateway.ts';
import { Word, isSame, jsonOf } from '#server/domains/payments/gateways/wire.ts';

/** What a notice of Midtrans must have; it has more, which is not read. */
const Notice = z.object({
  order_id: Word(100),
  status_code: Word(10),
  gross_amount: Word(30),
  signature_key: Word(200),
  transaction_status: Word(40),
  transaction_id: z.optional(Word(100)),
});

/** The signature of a notice: over its texts exactly as they stand in the body. */
export const midtransSignature = (
  { order_id, status_code, gross_amount }: SignedFields,
  serverKey: string,
): string =>
  createHash('sha512')
    .update(order_id + status_code + gross_amount + serverKey)
    .digest('hex');

type SignedFields = { order_id: string; status_code: string; gross_amount: string };

/**
 * Whether Midtrans sent it. The signature covers neither the status word nor the payment's id: whoever has
 * one notice can make others. That is why none is believed.
 */
export function verifyMidtrans(raw: Buffer, serverKey: string): Verification {
  const read = Notice.safeParse(jsonOf(raw));
  if (!read.success) return 'malformed';
  const notice = read.data;
  const { order_id, status_code, transaction_id, transaction_status } = notice;
  if (!isSame(notice.signature_key.toLowerCase(), midtransSignature(notice, serverKey))) {
    return 'forged';
  }
  const word = transaction_status.toLowerCase();
  return {
    orderId: order_id,
    ...(transaction_id !== undefined && { txnId: transaction_id }),
    dedupe: [order_id, transaction_id ?? '', status_code, word].join('|'),
  };
}
