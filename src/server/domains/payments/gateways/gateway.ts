import type { Rupiah } from '#contract/base/money.ts';
import type { TopupMethod } from '#contract/saldo.ts';

export type Provider = 'midtrans' | 'xendit';
export type GatewayMethod = Exclude<TopupMethod, 'bank'>;

export const providerOf = (method: GatewayMethod): Provider =>
  method === 'xendit' ? 'xendit' : 'midtrans';

/** An order to create at a gateway. Repeating the request does not create a second one. */
export type GatewayOrder = {
  /** Our id, `TU-…`, the same for every attempt. */
  orderId: string;
  method: GatewayMethod;
  /** The customer pays the sum of `base` and `ppn`. */
  base: Rupiah;
  ppn: Rupiah;
  createdAt: Date;
  expiresAt: Date;
};

/** Payment instructions: exactly one of `qr`, `va`, `pageUrl`. */
export type PaymentDetails = {
  providerRef: string;
  qr?: string;
  va?: { bank: string; number: string };
  pageUrl?: string;
  expiresAt?: Date;
};

export type CreateResult =
  | { outcome: 'created'; details: PaymentDetails }
  /** The order exists, and its payment details can no longer be fetched. */
  | { outcome: 'taken' }
  /** The order does not exist. `why` is for the log. */
  | { outcome: 'refused'; why: string };

/**
 * State of an order. `review`: an operator must look; `refunded`: money was returned, in full or in part, or is
 * disputed; `not_found`: the gateway does not know it, or its payer has not begun.
 */
export type GatewayState =
  | 'pending'
  | 'paid'
  | 'failed'
  | 'expired'
  | 'cancelled'
  | 'refunded'
  | 'review'
  | 'not_found';

export type GatewayStatus = {
  state: GatewayState;
  txnId?: string;
  /** Set when only a part was refunded. */
  partly?: true;
  /** The refunded amount, if `partly` and the gateway reports it. */
  returned?: Rupiah;
  /** Absent if it is not in whole rupiah. */
  amount?: Rupiah;
  details?: PaymentDetails;
};

/** Identifies an order. `txnId` comes from a notice and may name another payment of the same order. */
export type GatewayRef = { orderId: string; providerRef: string | null; txnId?: string };

/** A notice with a valid secret; its content is still not trusted. */
export type VerifiedNotice = {
  orderId: string;
  txnId?: string;
  /** Equal for repeats of a notice. */
  dedupe: string;
};

export type NoticeHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** `malformed`: not a notice; `forged`: the secret is wrong. */
export type Verification = VerifiedNotice | 'malformed' | 'forged';

export type RefundRequest = {
  ref: GatewayRef;
  txnId: string;
  amount: Rupiah;
  /** The same for every attempt, so that the gateway refunds once. */
  refundKey: string;
};

/** `unsupported`: the gateway cannot refund this payment. */
export type RefundResult = { outcome: 'refunded'; reference: string } | { outcome: 'unsupported' };

/**
 * A payment gateway. Every method except `verify` sends a request, with a time limit.
 *
 * @throws GatewayTrouble from those methods.
 */
export type PaymentGateway = {
  provider: Provider;
  /** True when no real money moves. */
  simulated: boolean;
  create(order: GatewayOrder): Promise<CreateResult>;
  /** Verifies a notice from its raw body. Pure. */
  verify(headers: NoticeHeaders, raw: Buffer): Verification;
  keptHeaders: readonly string[];
  fetchStatus(ref: GatewayRef): Promise<GatewayStatus>;
  /** Best effort: does nothing for an order that is paid or unknown. */
  cancel(ref: GatewayRef): Promise<void>;
  refund?(request: RefundRequest): Promise<RefundResult>;
};

/** A gateway did not answer, or not usably. `unreachable`: the request never arrived; `unknown`: it may have. */
export class GatewayTrouble extends Error {
  readonly kind: 'unreachable' | 'unknown';

  constructor(kind: 'unreachable' | 'unknown', words: string, options?: ErrorOptions) {
    super(words, options);
    this.name = 'GatewayTrouble';
    this.kind = kind;
  }
}

export class PaymentAlert extends Error {
  constructor(words: string) {
    super(words);
    this.name = 'PaymentAlert';
  }
}
