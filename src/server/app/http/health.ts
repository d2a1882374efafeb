import type { FastifyInstance } from 'fastify';
import { RealChannel } from '#contract/operator/channels.ts';
import { wrongCodes } from '#server/domains/accounts/accounts.ts';
import {
  countClosings,
  countNumbers,
  countUnreadable,
  isOffered,
} from '#server/domains/channels/channels.ts';
import { checkOutbox, countSetAside, outboxLagSeconds } from '#server/domains/events/events.ts';
import { countDispatch, laneLagSeconds } from '#server/domains/messages/messages.ts';
import { booksRed } from '#server/domains/operator/operator.ts';
import { countGatewayWork, moneyWork, unmatchedLines } from '#server/domains/payments/payments.ts';
import { countWebhooks, webhookLagSeconds } from '#server/domains/webhooks/webhooks.ts';
import { openConnections } from '#server/http/connections.ts';
import { type Check, openHealth } from '#server/http/site/health.ts';
import { watchFileStore } from '#server/infra/file-store/open.ts';
import { jobSamples } from '#server/infra/jobs/job-runs.ts';
import {
  connectionsMaxOf,
  descriptorLimit,
  measureProcess,
} from '#server/infra/observability/process.ts';
import { measureDisks } from '#server/infra/observability/disk.ts';
import { runnerOf } from '#server/infra/postgres/database.ts';
import { checkReachable } from '#server/infra/observability/reachable.ts';
import { backupFailed, backupFigure, backupFolderOf } from '#server/app/jobs/backups.ts';
import type { Container } from '#server/app/container.ts';
import type { Worker } from '#server/app/worker.ts';

type Process = {
  /** The worker in this process, when there is one. */
  worker: Worker | undefined;
  /** False from the moment the application begins to close. */
  open: () => boolean;
};

/** Serves health and figures at each of these servers: where requests are answered, and where only health is. */
export function registerHealth(
  apps: readonly FastifyInstance[],
  container: Container,
  { worker, open }: Process,
): void {
  const { config, log, metrics, store } = container.infra;
  const files = watchFileStore(store, log);
  const replica = () => {
    const stands = container.infra.replica.stands();
    return stands && { state: stands.state, lag_seconds: stands.lagSeconds };
  };
  const checks = checksOf(container, worker);
  // Requests are answered without them. Most are the same for all nodes: none would be left to answer.
  const shown = {
    ...(!worker && { relay: () => checkOutbox(container.pools.allAccountsSql) }),
    ...(worker && config.ROLE !== 'worker' && { jobs: worker.checkJobs }),
    ...(store.isShared && { files }),
  };
  for (const app of apps) {
    openHealth(app, {
      checks,
      shown,
      facts: () => ({ ...(replica() && { replica: replica() }) }),
      open,
      metricsText: metrics.text,
      metricsToken: config.METRICS_TOKEN,
    });
  }
  measure(container, worker);
  measureJobs(container);
  measureProcess(metrics);
  measureResources(container);
  metrics.gauge('kabari_connections_open', 'Connections of callers to this process', () => [
    { value: apps.reduce((sum, app) => sum + openConnections(app), 0) },
  ]);
  metrics.gauge('kabari_connections_max', 'Connections of callers this process serves', () => [
    { value: connectionsMaxOf(descriptorLimit()) },
  ]);
  measureTrouble(container, { ...checks, ...shown });
  metrics.gauge('kabari_files_away', '1 while the store of files does not answer', async () => [
    {
      value: await files().then(
        () => 0,
        () => 1,
      ),
    },
  ]);
}

/** What must be well before work is given to this process. */
function checksOf(
  { infra, pools: { allAccountsSql } }: Container,
  worker: Worker | undefined,
): Record<string, Check> {
  return {
    database: () => checkReachable(allAccountsSql),
    disk: async () => {
      const full = infra.disks.full();
      if (full.length > 0) throw new Error(`no room on the disk of ${full.join(', ')}`);
    },
    ...(worker && {
      relay: () => checkOutbox(allAccountsSql),
      lanes: () => worker.checkLanes(),
      ...(infra.config.ROLE === 'worker' && { jobs: worker.checkJobs }),
    }),
  };
}

/** What is wrong, as figures read when somebody asks. */
function measureTrouble(
  { infra: { config, metrics, now, replica }, pools: { allAccountsSql }, accounts }: Container,
  checks: Record<string, Check>,
): void {
  metrics.gauge('kabari_check_ok', '1 while a check of /readyz is well, 0 while it is not', () =>
    Promise.all(
      Object.entries(checks).map(async ([check, run]) => ({
        labels: { check },
        value: await run().then(
          () => 1,
          () => 0,
        ),
      })),
    ),
  );
  metrics.gauge('kabari_codes_sendable', '1 while one-time codes can be sent', async () => [
    { value: (await accounts.takesCodes(allAccountsSql)) ? 1 : 0 },
  ]);
  metrics.gauge('kabari_codes_wrong', 'Wrong one-time codes of the last hour', async () => [
    { value: await wrongCodes(allAccountsSql) },
  ]);
  metrics.gauge('kabari_numbers', 'Numbers in real networks, by how they stand', () =>
    countNumbers(
      allAccountsSql,
      RealChannel().options.filter((channel) => isOffered(config, channel)),
      now(),
    ),
  );
  metrics.gauge('kabari_numbers_closed', 'Numbers disconnected within the hour, by code', () =>
    countClosings(allAccountsSql, now()),
  );
  metrics.gauge('kabari_numbers_unreadable', 'Numbers that cannot decrypt what comes in', () =>
    countUnreadable(allAccountsSql, now()),
  );
  metrics.gauge('kabari_books_red', '1 while the newest check of the books is red', () =>
    booksRed(allAccountsSql),
  );
  metrics.gauge('kabari_replica_used', '1 while the replica is read', () => {
    const stands = replica.stands();
    return stands ? [{ value: stands.state === 'used' ? 1 : 0 }] : [];
  });
  metrics.gauge('kabari_replica_lag_seconds', 'How far the replica is behind', () => {
    const value = replica.stands()?.lagSeconds ?? null;
    return value === null ? [] : [{ value }];
  });
  metrics.gauge('kabari_backup_timestamp_seconds', 'When the last whole backup was begun', () =>
    backupFigure(allAccountsSql),
  );
  metrics.gauge('kabari_backup_failed', '1 while the last backup failed, or is too old', () =>
    backupFailed(allAccountsSql),
  );
}

/** Measures the resources that run out slowly: disks, and connections to the database. */
function measureResources({ infra: { config, dataFolder, metrics }, pools }: Container): void {
  const backs = config.BACKUP === 'off' ? {} : { backups: backupFolderOf(config, dataFolder) };
  measureDisks(metrics, { data: dataFolder, ...backs });
  metrics.total(
    'kabari_pool_wait_seconds_total',
    'Seconds that statements waited for a connection to the database, by pool',
    () => {
      const { tenantSql, allAccountsSql, acceptSql, callersSql } = pools;
      const named = {
        portal: tenantSql,
        'all accounts': allAccountsSql,
        accept: acceptSql,
        callers: callersSql,
      };
      return Object.entries(named).map(([pool, sql]) => ({
        labels: { pool },
        value: runnerOf(sql).waitedSeconds(),
      }));
    },
  );
}

/** Last success and failure of each job. */
function measureJobs({ infra: { metrics }, pools: { allAccountsSql } }: Container): void {
  const seconds = (at: Date | null) => (at === null ? undefined : at.getTime() / 1_000);
  metrics.gauge(
    'kabari_job_success_timestamp_seconds',
    'When a turn of the job last succeeded, on any node',
    () => jobSamples(allAccountsSql, ({ succeeded_at }) => seconds(succeeded_at)),
  );
  metrics.gauge(
    'kabari_job_failure_timestamp_seconds',
    'When a turn of the job last failed, on any node',
    () => jobSamples(allAccountsSql, ({ failed_at }) => seconds(failed_at)),
  );
  metrics.gauge('kabari_job_late', '1 while the job has not succeeded for too long', () =>
    jobSamples(allAccountsSql, ({ is_late }) => (is_late ? 1 : 0)),
  );
}

/** Figures read when somebody asks. */
function measure(
  { infra: { metrics, now }, pools: { allAccountsSql }, events, messages }: Container,
  worker: Worker | undefined,
): void {
  metrics.gauge('kabari_live_streams', 'Open live streams of this process', () => [
    { value: events.hub.following },
  ]);
  metrics.gauge('kabari_accept_waiting', 'Messages waiting to be placed', () => [
    { value: messages.waiting() },
  ]);
  metrics.gauge('kabari_lanes_running', 'Lanes this process owns', () => [
    { value: worker?.lanes.running() ?? 0 },
  ]);
  metrics.gauge(
    'kabari_outbox_oldest_seconds',
    'How long the longest-waiting event has been due',
    () => outboxLagSeconds(allAccountsSql),
  );
  metrics.gauge(
    'kabari_outbox_set_aside',
    'Events that could not be published and are tried again later',
    () => countSetAside(allAccountsSql),
  );
  metrics.gauge('kabari_dispatch_waiting', 'Messages waiting to leave', () =>
    countDispatch(allAccountsSql),
  );
  metrics.gauge(
    'kabari_lane_lag_seconds',
    'How long the longest-waiting lane has been due without a worker',
    () => laneLagSeconds(allAccountsSql),
  );
  metrics.gauge('kabari_webhooks', 'Webhooks of customers, by how they stand', () =>
    countWebhooks(allAccountsSql),
  );
  metrics.gauge(
    'kabari_webhook_lag_seconds',
    'How long the webhook that has waited longest might have been sent to',
    () => webhookLagSeconds(allAccountsSql),
  );
  metrics.gauge('kabari_transfers_waiting', 'Bank transfers that wait to be matched', async () => [
    { value: (await unmatchedLines(allAccountsSql)).count },
  ]);
  metrics.gauge(
    'kabari_transfers_oldest_seconds',
    'How long the bank transfer that came first has waited to be matched',
    async () => {
      const { oldest } = await unmatchedLines(allAccountsSql);
      return [{ value: oldest === null ? 0 : (now().getTime() - oldest.getTime()) / 1_000 }];
    },
  );
  metrics.gauge(
    'kabari_payment_notices',
    'Notices of gateways that wait or were given up, and orders whose money went back',
    () => countGatewayWork({ allAccountsSql }),
  );
  metrics.gauge(
    'kabari_money_waiting',
    'Work on money that waits for an operator, as the overview counts it',
    async () =>
      Object.entries(await moneyWork(allAccountsSql, now())).map(([work, { count }]) => ({
        labels: { work },
        value: count,
      })),
  );
}
