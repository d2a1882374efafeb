import { randomBytes, randomUUID } from 'node:crypto';

/** What the simulated gateway knows of one order. Its status is the truth that everybody is told. */
export type SimulatedOrder = {
  provider: 'midtrans' | 'xendit';
  orderId: string;
  txnId: string;
  /** `qris`, `bca` … of a charge; `snap` and `invoice` until a way to pay is chosen on the page. */
  kind: string;
  total: number;
  /** Another amount than asked for came in. */
  paidTotal?: number;
  /** The fee that Midtrans adds to what the customer pays, where the merchant's account is set so. */
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
  /** Where its notices go, where the request said so. */
  callback?: string;
  customField?: string;
  refundKeys: string[];
  /** What of it was given back, where that is not all. */
  returned?: number;
  /** True for a kind whose status names the payment where the order should be named. */
  isNamedByTxn: boolean;
};

export type OrderBook = {
  make(
    facts: Pick<SimulatedOrder, 'provider' | 'orderId' | 'kind' | 'total' | 'createdAt'> &
      Partial<SimulatedOrder>,
  ): SimulatedOrder;
  /** By our id, the payment's, or the page's. */
  find(id: string): SimulatedOrder | undefined;
  /** All that were made under an id: of invoices there may be several. */
  all(orderId: string): SimulatedOrder[];
  /** Orders whose time is over become `expire`. */
  tick(now: Date): SimulatedOrder[];
};

const DAY_MS = 86_400_000;

/** @param imposedFee the fee that Midtrans adds to an order that is made now; 0 for none. */
export function openOrderBook(imposedFee: () => number = () => 0): OrderBook {
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
      // Of a page on which nothing was chosen nobody ever hears.
      const due = orders.filter(
        ({ status, expiresAt }) => status === 'pending' && expiresAt <= now,
      );
      for (const order of due) order.status = 'expire';
      return due;
    },
  };
}
