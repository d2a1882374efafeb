import {
  notifySuspensions,
  sweepAccounts,
  adminPhones,
  systemAccount,
  wrongCodesToReport,
  sealedChallenges,
  sealedFactors,
} from '#server/domains/accounts/accounts.ts';
import { issueWaitingInvoices, pruneNotices, runBilling } from '#server/domains/billing/billing.ts';
import { pruneHealth } from '#server/domains/channels/channels.ts';
import { eraseOldLines } from '#server/domains/channels/simulator/simulator.ts';
import { pruneWeb, sealedWeb } from '#server/domains/channels/web/web.ts';
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
import { sweepPush, queueNotice, sealedSubscriptions } from '#server/domains/push/push.ts';
import { closeStaleThreads } from '#server/domains/support/support.ts';
import { pruneLinks, pruneRejectedCalls } from '#server/domains/tokens/tokens.ts';
import { pruneDeliveries, sealedWebhooks } from '#server/domains/webhooks/webhooks.ts';
import { pruneAnswers, eraseAnonymousAudit, sealedAnswers } from '#server/infra/acts.ts';
import type { Job } from '#server/infra/jobs.ts';
import { reseal, type SealedColumn, installationSecrets } from '#server/infra/security/secrets.ts';
import type { Container } from '#server/app/container.ts';
import type { Config } from '#server/infra/config.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { isAbsolute, join, relative, sep } from 'node:path';
import { RELEASE } from './infra.ts';
import { makeBackup } from '#server/infra/backup/backup.ts';
import { backupState, lastBackup, storedRun } from '#server/infra/backup/runs.ts';
import { isDue, isOverdue } from '#server/infra/backup/schedule.ts';
import { readBackupKey } from '#server/infra/backup/archive/seal.ts';
import { type BackupProblem, problemOf } from '#server/infra/backup/archive/trouble.ts';
import type { Sample } from '#server/infra/observability/metrics.ts';
import { StartError } from '#server/infra/start-error.ts';
import { sealedNumbers } from '#server/domains/channels/cloud/cloud.ts';

const BACKUP_SECONDS_MAX = 6 * 3_600;

/** Checks often for a due backup, so that one missed during downtime is made soon after. */
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

/** Checks and seals the ledger each night, and compares it with bank and gateways. */
const ledgerJobs = (books: Parameters<typeof checkAndSeal>[0]): readonly Job[] => [
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

/** Jobs that each bucket runs for itself. */
const perBucket = ({ infra: { place } }: Container, jobs: readonly Job[]): readonly Job[] =>
  jobs.map((job) => ({ ...job, run: () => place.inEach(job.run) }));

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
    ...perBucket(container, [
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

/** All periodic jobs: those of the installation, and those of each bucket. */
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
    ...ledgerJobs({ allAccountsSql, now, log, folder, reading: infra.replica, statusOf }),
    ...channelJobs(container),
    ...perBucket(container, accountJobs(container)),
    ...rotationJobs(container),
  ];
}

/** While SECRET_KEY_SECOND is set, seals values under it again with SECRET_KEY. */
function rotationJobs(container: Container): readonly Job[] {
  const { config, secrets, log } = container.infra;
  if (config.SECRET_KEY_SECOND === undefined) return [];
  const { allAccountsSql } = container.pools;
  const run = async () => {
    const { resealed, closed } = await reseal(allAccountsSql, secrets, sealedColumns);
    if (resealed + closed > 0)
      log.info({ sealed: resealed, closed }, 'values were sealed with the new key');
  };
  return perBucket(container, [
    { name: 'key-rotation', cron: '*/10 * * * *', heartbeatSeconds: 60, run },
  ]);
}

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
      run: () => closeStaleThreads({ ...support.deps, closeDays: support.closeDays }),
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

export type AlertDeps = {
  allAccountsSql: Sql;
  sendSystemText: (phone: string, text: string, shown?: string, key?: string) => Promise<void>;
  report: (trouble: unknown) => void;
};

/** An alert with the same key is sent as a message only once. */
type Alert = { title: string; body: string; tag: string; key: string };

/** Alerts operators in their browsers, and admins also by message. Never throws. */
export async function alertAdmins(
  { allAccountsSql, sendSystemText, report }: AlertDeps,
  { title, body, tag, key }: Alert,
): Promise<void> {
  try {
    await allAccountsSql.begin(async (tx) => {
      const accountId = await systemAccount(tx);
      if (accountId === undefined) return;
      await queueNotice(tx, { accountId, title, body, url: '/operator', tag });
    });
    for (const phone of await adminPhones(allAccountsSql)) {
      await sendSystemText(phone, body, body, `${key}-${phone}`);
    }
  } catch (error) {
    report(error);
  }
}

type GuessingDeps = AlertDeps & {
  config: Pick<Config, 'OTP_WRONG_ALERT'>;
  log: { warn: (facts: object, words: string) => void };
  now: () => Date;
};

/** Alerts admins, at most once an hour, when too many codes were wrong (`OTP_WRONG_ALERT`). */
export async function watchWrongCodes(deps: GuessingDeps): Promise<void> {
  const wrong = await wrongCodesToReport(deps.allAccountsSql, deps.config);
  if (wrong === undefined) return;
  deps.log.warn({ count: wrong }, 'many one-time codes were wrong within an hour');
  await alertAdmins(deps, {
    title: 'Banyak kode verifikasi salah',
    body: `${wrong} kode verifikasi salah dalam satu jam terakhir. Mungkin ada yang menebak kode pelanggan Anda: periksa halaman Token sistem dan Catatan audit.`,
    tag: 'wrong-codes',
    key: `wrong-codes-${deps.now().toISOString().slice(0, 13)}`,
  });
}

type BackupDeps = {
  config: Pick<Config, 'BACKUP_FOLDER' | 'BACKUP_KEEP' | 'BACKUP_KEY_FILE' | 'SECRET_KEY'>;
  allAccountsSql: Sql;
  url: string;
  dataFolder: string;
  build: string;
};

/**
 * The backup folder of an installation.
 *
 * @throws StartError for a folder inside the backed-up data: each backup would contain all those before it.
 */
export function backupFolderOf(
  { BACKUP_FOLDER }: Pick<Config, 'BACKUP_FOLDER'>,
  dataFolder: string,
): string {
  const own = join(dataFolder, 'backups');
  if (BACKUP_FOLDER === undefined) return own;
  const isIn = (folder: string) => {
    const way = relative(folder, BACKUP_FOLDER);
    return !isAbsolute(way) && way.split(sep)[0] !== '..';
  };
  if (isIn(dataFolder) && !isIn(own)) {
    throw new StartError(`BACKUP_FOLDER must not lie among the data, but in ${own} or elsewhere.`);
  }
  return BACKUP_FOLDER;
}

/** Makes a backup now and stores its outcome. @throws as `makeBackup` does. */
export const backUp = (deps: BackupDeps, at: Date, signal: AbortSignal) =>
  storedRun(deps.allAccountsSql, at, async () => {
    const { config, url, dataFolder, build } = deps;
    return makeBackup({
      url,
      dataFolder,
      folder: backupFolderOf(config, dataFolder),
      key: await readBackupKey(config.BACKUP_KEY_FILE),
      keep: config.BACKUP_KEEP,
      at,
      app: { version: RELEASE, build },
      secretKey: config.SECRET_KEY,
      signal,
    });
  });

type ScheduleDeps = Omit<BackupDeps, 'config'> &
  AlertDeps & {
    config: BackupDeps['config'] & Pick<Config, 'BACKUP'>;
    log: Record<'error' | 'info', (facts: object, words: string) => void>;
    now?: () => Date;
  };

export type Backups = {
  /** Makes the due backup, if any; alerts operators when it fails. */
  runDue: () => Promise<void>;
  watch: () => Promise<void>;
  /** Aborts the running backup without recording an outcome. */
  close: () => void;
};

/** Opens the backup schedule; it follows the real clock, not the billing clock. */
export function openBackups(deps: ScheduleDeps): Backups {
  const { config, allAccountsSql, log, now = () => new Date() } = deps;
  // Report an impossible backup folder at start, not at night.
  if (config.BACKUP !== 'off') backupFolderOf(config, deps.dataFolder);
  const closing = new AbortController();
  return {
    runDue: async () => {
      if (config.BACKUP === 'off') return;
      const at = now();
      const state = await backupState(allAccountsSql);
      if (!state || !isDue(config.BACKUP, at, state)) return;
      try {
        const { bytes, files, removed } = await backUp(deps, at, closing.signal);
        log.info({ size: bytes, count: files, left: removed.length }, 'a backup was made');
      } catch (error) {
        const problem = problemOf(error);
        if (problem === 'running' || closing.signal.aborted) return;
        log.error({ err: error, reason: problem }, 'a backup failed');
        await alert(deps, problem, at);
      }
    },
    watch: async () => {
      if (config.BACKUP === 'off') return;
      const at = now();
      const state = await backupState(allAccountsSql);
      if (!state || !isOverdue(at, state)) return;
      log.error({}, 'there is no backup of the last 26 hours');
      await alert(deps, 'overdue', at);
    },
    close: () => closing.abort(),
  };
}

const reasons: Record<BackupProblem, string> = {
  disk_full: 'disk untuk cadangan penuh',
  damaged: 'isinya tidak sama dengan yang ditulis',
  wrong_key: 'kunci cadangan tidak cocok',
  interrupted: 'prosesnya terhenti',
  overdue: 'belum ada cadangan selama 26 jam terakhir',
  running: 'cadangan lain sedang dibuat',
  failed: 'ada kesalahan yang tercatat di log',
};

function alert(deps: ScheduleDeps, problem: BackupProblem, at: Date): Promise<void> {
  const body = `Cadangan tidak jadi dibuat: ${reasons[problem]}. Jalankan npm run operator doctor untuk melihat penyebabnya.`;
  const key = `backup-${at.toISOString().slice(0, 10)}`;
  return alertAdmins(deps, { title: 'Cadangan gagal', body, tag: 'backup', key });
}

/** The start of the last successful backup, in seconds of Unix time; empty before the first. */
export async function lastBackupSeconds(allAccountsSql: Sql): Promise<Sample[]> {
  const last = await lastBackup(allAccountsSql);
  return last?.okAt ? [{ value: Math.floor(last.okAt.getTime() / 1_000) }] : [];
}

/** 1 while the last backup failed or is too old. */
export async function backupFailed(allAccountsSql: Sql): Promise<Sample[]> {
  const last = await lastBackup(allAccountsSql);
  return last ? [{ value: last.isOk ? 0 : 1 }] : [];
}

/** All columns with sealed values; a rotation of SECRET_KEY seals them again. */
export const sealedColumns: readonly SealedColumn[] = [
  installationSecrets,
  sealedAnswers,
  sealedChallenges,
  sealedFactors,
  ...sealedNumbers,
  ...sealedWeb,
  sealedSubscriptions,
  ...sealedWebhooks,
];
