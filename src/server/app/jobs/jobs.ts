import { notifySuspensions, sweepAccounts } from '#server/domains/accounts/accounts.ts';
import { issueWaitingInvoices, pruneNotices, runBilling } from '#server/domains/billing/billing.ts';
import { pruneHealth } from '#server/domains/channels/channels.ts';
import { eraseOldLines } from '#server/domains/channels/simulator/simulator.ts';
import { pruneWeb } from '#server/domains/channels/web/web.ts';
import { pruneEvents } from '#server/domains/events/events.ts';
import {
  ensurePartitions,
  expireMessages,
  pruneCounts,
  pruneRequests,
} from '#server/domains/messages/messages.ts';
import { checkAndSeal, reconcileNightly } from '#server/domains/operator/operator.ts';
import {
  expireTopups,
  gatewayStatusOf,
  pruneInbox,
  retryRefunds,
} from '#server/domains/payments/payments.ts';
import { sweepPush } from '#server/domains/push/push.ts';
import { tendThreads } from '#server/domains/support/support.ts';
import { pruneLinks, pruneRejectedCalls } from '#server/domains/tokens/tokens.ts';
import { pruneDeliveries } from '#server/domains/webhooks/webhooks.ts';
import { pruneAnswers } from '#server/infra/acts/answers.ts';
import { eraseAnonymousAudit } from '#server/infra/acts/audit.ts';
import type { Job } from '#server/infra/jobs/jobs.ts';
import { reseal } from '#server/infra/security/secrets.ts';
import { sealedColumns } from '#server/app/sealed-data.ts';
import { watchWrongCodes } from './admin-alerts.ts';
import type { Backups } from './backups.ts';
import type { Container } from '#server/app/container.ts';

const BACKUP_SECONDS_MAX = 6 * 3_600;

/** A backup is looked for often, so that one which fell due while nothing ran is made up for. */
export const backupJobs = ({ runDue, watch }: Backups): readonly Job[] => [
  {
    name: 'backup',
    cron: '*/5 * * * *',
    heartbeatSeconds: 60,
    secondsMax: BACKUP_SECONDS_MAX,
    run: runDue,
  },
  { name: 'backup-watch', cron: '40 * * * *', run: watch },
];

/** Each night the books are checked, sealed, and compared with bank and gateways. */
const bookJobs = (books: Parameters<typeof checkAndSeal>[0]): readonly Job[] => [
  {
    name: 'ledger-check',
    cron: '10 0 * * *',
    heartbeatSeconds: 60,
    run: () => checkAndSeal(books),
  },
  {
    name: 'reconciliation',
    cron: '30 2 * * *',
    heartbeatSeconds: 60,
    run: () => reconcileNightly(books),
  },
];

/** What each bucket has to do, by itself. */
const inEachOf = ({ infra: { place } }: Container, jobs: readonly Job[]): readonly Job[] =>
  jobs.map((job) => ({ ...job, run: () => place.inEach(job.run) }));

/** Numbers of the Cloud API are asked for each minute, their templates each hour; what networks leave behind goes each hour. */
const channelJobs = (container: Container): readonly Job[] => {
  const { channels, infra, pools } = container;
  return [
    { name: 'cloud-numbers', cron: '* * * * *', run: () => channels.cloud.check() },
    { name: 'cloud-templates', cron: '23 * * * *', run: () => channels.cloud.readTemplates() },
    {
      name: 'simulated-lines',
      cron: '27 * * * *',
      run: () => eraseOldLines(pools.allAccountsSql),
    },
    ...inEachOf(container, [
      { name: 'whatsapp-web', cron: '28 * * * *', run: () => pruneWeb(pools.allAccountsSql) },
      {
        name: 'channel-pruning',
        cron: '29 * * * *',
        run: async () => {
          await channels.cloud.prune();
          await pruneHealth(pools.allAccountsSql, infra.now());
        },
      },
    ]),
  ];
};

export const DATA_EXPORTS = 'data-exports';

/** All that is done again and again: what concerns the installation as a whole, and what each bucket does by itself. */
export function jobsOf(container: Container): readonly Job[] {
  const { infra, pools, accounts, media, payments } = container;
  const { now, log, dataFolder: folder } = infra;
  const { allAccountsSql } = pools;
  const statusOf = gatewayStatusOf(payments.deps);
  return [
    { name: 'message-partitions', cron: '7 * * * *', run: () => ensurePartitions(allAccountsSql) },
    { name: 'refund-retry', cron: '* * * * *', run: () => retryRefunds(payments.deps) },
    { name: 'payment-inbox', cron: '57 3 * * *', run: () => pruneInbox({ allAccountsSql, now }) },
    { name: 'answer-pruning', cron: '17 * * * *', run: () => pruneAnswers(allAccountsSql) },
    { name: 'link-pruning', cron: '22 * * * *', run: () => pruneLinks(allAccountsSql) },
    { name: 'file-sweep', cron: '48 3 * * *', run: () => media.files.sweep(allAccountsSql) },
    { name: 'anonymous-audit', cron: '52 * * * *', run: () => eraseAnonymousAudit(allAccountsSql) },
    {
      name: 'wrong-codes',
      cron: '*/5 * * * *',
      run: () =>
        watchWrongCodes({ ...infra, allAccountsSql, sendSystemText: accounts.sendSystemText }),
    },
    { name: 'push-sweep', cron: '37 * * * *', run: () => sweepPush(allAccountsSql) },
    {
      name: 'account-erasure',
      cron: '* * * * *',
      heartbeatSeconds: 60,
      run: () => accounts.eraseDue(),
    },
    ...bookJobs({ allAccountsSql, now, log, folder, reading: infra.replica, statusOf }),
    ...channelJobs(container),
    ...inEachOf(container, accountJobs(container)),
    ...rotationJobs(container),
  ];
}

/** While SECRET_KEY_SECOND is set, what it has sealed is sealed anew with SECRET_KEY. */
function rotationJobs(container: Container): readonly Job[] {
  const { config, secrets, log } = container.infra;
  if (config.SECRET_KEY_SECOND === undefined) return [];
  const { allAccountsSql } = container.pools;
  const run = async () => {
    const { resealed, closed } = await reseal(allAccountsSql, secrets, sealedColumns);
    if (resealed + closed > 0) log.info({ sealed: resealed, closed }, 'values were sealed anew');
  };
  return inEachOf(container, [
    { name: 'key-rotation', cron: '*/10 * * * *', heartbeatSeconds: 60, run },
  ]);
}

/** What accounts ask for, each by itself. */
function accountJobs(container: Container): readonly Job[] {
  const { infra, pools, accounts, billing, media, messages, support } = container;
  const { now, report } = infra;
  const { allAccountsSql } = pools;
  const { exports, sendSystemText } = accounts;
  return [
    { name: 'topup-expiry', cron: '* * * * *', run: () => expireTopups({ allAccountsSql, now }) },
    {
      name: 'billing',
      cron: '* * * * *',
      heartbeatSeconds: 60,
      run: () => runBilling(billing.work),
    },
    {
      name: 'waiting-invoices',
      cron: '* * * * *',
      run: () => issueWaitingInvoices({ allAccountsSql, now }),
    },
    { name: 'message-expiry', cron: '* * * * *', run: () => expireMessages(allAccountsSql) },
    { name: 'parked-receipts', cron: '* * * * *', run: () => messages.retryParked() },
    {
      name: 'suspension-notices',
      cron: '* * * * *',
      run: () => notifySuspensions({ allAccountsSql, now, sendSystemText, report }),
    },
    { name: 'account-sweep', cron: '12 * * * *', run: () => sweepAccounts(allAccountsSql) },
    { name: 'rejected-calls', cron: '24 * * * *', run: () => pruneRejectedCalls(allAccountsSql) },
    { name: 'upload-sweep', cron: '42 * * * *', run: () => media.uploads.sweep() },
    { name: 'media-sweep', cron: '43 * * * *', run: () => media.library.sweep() },
    { name: DATA_EXPORTS, cron: '* * * * *', heartbeatSeconds: 60, run: () => exports.work() },
    { name: 'export-sweep', cron: '47 * * * *', run: () => exports.sweep() },
    { name: 'row-export-sweep', cron: '46 * * * *', run: () => container.rowExports.sweep() },
    {
      name: 'support-threads',
      cron: '* * * * *',
      run: () => tendThreads({ ...support.deps, closeDays: support.closeDays }),
    },
    { name: 'webhook-pruning', cron: '35 * * * *', run: () => pruneDeliveries(allAccountsSql) },
    {
      name: 'history-pruning',
      cron: '32 * * * *',
      run: async () => {
        await pruneRequests(allAccountsSql);
        await pruneCounts(allAccountsSql, now());
        await pruneEvents(allAccountsSql);
        await pruneNotices(allAccountsSql, now());
        await container.broadcasts.prune();
      },
    },
  ];
}
