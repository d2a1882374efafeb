import { join } from 'node:path';
import {
  type Captcha,
  type Exports,
  type FirstOperator,
  type Sessions,
  ensureOperator,
  eraseDue,
  openCaptcha,
  openExports,
  openSessions,
} from '#server/domains/accounts/accounts.ts';
import { receiveBankLine } from '#server/domains/payments/payments.ts';
import { channelsOf } from '#server/domains/channels/channels.ts';
import {
  type Messages,
  contentOf,
  excerptOf,
  openMessages,
} from '#server/domains/messages/messages.ts';
import { type Prices, openPrices } from '#server/domains/pricing/pricing.ts';
import type { PushDeps } from '#server/domains/push/push.ts';
import { type Simulator, openSimulator } from '#server/domains/channels/simulator/simulator.ts';
import {
  type ConnectDeps,
  type KeyRing,
  ensureSystemToken,
  openKeyRing,
} from '#server/domains/tokens/tokens.ts';
import type { Config } from '#server/infra/config.ts';
import { type DiskWatch, isDiskFull, watchDisks } from '#server/infra/observability/disk.ts';
import { type Sql, isTransient, openDatabase } from '#server/infra/postgres/database.ts';
import { verifyRowLevelSecurity } from '#server/infra/postgres/row-level-security.ts';
import { type Files, openFiles } from '#server/domains/media/files.ts';
import { openScanner } from '#server/domains/media/inspection/inspect-malware.ts';
import { type LiveHub, openLive } from '#server/domains/events/live.ts';
import type { Log } from '#server/infra/observability/log.ts';
import { type Metrics, openMetrics } from '#server/infra/observability/metrics.ts';
import { openOutbound } from '#server/infra/net/outbound.ts';
import { type Secrets, readSecrets } from '#server/infra/security/secrets.ts';
import { type Uploads, openUploads } from '#server/domains/media/uploads/uploads.ts';
import { readVapid } from '#server/domains/push/vapid.ts';
import { type Subscribers, createSubscribers } from './subscribers.ts';
import { accountDataOf } from './account-data.ts';

/** Everything behind the doors, opened and joined. */
export type Container = {
  config: Config;
  log: Log;
  now: () => Date;
  /** Names the built web app. */
  build: string;
  /** Sees one account at a time. */
  tenantSql: Sql;
  /** Sees all accounts. */
  allAccountsSql: Sql;
  secrets: Secrets;
  metrics: Metrics;
  sessions: Sessions;
  captcha: Captcha;
  keyRing: KeyRing;
  prices: Prices;
  files: Files;
  /** Knows when a disk is full. */
  disks: DiskWatch;
  uploads: Uploads;
  live: LiveHub;
  messages: Messages;
  simulator: Simulator;
  /** What notices to browsers are made and sent with. */
  push: PushDeps;
  /** Archives of what accounts hold. */
  exports: Exports;
  /** Erases the accounts whose time has come. */
  eraseDue: () => Promise<void>;
  subscribers: Subscribers;
  /** Sends a text through the installation's own token; `shown` is what its history shows. */
  tell: (phone: string, text: string, shown?: string) => Promise<void>;
  /** How the first operator signs in: only at the start that made them. */
  newOperator: FirstOperator | undefined;
  /** Told of what is our fault; trouble that passes by itself is a warning. */
  report: (trouble: unknown) => void;
  /** What `messages` pokes when there is work; a worker listens. */
  onWork: (listener: () => void) => void;
  close: () => Promise<void>;
};

type Wanted = {
  config: Config;
  log: Log;
  /** The database, migrated, as its owner. */
  url: string;
  /** Where kept files lie. */
  dataFolder: string;
  build: string;
  /** Tells somebody the first operator's password, before it counts. */
  handOver?: (operator: FirstOperator) => Promise<void>;
  now?: () => Date;
};

/** Opens the house on a migrated database. Nothing runs by itself yet: `startWorker` makes it work. */
export async function openContainer(wanted: Wanted): Promise<Container> {
  const { config, url, build } = wanted;
  const resources = await openResources(wanted);
  const { tenantSql, allAccountsSql, secrets, prices, report } = resources;
  const joined = joinDomains(resources, () => system);
  const newOperator = await ensureOperator(
    allAccountsSql,
    config,
    joined.subscribers.systemAccountOpened,
    wanted.handOver,
  );
  const system = await ensureSystemToken(allAccountsSql, config.OPERATOR_PHONE);
  const keyRing = openKeyRing({ allAccountsSql, report });
  const live = openLive({
    tenantSql,
    allAccountsSql,
    openListening: () => openDatabase(url, { max: 1, as: 'house', name: 'live' }),
    report,
  });
  const metrics = openMetrics();
  const sessions = openSessions(resources.callers);
  return {
    ...resources,
    ...joined,
    build,
    newOperator,
    keyRing,
    live,
    metrics,
    push: await preparePush(resources, metrics),
    ...openAccountData({ ...resources, sessions }, join(wanted.dataFolder, 'exports'), joined.tell),
    sessions,
    captcha: openCaptcha({ allAccountsSql, secrets, config, report }),
    close: async () => {
      await joined.messages.close();
      await Promise.all([keyRing.close(), live.close()]);
      prices.close();
      await resources.end();
    },
  };
}

async function preparePush(resources: Resources, metrics: Metrics): Promise<PushDeps> {
  const { config, allAccountsSql, secrets, log, report } = resources;
  const notices = metrics.counter('kabari_notices_total', 'Notices to browsers, by how they ended');
  return {
    allAccountsSql,
    config,
    secrets,
    log,
    report,
    excerptOf,
    vapid: await readVapid(allAccountsSql, secrets),
    outbound: openOutbound({ listed: config.PUSH_SERVICES }),
    told: (outcome) => notices.add({ outcome }),
  };
}

/** What accounts hold: how it is taken along, and how it goes. */
function openAccountData(
  {
    tenantSql,
    allAccountsSql,
    secrets,
    files,
    uploads,
    report,
    sessions,
  }: Resources & Pick<Container, 'sessions'>,
  folder: string,
  sendOtp: Container['tell'],
): Pick<Container, 'eraseDue' | 'exports'> {
  const archives = openExports({
    sql: tenantSql,
    allAccountsSql,
    secrets,
    folder,
    accountDataSources: () => accountDataSources,
    sessions,
    sendOtp,
    report,
  });
  const { accountData } = archives;
  const accountDataSources = accountDataOf({
    sql: tenantSql,
    allAccountsSql,
    secrets,
    files,
    uploads,
    archives: accountData,
  });
  return {
    exports: archives,
    eraseDue: () => eraseDue({ allAccountsSql, sendOtp, accountDataSources, report }),
  };
}

/** What every domain stands on. */
type Resources = Pick<
  Container,
  | 'config'
  | 'disks'
  | 'files'
  | 'allAccountsSql'
  | 'log'
  | 'now'
  | 'prices'
  | 'report'
  | 'secrets'
  | 'tenantSql'
  | 'uploads'
> & {
  /** The accept path's own pool, so that nothing else delays it. */
  accept: Sql;
  /** Who is calling is looked up in a pool of its own: a crowd that signs in holds nobody else up. */
  callers: Sql;
  end: () => Promise<void>;
};

const MB = 1_000_000;
/** Connections of one process; the house's own server has 60 in all. */
const POOL = { tenantSql: 10, allAccountsSql: 8, accept: 10, callers: 2 } as const;

async function openResources({
  config,
  log,
  url,
  dataFolder,
  ...given
}: Wanted): Promise<Resources> {
  const { now = () => new Date() } = given;
  const pools = {
    tenantSql: openDatabase(url, { max: POOL.tenantSql, as: 'tenant', name: 'portal' }),
    allAccountsSql: openDatabase(url, { max: POOL.allAccountsSql, as: 'house', name: 'house' }),
    accept: openDatabase(url, { max: POOL.accept, as: 'house', name: 'accept' }),
    callers: openDatabase(url, { max: POOL.callers, as: 'house', name: 'callers' }),
  };
  const report = (trouble: unknown) => {
    if (isTransient(trouble) || isDiskFull(trouble))
      log.warn({ err: trouble }, 'trouble that may pass');
    else log.error({ err: trouble }, 'a bug');
  };
  await verifyRowLevelSecurity([
    { sql: pools.tenantSql, max: POOL.tenantSql, sees: 'one account' },
    ...[pools.allAccountsSql, pools.accept, pools.callers].map(
      (sql) => ({ sql, max: POOL.callers, sees: 'all accounts' }) as const,
    ),
  ]);
  const [secrets, prices] = await Promise.all([
    readSecrets(pools.allAccountsSql, config.SECRET_KEY),
    openPrices({ allAccountsSql: pools.allAccountsSql, config, now, onTrouble: report }),
  ]);
  const disks = watchDisks({ folder: dataFolder, sql: pools.allAccountsSql, log });
  const folder = join(dataFolder, 'files');
  const files = openFiles(pools.tenantSql, folder, secrets, config.MEDIA_ORIGIN);
  return {
    config,
    log,
    now,
    report,
    secrets,
    prices,
    ...pools,
    files,
    disks,
    uploads: openUploads({
      sql: pools.tenantSql,
      allAccountsSql: pools.allAccountsSql,
      files,
      dataFolder,
      scanner: config.CLAMD_HOST === undefined ? undefined : openScanner(config.CLAMD_HOST, report),
      openBytesMax: config.UPLOADS_OPEN_MB * MB,
      storedBytesMax: config.FILES_PER_ACCOUNT_MB * MB,
    }),
    end: async () => {
      await disks.close();
      await Promise.all(Object.values(pools).map((sql) => sql.end({ timeout: 5 })));
    },
  };
}

type SystemToken = Awaited<ReturnType<typeof ensureSystemToken>>;
type Joined = Pick<Container, 'subscribers' | 'messages' | 'onWork' | 'simulator' | 'tell'>;

/** Phones tell what came, the house tells phones: two halves that know each other only here. */
function joinDomains(resources: Resources, system: () => SystemToken): Joined {
  const { config, log, now, report, tenantSql, allAccountsSql, accept, secrets, prices, files } =
    resources;
  const listeners: (() => void)[] = [];
  const tell: Container['tell'] = (phone, text, shown = text) =>
    messages.sendAsSystem(system(), { to: phone, text, shown });
  const connecting: ConnectDeps = { allAccountsSql, secrets, tell, report };
  const simulator = openSimulator({
    allAccountsSql,
    config,
    connecting,
    files,
    show: (accountId, type, body) => contentOf({ accountId, type, body }, files.link),
    receiveBankLine: (line) => receiveBankLine({ allAccountsSql, config, now }, line),
    report,
  });
  const subscribers = createSubscribers({ config, sinks: () => messages.sinks, connecting });
  const messages = openMessages({
    sql: tenantSql,
    allAccountsSql,
    acceptSql: accept,
    prices,
    channels: config.SIMULATOR ? channelsOf(simulator.channel) : channelsOf(),
    fileLink: files.link,
    offerFile: files.offer,
    origin: config.PUBLIC_URL ?? `http://localhost:${config.PORT}`,
    log,
    now,
    pacePerSecond: config.LANE_PACE_PER_SECOND,
    onWork: () => {
      for (const listener of listeners) listener();
    },
    onReceived: subscribers.messageReceived,
  });
  return {
    tell,
    simulator,
    messages,
    subscribers,
    onWork: (listener) => listeners.push(listener),
  };
}
