import type { StatusOf } from '#server/domains/payments/desk.ts';
import { type OrderDeps, findOrder, refOf } from './orders/orders.ts';

/**
 * Asks gateways what became of payments: for the reconciliation.
 *
 * @returns a function that throws GatewayTrouble when the gateway does not answer.
 */
export const gatewayStatusOf =
  (deps: OrderDeps): StatusOf =>
  async ({ topupId }) => {
    const order = await findOrder(deps.allAccountsSql, topupId);
    const gateway = order && deps.gateways.find(order);
    if (!order || !gateway) return null;
    const { state, amount = 0 } = await gateway.fetchStatus(refOf(order));
    if (state === 'not_found') return null;
    const status = state === 'paid' || state === 'refunded' ? state : 'open';
    return { status, amount };
  };
