import type { Rupiah } from '#contract/base/money.ts';
import type { TopupMethod } from '#contract/saldo.ts';

/** Who stands behind a port. */
export type Provider = 'midtrans' | 'xendit';
/** The methods that go through a gateway. */
export type GatewayMethod = Exclude<TopupMethod, 'bank'>;

/** Which provider serves a method. */
export const providerOf = (method: GatewayMethod): Provider =>
  method === 'xendit' ? 'xendit' : 'midtrans';

/** An order as a gateway is asked for it; asking for the same again gives no second one. */
export type GatewayOrder = {
  /** Ours, the same at every try: `TU-…`. */
  orderId: string;
  method: GatewayMethod;
  /** What is bought, and the tax on it; their sum is what is to be paid. */
  base: Rupiah;
  ppn: Rupiah;
  createdAt: Date;
  expiresAt: Date;
};

/** How a customer pays an order: exactly one of `qr`, `va`, `pageUrl`. */
export type PaymentDetails = {
  /** The gateway's id of the order. */
  providerRef: string;
  qr?: string;
  va?: { bank: string; number: string };
  pageUrl?: string;
  /** Until when the gateway takes the money, where it says so. */
  expiresAt?: Date;
};

export type CreateResult =
  | { outcome: 'created'; details: PaymentDetails }
  /** The order stands there already, and how it is paid can not be had again. */
  | { outcome: 'taken' }
  /** It does not stand there. `why` is for the log. */
  | { outcome: 'refused'; why: string };

/**
 * What became of an order. `review`: a person must look; `refunded`: money was given back, wholly or in
 * part, or is disputed; `not_found`: the gateway does not know it, or its payer has not begun.
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
  /** The gateway's id of the payment. */
  txnId?: string;
  /** True when not all of it was given back. */
  partly?: true;
  /** How much of it was, where `partly` and the gateway says so. */
  returned?: Rupiah;
  /** What was paid; absent where it is no amount of whole rupiah. */
  amount?: Rupiah;
  /** How it is paid, where the gateway says it again. */
  details?: PaymentDetails;
};

/** Which order is meant. `txnId` is what a notice named: it may be another payment of the same order. */
export type GatewayRef = { orderId: string; providerRef: string | null; txnId?: string };

/** A notice that its sender's secret vouches for; what it says is not believed. */
export type VerifiedNotice = {
  orderId: string;
  txnId?: string;
  /** The same for the same notice. */
  dedupe: string;
};

export type NoticeHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** `malformed`: no notice at all; `forged`: its secret is not ours. */
export type Verification = VerifiedNotice | 'malformed' | 'forged';

export type RefundRequest = {
  ref: GatewayRef;
  txnId: string;
  amount: Rupiah;
  /** The same at every try: the gateway gives back once. */
  refundKey: string;
};

/** `unsupported`: this money cannot be given back through the gateway. */
export type RefundResult = { outcome: 'refunded'; reference: string } | { outcome: 'unsupported' };

/**
 * What Kabari needs of a payment gateway. Every call but `verify` asks the gateway, with a time limit.
 *
 * @throws GatewayTrouble from all of those.
 */
export type PaymentGateway = {
  provider: Provider;
  /** True when no real money moves. */
  simulated: boolean;
  create(order: GatewayOrder): Promise<CreateResult>;
  /** Whether a notice is genuine. Pure; over the body as it came. */
  verify(headers: NoticeHeaders, raw: Buffer): Verification;
  /** Which headers a notice is stored with. */
  keptHeaders: readonly string[];
  fetchStatus(ref: GatewayRef): Promise<GatewayStatus>;
  /** Best effort: an order that is paid, or not known, stays as it is. */
  cancel(ref: GatewayRef): Promise<void>;
  refund?(request: RefundRequest): Promise<RefundResult>;
};

/**
 * A gateway did not answer, or not usably. `unreachable`: the request never arrived; `unknown`: it may have.
 */
export class GatewayTrouble extends Error {
  readonly kind: 'unreachable' | 'unknown';

  constructor(kind: 'unreachable' | 'unknown', words: string, options?: ErrorOptions) {
    super(words, options);
    this.name = 'GatewayTrouble';
    this.kind = kind;
  }
}

/** Something about money that an operator should look at. */
export class PaymentAlert extends Error {
  constructor(words: string) {
    super(words);
    this.name = 'PaymentAlert';
  }
}
