import { type BillingWorkDeps, advanceAccount, pastDueAccounts } from './job.ts';

/** How old the list of accounts that owe may be. */
const REFRESH_MS = 20_000;

/** Charges what is due as soon as money has come in. */
export type CreditWatch = {
  /** Something of these accounts was published; of those that owe, the charge is tried. */
  published: (accounts: ReadonlySet<string>) => void;
  close: () => Promise<void>;
};

type Deps = Pick<BillingWorkDeps, 'allAccountsSql' | 'now' | 'report'>;

/**
 * Watches what is published, in memory: nearly always nobody of it owes anything. What it misses, such as
 * who has just begun to owe, the job finds within a minute.
 */
export function startCreditWatch(deps: Deps): CreditWatch {
  let owing: ReadonlySet<string> = new Set();
  /** Whose charge is to be tried, each once: who owes and sends is published more often than it is tried. */
  const waiting = new Set<string>();
  let working = Promise.resolve();
  const refresh = async () => {
    owing = new Set(await pastDueAccounts(deps.allAccountsSql));
  };
  const enqueue = (work: () => Promise<void>) => {
    working = working.then(work).catch(deps.report);
  };
  enqueue(refresh);
  const timer = setInterval(() => enqueue(refresh), REFRESH_MS);
  return {
    published: (accounts) => {
      if (owing.size === 0) return;
      for (const accountId of accounts) {
        if (!owing.has(accountId) || waiting.has(accountId)) continue;
        waiting.add(accountId);
        enqueue(async () => {
          // What is published from here on may have come too late for this try.
          waiting.delete(accountId);
          await advanceAccount(deps, accountId);
        });
      }
    },
    close: async () => {
      clearInterval(timer);
      await working;
    },
  };
}
