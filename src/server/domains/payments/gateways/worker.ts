import { workInbox } from './inbox.ts';
import { type OrderDeps, pollOrders } from './orders.ts';

/** How often it is looked, where nobody wakes it. */
const LOOK_MS = 2_000;

type Loop = {
  wake(): void;
  /** Takes no new work, and waits for what is under way. */
  close(): Promise<void>;
};

/** Applies notices of gateways as long as it runs; woken, it applies what has come in at once. */
export const startInbox = (deps: OrderDeps, { lookMs = LOOK_MS } = {}): Loop =>
  startLoop(() => workInbox(deps), { lookMs, report: deps.report });

/** Asks gateways about orders that are due, by itself: a slow gateway that is asked holds no notice up. */
export const startOrderPolls = (deps: OrderDeps, { lookMs = LOOK_MS } = {}): Loop =>
  startLoop(() => pollOrders(deps), { lookMs, report: deps.report });

type LoopOptions = Pick<OrderDeps, 'report'> & { lookMs: number };

/** Works until nothing is found, then again after a while or when woken. */
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
