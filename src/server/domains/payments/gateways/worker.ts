import type { OrderDeps } from '#server/domains/payments/deps.ts';
import { type Repeated, repeat } from '#server/infra/polling.ts';
import { workInbox } from './inbox.ts';
import { pollOrders } from './orders.ts';

const POLL_MS = 2_000;

export const startInbox = (deps: OrderDeps, { lookMs = POLL_MS } = {}): Repeated =>
  startWork(() => workInbox(deps), lookMs, deps);

/** Polls due orders in its own loop, so that a slow gateway does not delay notices. */
export const startOrderPolls = (deps: OrderDeps, { lookMs = POLL_MS } = {}): Repeated =>
  startWork(() => pollOrders(deps), lookMs, deps);

/** @param work returns the number of items it found; it is called again until it finds none. */
function startWork(work: () => Promise<number>, lookMs: number, { report }: OrderDeps): Repeated {
  const working = repeat(
    async () => {
      if ((await work()) > 0) working.wake();
    },
    lookMs,
    report,
  );
  working.wake();
  return working;
}
