import { startCreditWatch } from '#server/domains/billing/billing.ts';
import { type Relay, appendEvent, startRelay } from '#server/domains/events/events.ts';
import {
  type Lanes,
  checkLanes,
  startFolding,
  startIndexing,
} from '#server/domains/messages/messages.ts';
import {
  type AlertWatch,
  startAlertWatch,
  startInbox,
  startOrderPolls,
} from '#server/domains/payments/payments.ts';
import { type PushSender, queueNotice, startPushSender } from '#server/domains/push/push.ts';
import type { WebhookWorker } from '#server/domains/webhooks/webhooks.ts';
import { type Jobs, superviseJobs } from '#server/infra/jobs.ts';
import { openDatabase } from '#server/infra/postgres/database.ts';
import { startOnCoordinator, bindScope } from '#server/infra/postgres/distribution/scope.ts';
import { type Backups, openBackups, DATA_EXPORTS, backupJobs, jobsOf } from './jobs.ts';
import type { Container } from './container.ts';

export type Worker = {
  lanes: Pick<Lanes, 'wake' | 'running'>;
  relay: Pick<Relay, 'drain'>;
  pushes: PushSender;
  saldoAlerts: Pick<AlertWatch, 'check'>;
  /** @throws Error when a lane has long been due without an owner. */
  checkLanes: () => Promise<void>;
  /** @throws Error when the jobs do not run in this process. */
  checkJobs: () => Promise<void>;
  /** Takes no new work, finishes current work, and releases its lanes. */
  close: () => Promise<void>;
};

/** Starts lanes, relay, channels and jobs. */
export async function startWorker(container: Container): Promise<Worker> {
  const { infra, messages } = container;
  const sql = container.pools.allAccountsSql;
  const pushes = startOnCoordinator(() => startPushSender(container.push));
  const broadcasts = container.broadcasts.startAnnouncing();
  const parts = infra.place.startEach(() => startMessageWork(container, pushes));
  const lanes = {
    wake: (tokenIds?: readonly string[]) => parts.forEach((part) => part.lanes.wake(tokenIds)),
    running: () => parts.reduce((sum, part) => sum + part.lanes.running(), 0),
  };
  const wakeRelays = () => parts.forEach((part) => part.relay.wake());
  messages.onWork((tokenIds) => {
    lanes.wake(tokenIds);
    wakeRelays();
  });
  for (const one of [container.campaigns, container.rowExports]) one.onNews(wakeRelays);
  container.support.onNews(() => {
    wakeRelays();
    pushes.wake();
  });
  const closeNetworks = await container.channels.start({
    receipts: messages.sinks.receipts,
    inbound: container.subscribers.messageArrived,
    identified: messages.sinks.identified,
  });
  const payments = startInbox(container.payments.deps);
  container.payments.onNotice(payments.wake);
  const backups = openBackups({
    ...infra,
    allAccountsSql: sql,
    sendSystemText: container.accounts.sendSystemText,
  });
  const jobs = startJobs(container, backups);
  container.accounts.exports.onRequested(() => {
    jobs.start(DATA_EXPORTS).catch(infra.report);
  });
  return {
    lanes,
    pushes,
    relay: { drain: async () => void (await Promise.all(parts.map(({ relay }) => relay.drain()))) },
    saldoAlerts: {
      check: async () => void (await Promise.all(parts.map((part) => part.saldoAlerts.check()))),
    },
    checkLanes: () => infra.place.inEach(() => checkLanes(sql)),
    checkJobs: async () => jobs.check(),
    close: async () => {
      backups.close();
      container.accounts.exports.close();
      await Promise.all([...parts.map((part) => part.stopSending()), jobs.close()]);
      await closeNetworks();
      await Promise.all(parts.map((part) => part.close()));
      await payments.close();
      await broadcasts.close();
      await pushes.close();
    },
  };
}

type MessageWork = {
  lanes: Lanes;
  relay: Relay;
  saldoAlerts: AlertWatch;
  stopSending: () => Promise<void>;
  /** Closes the rest, producers before consumers. */
  close: () => Promise<void>;
};

function startMessageWork(container: Container, pushes: PushSender): MessageWork {
  const { infra, messages, pools } = container;
  const { allAccountsSql: sql } = pools;
  const folding = startFolding({ allAccountsSql: sql, report: infra.report });
  const indexing = startIndexing({ allAccountsSql: sql, report: infra.report });
  const credits = startCreditWatch(container.billing.work);
  const [campaigns, rowExports] = [container.campaigns.start(), container.rowExports.start()];
  const polls = startOrderPolls(container.payments.deps);
  const deliveries = container.broadcasts.startDelivery();
  const saldoAlerts = watchSaldo(container, pushes);
  const webhooks = startWebhooks(container);
  const relay = startRelay(
    { sql, log: infra.log, tracing: infra.tracing },
    ({ accounts, hasReceived }) => {
      for (const one of [folding, saldoAlerts, webhooks, campaigns]) one.add(accounts);
      credits.published(accounts);
      if (hasReceived) pushes.wake();
    },
  );
  const lanes = messages.startLanes();
  const fetcher = container.media.library.startFetching({ onEnded: messages.linkEnded });
  return {
    lanes,
    relay,
    saldoAlerts,
    stopSending: async () => void (await Promise.all([lanes.close(), fetcher.close()])),
    close: async () => {
      await relay.close();
      for (const one of [folding, indexing, credits, saldoAlerts, webhooks]) await one.close();
      await Promise.all([campaigns, rowExports, polls, deliveries].map((one) => one.close()));
    },
  };
}

function startWebhooks({ webhooks }: Container): WebhookWorker {
  const worker = webhooks.start();
  webhooks.onWork(bindScope(worker.wake));
  return worker;
}

/** Alerts the accounts that enabled low-saldo alerts, by browser notification and by message. */
const watchSaldo = ({ infra, pools, accounts }: Container, pushes: PushSender): AlertWatch =>
  startAlertWatch({
    allAccountsSql: pools.allAccountsSql,
    queueNotice,
    announceLow: (tx, { accountId, ...data }) =>
      appendEvent(tx, { accountId, kind: 'saldo.low', data }),
    sendSystemText: (phone, text, key) => accounts.sendSystemText(phone, text, text, key),
    onFired: pushes.wake,
    report: infra.report,
    now: infra.now,
  });

/** Nothing waits for the jobs: the application serves without them. */
function startJobs(container: Container, backups: Backups): Jobs {
  const { log, url } = container.infra;
  const { allAccountsSql } = container.pools;
  const openOwner = () => openDatabase(url, { max: 1, as: 'owner', name: 'jobs' });
  return superviseJobs({ openOwner, allAccountsSql, log }, [
    ...jobsOf(container),
    ...backupJobs(backups),
  ]);
}
