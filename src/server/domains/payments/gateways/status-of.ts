import type { OrderDeps } from '#server/domains/payments/deps.ts';
import type { StatusOf } from '#server/domains/payments/admin.ts';
import { GatewayTrouble } from './gateway.ts';
import { findOrder, refOf } from './orders.ts';

export const gatewayStatusOf =
  (deps: OrderDeps): StatusOf =>
  async ({ provider, topupId }) => {
    const order = await findOrder(deps.allAccountsSql, topupId);
    if (!order) return null;
    const gateway = deps.gateways.find(order);
    if (!gateway) throw new GatewayTrouble('unreachable', `${provider} is not set up any more`);
    const { state, amount = 0 } = await gateway.fetchStatus(refOf(order));
    if (state === 'not_found') return null;
    const status = state === 'paid' || state === 'refunded' ? state : 'open';
    return { status, amount };
  };
