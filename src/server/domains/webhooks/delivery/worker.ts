import type { WebhookDeps } from '#server/domains/webhooks/deps.ts';
import { isTransient } from '#server/infra/postgres/database.ts';
import { startSender } from './sender.ts';
import { sendOffMessages } from './settle.ts';

/** What is published within this long is taken together. */
const GATHER_MS = 20;
/** How often all webhooks are looked at: for what other processes made or left behind. */
const SWEEP_MS = 5_000;
/** Events of one webhook that are read by one statement. */
const EVENTS_MAX = 500;

/** Takes events for webhooks and sends them; any number of processes may. */
export type WebhookWorker = {
  /** These accounts' events have grown. */
  add: (accountIds: Iterable<string>) => void;
  /** A webhook was changed in this process, or something is to be sent again. */
  wake: () => void;
  /** Takes and sends everything that is due now, and waits until that is done. */
  drain: () => Promise<void>;
  close: () => Promise<void>;
};

/**
 * Starts to take and to send. Where an account has no webhook, its events cost nothing: which have one is known
 * here, and looked up every five seconds; whatever was missed meanwhile is found by that sweep.
 */
export function startWebhookWorker(deps: WebhookDeps): WebhookWorker {
  const sender = startSender(deps);
  const changed = new Set<string>();
  let withWebhook: ReadonlySet<string> = new Set();
  let working: Promise<void> | undefined;
  let isSweepDue = true;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  const work = async () => {
    timer = undefined;
    const isSweep = isSweepDue;
    isSweepDue = false;
    const accountIds = [...changed];
    changed.clear();
    if (isSweep) {
      withWebhook = await accountsWithWebhook(deps);
      await deps.allAccountsSql`select free_webhook_lanes(${deps.now()})`;
      await sendOffMessages(deps);
    }
    if ((isSweep ? withWebhook.size : accountIds.length) > 0) {
      for (const locked of await collect(deps, isSweep ? undefined : accountIds))
        changed.add(locked);
    }
    sender.wake();
  };
  const schedule = (ms = GATHER_MS) => {
    if (!closed && working === undefined) timer ??= setTimeout(() => void run(), ms);
  };
  const run = () => {
    working ??= work()
      // Whatever was to be taken is found by the next sweep.
      .catch((error: unknown) => {
        if (!isTransient(error)) deps.report(error);
      })
      .finally(() => {
        working = undefined;
        if (changed.size > 0 || isSweepDue) schedule();
      });
    return working;
  };
  const sweep = () => {
    isSweepDue = true;
    schedule(0);
  };
  const sweeping = setInterval(sweep, SWEEP_MS);
  sweep();
  return {
    add: (accountIds) => {
      for (const accountId of accountIds) if (withWebhook.has(accountId)) changed.add(accountId);
      if (changed.size > 0 || isSweepDue) schedule();
    },
    wake: sweep,
    drain: async () => {
      await working;
      isSweepDue = true;
      await run();
      await sender.drain();
    },
    close: async () => {
      closed = true;
      clearInterval(sweeping);
      clearTimeout(timer);
      await working;
      await sender.close();
    },
  };
}

async function accountsWithWebhook({ allAccountsSql }: WebhookDeps): Promise<Set<string>> {
  const rows = await allAccountsSql<{ id: string }[]>`
    select distinct account_id as id from webhooks where state = 'on'`;
  return new Set(rows.map(({ id }) => id));
}

/**
 * Takes new events until none are left.
 *
 * @param accountIds left out: of all accounts.
 * @returns the accounts of webhooks that somebody else had locked.
 */
async function collect(
  { allAccountsSql, now }: WebhookDeps,
  accountIds?: readonly string[],
): Promise<string[]> {
  for (;;) {
    const [taken] = await allAccountsSql<{ o_more: boolean; o_locked: string[] }[]>`
      select o_more, o_locked from collect_webhook_events(
        ${accountIds ? [...accountIds] : null}::uuid[], ${EVENTS_MAX}, ${now()})`;
    if (!taken?.o_more) return taken?.o_locked ?? [];
  }
}
