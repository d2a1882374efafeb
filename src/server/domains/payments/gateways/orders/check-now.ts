import { Refusal } from '#contract/base/refusals.ts';
import { checkTopup } from '#contract/saldo.ts';
import { findTopup } from '#server/domains/payments/topups/topup.ts';
import { handle } from '#server/infra/acts/act.ts';
import { hit } from '#server/infra/acts/limits.ts';
import { type Sql, asAccount } from '#server/infra/postgres/database.ts';
import { GatewayTrouble } from '#server/domains/payments/gateways/gateway.ts';
import { type OrderDeps, findOrder } from './orders.ts';
import { pollOrder } from './poll.ts';

type CheckDeps = OrderDeps & { sql: Sql };

/** Questions about one top-up in a minute. */
const PER_MINUTE = 6;

/** Asks the gateway of a top-up now what became of it. */
export const checkTopupHandler = (deps: CheckDeps) =>
  handle(checkTopup, async ({ caller: { accountId } }, { topup_id: topupId }) => {
    const now = deps.now();
    const read = () =>
      asAccount(deps.sql, accountId, (tx) => findTopup(tx, { accountId, topupId, now }));
    const topup = await read();
    // One that is being made has an owner: a second try beside it could make it twice.
    const isNothingToAsk = ['paid', 'rejected', 'creating'].includes(topup.status);
    if (topup.method === 'bank' || isNothingToAsk) return topup;
    await askAboutOrder(deps, topupId);
    return read();
  });

/**
 * Asks the gateway of a top-up what became of it, and brings it to that. Of a bank transfer, and of an order
 * that is being made, nothing is asked.
 *
 * @throws Refusal `too_many_requests`, `gateway_down`.
 */
export async function askAboutOrder(deps: OrderDeps, topupId: string): Promise<void> {
  const order = await findOrder(deps.allAccountsSql, topupId);
  // As stored: a late `creating` is shown as expired.
  if (!order || order.status === 'creating') return;
  await refuseTooOften(deps, topupId);
  try {
    await pollOrder(deps, order);
  } catch (error) {
    if (!(error instanceof GatewayTrouble)) throw error;
    deps.report(error);
    throw new Refusal('gateway_down', {});
  }
}

async function refuseTooOften({ allAccountsSql }: OrderDeps, topupId: string): Promise<void> {
  const limit = { scope: 'topup_check', subject: topupId, max: PER_MINUTE, windowSeconds: 60 };
  const full = await allAccountsSql.begin((tx) => hit(tx, [limit]));
  if (full) throw new Refusal('too_many_requests', { seconds: full.seconds });
}
