import { type Rupiah, rupiah } from '#contract/base/money.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { Topup } from '#contract/saldo.ts';
import type { Prices } from '#server/domains/pricing/pricing.ts';
import {
  type TopupRequest,
  existingTopup,
  lockAccount,
  refuseTooMany,
} from '#server/domains/payments/topups/placing.ts';
import { findTopup } from '#server/domains/payments/topups/topup.ts';
import { newId } from '#server/infra/ids.ts';
import { type Sql, asAccount } from '#server/infra/postgres/database.ts';
import {
  type GatewayMethod,
  GatewayTrouble,
  PaymentAlert,
  type PaymentGateway,
  providerOf,
} from '#server/domains/payments/gateways/gateway.ts';
import { type LimitsDeps, limitsOf } from '#server/domains/payments/gateways/methods.ts';
import {
  type OrderDeps,
  type OrderRow,
  cancelAtGateway,
  findOrder,
  moveOrder,
  openOrder,
  orderOf,
} from './orders.ts';

export type PlaceDeps = OrderDeps &
  LimitsDeps & {
    /** The pool that sees one account at a time. */
    sql: Sql;
    prices: Pick<Prices, 'ppnOf'>;
  };

type GatewayRequest = TopupRequest & { method: GatewayMethod };

const MINUTE_MS = 60_000;
/** When the worker looks after an order whose creator has died: later than any answer comes. */
const FIRST_LOOK_MS = 75_000;

/**
 * Creates a top-up that is paid through a gateway. The order stands here before the gateway is asked, so
 * that whatever happens then, the worker can find out what became of it; it is `creating` until that is
 * known. Safe to repeat with the same key.
 *
 * @throws Refusal `gateway_down`, `topup_amount_unfit`, `topup_too_many`, `topup_too_often`, `wallet_frozen`,
 *   `account_suspended`, `idempotency_conflict`.
 */
export async function placeGatewayTopup(deps: PlaceDeps, request: GatewayRequest): Promise<Topup> {
  const gateway = deps.gateways.forMethod(request.method);
  if (!gateway) throw new Refusal('gateway_down', {});
  refuseUnfit(deps, request);
  const { topupId, isNew } = await insertOrder(deps, gateway, request);
  const row = isNew ? await findOrder(deps.allAccountsSql, topupId) : undefined;
  if (row && (await createAtGateway(deps, gateway, row)) === 'refused') {
    throw new Refusal('gateway_down', {});
  }
  const { accountId } = request;
  return asAccount(deps.sql, accountId, (tx) =>
    findTopup(tx, { accountId, topupId, now: deps.now() }),
  );
}

function refuseUnfit(deps: PlaceDeps, { method, base }: GatewayRequest): void {
  const { minimum, maximum } = limitsOf(deps, method);
  if (base < minimum || base > maximum) {
    throw new Refusal('topup_amount_unfit', { minimum, maximum });
  }
}

function insertOrder(
  deps: PlaceDeps,
  { simulated }: PaymentGateway,
  request: GatewayRequest,
): Promise<{ topupId: string; isNew: boolean }> {
  const { accountId, base, key, method } = request;
  const now = deps.now();
  return asAccount(deps.sql, accountId, async (tx) => {
    await lockAccount(tx, accountId);
    const existing = await existingTopup(tx, request);
    if (existing !== undefined) return { topupId: existing, isNew: false };
    await refuseTooMany(tx, accountId, now);
    const topupId = newId();
    const ppn: Rupiah = deps.prices.ppnOf(base, now);
    const total = rupiah(base + ppn);
    const expiresAt = new Date(now.getTime() + limitsOf(deps, method).minutes * MINUTE_MS);
    const provider = providerOf(method);
    await tx`
      insert into topups (
        account_id, topup_id, request_key, status, method, provider, simulated, base, ppn,
        unique_code, total, credited, income, created_at, expires_at, invoice_id
      ) values (
        ${accountId}, ${topupId}, ${key}, 'creating', ${method}, ${provider}, ${simulated}, ${base},
        ${ppn}, 0, ${total}, ${base}, 0, ${now}, ${expiresAt}, ${request.invoiceId ?? null}
      )`;
    await tx`
      insert into gateway_orders (account_id, topup_id, provider, next_poll_at)
      values (${accountId}, ${topupId}, ${provider}, ${new Date(now.getTime() + FIRST_LOOK_MS)})`;
    return { topupId, isNew: true };
  });
}

/**
 * Asks a gateway for an order that is `creating`. `unknown`: it may stand there, the worker will ask;
 * `taken`: it stands there, and how it is paid cannot be had; `refused`: it does not, and is cancelled.
 */
export async function createAtGateway(
  deps: OrderDeps,
  gateway: PaymentGateway,
  row: OrderRow,
): Promise<'open' | 'taken' | 'unknown' | 'refused'> {
  try {
    const result = await gateway.create(orderOf(row));
    if (result.outcome === 'taken') return 'taken';
    if (result.outcome === 'created') {
      const isOpen = await openOrder(deps.allAccountsSql, row, result.details);
      // Cancelled while it was made.
      if (!isOpen) {
        await cancelAtGateway(deps, { ...row, provider_ref: result.details.providerRef });
      } else await lookSoon(deps, row);
      return 'open';
    }
    deps.report(new PaymentAlert(result.why));
  } catch (error) {
    if (!(error instanceof GatewayTrouble)) throw error;
    deps.report(error);
    if (error.kind === 'unknown') return 'unknown';
  }
  await moveOrder(deps.allAccountsSql, row, {
    from: ['creating'],
    to: 'cancelled',
    note: 'Layanan pembayaran tidak menerima permintaan ini.',
  });
  return 'refused';
}

/** An order that is open is looked at after a minute. */
async function lookSoon({ allAccountsSql }: OrderDeps, row: OrderRow): Promise<void> {
  await allAccountsSql`
    update gateway_orders set next_poll_at = ${new Date(row.created_at.getTime() + MINUTE_MS)}
    where account_id = ${row.account_id} and topup_id = ${row.topup_id}
      and next_poll_at > ${row.created_at}`;
}
