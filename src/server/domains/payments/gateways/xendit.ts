import * as z from 'zod/mini';
import {
  type CreateResult,
  type GatewayOrder,
  type GatewayRef,
  type GatewayState,
  type GatewayStatus,
  GatewayTrouble,
  type NoticeHeaders,
  type PaymentDetails,
  type PaymentGateway,
  type Verification,
} from '#server/domains/payments/gateways/gateway.ts';
import {
  type GatewayAnswer,
  requestGateway,
} from '#server/domains/payments/gateways/ask-gateway.ts';
import {
  Word,
  areSecretsEqual,
  jsonOf,
  pageAddress,
  wholeRupiah,
} from '#server/domains/payments/gateways/wire.ts';

export type XenditOptions = {
  secretKey: string;
  callbackToken: string;
  url: string;
  timeoutMs: number;
  simulated: boolean;
  finishUrl?: string | undefined;
};

const PAYMENTS = ['QRIS', 'BCA', 'BNI', 'BRI', 'MANDIRI', 'PERMATA', 'CIMB', 'OVO', 'DANA'];

const Invoice = (simulated: boolean) =>
  z.object({
    id: Word(100),
    external_id: Word(100),
    status: Word(40),
    amount: z.number(),
    paid_amount: z.optional(z.nullable(z.number())),
    currency: z.optional(Word(10)),
    invoice_url: z.optional(pageAddress(simulated)),
    expiry_date: z.optional(z.string()),
  });
type Invoice = z.infer<ReturnType<typeof Invoice>>;

/** Xendit: its invoice page, where the customer selects a method. */
export function createXendit(options: XenditOptions): PaymentGateway {
  const { secretKey: key, timeoutMs, simulated } = options;
  const base = options.url.replace(/\/+$/, '');
  const invoice = Invoice(simulated);
  const ask = (path: string, body?: object) =>
    requestGateway({
      url: `${base}${path}`,
      method: body === undefined ? 'GET' : 'POST',
      ...(body !== undefined && { body }),
      key,
      timeoutMs,
    });
  /** Xendit does not enforce unique ids: it would create a second invoice with the same one. */
  const find = async (orderId: string): Promise<Invoice | undefined> => {
    const answer = await ask(`/v2/invoices?external_id=${encodeURIComponent(orderId)}&limit=10`);
    const all = read(z.array(invoice), answer).filter((one) => one.external_id === orderId);
    return all.find((one) => isPaid(one)) ?? all.find(isPending) ?? all[0];
  };
  return {
    provider: 'xendit',
    simulated,
    keptHeaders: ['user-agent'],
    verify: (headers, raw) => verifyXendit(headers, raw, options.callbackToken),
    create: async (order) => {
      const answer = await ask('/v2/invoices/', invoiceBody(order, options.finishUrl));
      return createResult(order, answer, invoice);
    },
    fetchStatus: async (ref) => fetchStatus(ask, find, { ref, invoice }),
    cancel: async ({ orderId, providerRef }) => {
      const id = providerRef ?? (await find(orderId))?.id;
      if (id !== undefined) await ask(`/invoices/${encodeURIComponent(id)}/expire!`, {});
    },
  };
}

function invoiceBody(order: GatewayOrder, finishUrl: XenditOptions['finishUrl']): object {
  const { orderId, base, ppn, createdAt, expiresAt } = order;
  return {
    external_id: orderId,
    amount: base + ppn,
    description: 'Isi saldo',
    invoice_duration: Math.round((expiresAt.getTime() - createdAt.getTime()) / 1_000),
    currency: 'IDR',
    locale: 'id',
    should_send_email: false,
    payment_methods: PAYMENTS,
    items: [
      { name: 'Isi saldo', price: base, quantity: 1 },
      ...(ppn > 0 ? [{ name: 'PPN', price: ppn, quantity: 1 }] : []),
    ],
    ...(finishUrl !== undefined && {
      success_redirect_url: finishUrl,
      failure_redirect_url: finishUrl,
    }),
  };
}

function createResult(
  order: GatewayOrder,
  answer: GatewayAnswer,
  invoice: ReturnType<typeof Invoice>,
): CreateResult {
  const { status, json } = answer;
  if (status >= 400 && status < 500 && status !== 408) {
    return { outcome: 'refused', why: `xendit refused the invoice with ${status}` };
  }
  const made = invoice.safeParse(json);
  const details = made.success ? detailsOf(made.data) : undefined;
  const fits =
    made.success &&
    made.data.external_id === order.orderId &&
    wholeRupiah(made.data.amount) === order.base + order.ppn;
  if (status >= 300 || !fits || !details) {
    throw new GatewayTrouble('unknown', `xendit answered an invoice with ${status}`);
  }
  return { outcome: 'created', details };
}

function detailsOf({ id, invoice_url, expiry_date }: Invoice): PaymentDetails | undefined {
  if (invoice_url === undefined) return undefined;
  const expiresAt = new Date(expiry_date ?? NaN);
  return {
    providerRef: id,
    pageUrl: invoice_url,
    ...(!Number.isNaN(expiresAt.getTime()) && { expiresAt }),
  };
}

type Fetch = (path: string) => Promise<GatewayAnswer>;

async function fetchStatus(
  ask: Fetch,
  find: (orderId: string) => Promise<Invoice | undefined>,
  { ref, invoice }: { ref: GatewayRef; invoice: ReturnType<typeof Invoice> },
): Promise<GatewayStatus> {
  const { orderId, providerRef, txnId } = ref;
  const id = txnId ?? providerRef;
  if (id !== null) {
    const answer = await ask(`/v2/invoices/${encodeURIComponent(id)}`);
    if (answer.status !== 404) {
      const found = read(invoice, answer);
      if (found.external_id === orderId) return statusOf(found);
    }
  }
  const found = await find(orderId);
  return found ? statusOf(found) : { state: 'not_found' };
}

function read<T extends z.ZodMiniType>(schema: T, { status, json }: GatewayAnswer): z.output<T> {
  const found = schema.safeParse(json);
  if (status >= 300 || !found.success) {
    throw new GatewayTrouble('unknown', `xendit answered a status with ${status}`);
  }
  return found.data;
}

const states: Readonly<Record<string, GatewayState>> = {
  PENDING: 'pending',
  PAID: 'paid',
  SETTLED: 'paid',
  EXPIRED: 'expired',
};

const stateOf = ({ status }: Invoice): GatewayState => states[status.toUpperCase()] ?? 'review';
const isPaid = (invoice: Invoice): boolean => stateOf(invoice) === 'paid';
const isPending = (invoice: Invoice): boolean => stateOf(invoice) === 'pending';

function statusOf(invoice: Invoice): GatewayStatus {
  const isRupiah = (invoice.currency ?? 'IDR') === 'IDR';
  const amount = isRupiah ? wholeRupiah(invoice.paid_amount ?? invoice.amount) : undefined;
  const details = detailsOf(invoice);
  return {
    state: stateOf(invoice),
    txnId: invoice.id,
    ...(amount !== undefined && { amount }),
    ...(details && { details }),
  };
}

const Notice = z.object({ id: Word(100), external_id: Word(100), status: Word(40) });

/** Verifies the callback token. Xendit does not sign the body, so its content is not trusted. */
function verifyXendit(headers: NoticeHeaders, raw: Buffer, token: string): Verification {
  const given = headers['x-callback-token'];
  if (typeof given !== 'string' || !areSecretsEqual(given, token)) return 'forged';
  const notice = Notice.safeParse(jsonOf(raw));
  if (!notice.success) return 'malformed';
  const { id, external_id, status } = notice.data;
  return { orderId: external_id, txnId: id, dedupe: `${id}|${status.toUpperCase()}` };
}
