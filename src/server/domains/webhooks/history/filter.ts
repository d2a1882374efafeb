import type { DeliveryState } from '#contract/webhooks/deliveries.ts';
import type { DeliveryFilter } from '#server/domains/webhooks/api.ts';
import type { Fragment, Tx } from '#server/infra/postgres/database.ts';

export type Whose = { accountId: string; webhookId: string };

/** Events of one account are published in the order of time, but for what clocks are set back by: so much at most. */
const CLOCK_STEP_MS = 300_000;

/** As text of the statement: an index of one state is found by it. */
const inState = (tx: Tx, state: DeliveryState): Fragment =>
  ({
    waiting: tx`d.state = 'waiting'`,
    delivered: tx`d.state = 'delivered'`,
    parked: tx`d.state = 'parked'`,
    skipped: tx`d.state = 'skipped'`,
  })[state];

/** Those deliveries `d` of a webhook that a filter lets through; the positions of a span of time are found first. */
export function deliveriesWhere(
  tx: Tx,
  { accountId, webhookId }: Whose,
  { state, type, from, to }: DeliveryFilter,
): Fragment {
  const positionAt = (at: Date, stepMs: number) =>
    tx`(select delivery_position_at(${accountId}, ${webhookId}, ${new Date(at.getTime() + stepMs)}))`;
  return tx`
    d.account_id = ${accountId} and d.webhook_id = ${webhookId}
      ${state === undefined ? tx`` : tx`and ${inState(tx, state)}`}
      ${type === undefined ? tx`` : tx`and d.type = ${type}`}
      ${
        from === undefined
          ? tx``
          : tx`and d.position >= ${positionAt(from, -CLOCK_STEP_MS)} and d.at >= ${from}`
      }
      ${
        to === undefined
          ? tx``
          : tx`and d.position < ${positionAt(to, CLOCK_STEP_MS)} and d.at < ${to}`
      }`;
}
