import { workInbox } from './inbox.ts';
import { type OrderDeps, pollOrders } from './orders.ts';

const POLL_MS = 2_000;

type Loop = {
  wake(): void;
  close(): Promise<void>;
};

export const startInbox = (deps: OrderDeps, { lookMs = POLL_MS } = {}): Loop =>
  startLoop(() => workInbox(deps), { lookMs, report: deps.report });

/** Polls due orders in its own loop, so that a slow gateway does not delay notices. */
export const startOrderPolls = (deps: OrderDeps, { lookMs = POLL_MS } = {}): Loop =>
  startLoop(() => pollOrders(deps), { lookMs, report: deps.report });

type LoopOptions = Pick<OrderDeps, 'report'> & { lookMs: number };

function startLoop(work: () => Promise<number>, { lookMs, report }: LoopOptions): Loop {
  let isOpen = true;
  let isWoken = false;
  let running: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  const run = async (): Promise<void> => {
    let found = 0;
    do {
      isWoken = false;
      try {
        found = await work();
      } catch (error) {
        report(error);
        found = 0;
      }
    } while (isOpen && (found > 0 || isWoken));
  };
  const look = (): void => {
    isWoken = true;
    if (!isOpen || running) return;
    clearTimeout(timer);
    running = run().finally(() => {
      running = undefined;
      if (isOpen) timer = setTimeout(look, lookMs);
    });
  };
  look();
  return {
    wake: look,
    close: async () => {
      isOpen = false;
      clearTimeout(timer);
      await running;
    },
  };
}
