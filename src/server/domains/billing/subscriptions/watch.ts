import type { BillingDeps } from '#server/domains/billing/deps.ts';
import { advanceAccount, pastDueAccounts } from './job.ts';

const REFRESH_MS = 20_000;

export type CreditWatch = {
  /** Reports accounts with new events; those that owe are charged if the saldo covers it. */
  published: (accounts: ReadonlySet<string>) => void;
  close: () => Promise<void>;
};

/** Watches events in memory, because almost no account owes. The job finds missed accounts within a minute. */
export function startCreditWatch(
  deps: Pick<BillingDeps, 'allAccountsSql' | 'now' | 'report'>,
): CreditWatch {
  let owing: ReadonlySet<string> = new Set();
  /** Accounts queued for a charge, each once: an owing account publishes more often than it is tried. */
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
          // Events published from here on may be too late for this try, so they queue another.
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
