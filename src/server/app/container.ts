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
import { proveWalls } from '#server/infra/postgres/row-level-security.ts';
import { type Files, openFiles } from '#server/domains/media/files.ts';
import { openScanner } from '#server/domains/media/inspection/inspect-malware.ts';
import { type LiveHub, openLive } from '#server/domains/events/live.ts';
import type { Log } from '#server/infra/observability/log.ts';
import { type Metrics, openMetrics } from '#server/infra/observability/metrics.ts';
import { openOutbound } from '#server/infra/net/outbound.ts';
import { type Secrets, readSecrets } from '#server/infra/security/secrets.ts';
import { type Uploads, openUploads } from '#server/domains/media/uploads/uploads.ts';
import { readVapid } from '#server/domains/push/vapid.ts';
import { type Consequences, consequencesOf } from './subscribers.ts';
import { holdingsOf } from './account-data.ts';

/** Everything behind the doors, opened and joined. */
export type House = {
  config: Config;
  log: Log;
  now: () => Date;
  /** Names the built web app. */
  build: string;
  /** Sees one account at a time. */
  tenant: Sql;
  /** Sees all accounts. */
  house: Sql;
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
  consequences: Consequences;
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
export async function openHouse(wanted: Wanted): Promise<House> {
  const { config, url, build } = wanted;
  const ground = await openGround(wanted);
  const { tenant, house, secrets, prices, report } = ground;
  const joined = joinDomains(ground, () => system);
  const newOperator = await ensureOperator(
    house,
    config,
    joined.consequences.systemAccountOpened,
    wanted.handOver,
  );
  const system = await ensureSystemToken(house, config.OPERATOR_PHONE);
  const keyRing = openKeyRing({ house, report });
  const live = openLive({
    tenant,
    house,
    openListening: () => openDatabase(url, { max: 1, as: 'house', name: 'live' }),
    report,
  });
  const metrics = openMetrics();
  const sessions = openSessions(ground.callers);
  return {
    ...ground,
    ...joined,
    build,
    newOperator,
    keyRing,
    live,
    metrics,
    push: await preparePush(ground, metrics),
    ...openHoldings({ ...ground, sessions }, join(wanted.dataFolder, 'exports'), joined.tell),
    sessions,
    captcha: openCaptcha({ house, secrets, config, report }),
    close: async () => {
      await joined.messages.close();
      await Promise.all([keyRing.close(), live.close()]);
      prices.close();
      await ground.end();
    },
  };
}

async function preparePush(ground: Ground, metrics: Metrics): Promise<PushDeps> {
  const { config, house, secrets, log, report } = ground;
  const notices = metrics.counter('kabari_notices_total', 'Notices to browsers, by how they ended');
  return {
    house,
    config,
    secrets,
    log,
    report,
    excerptOf,
    vapid: await readVapid(house, secrets),
    outbound: openOutbound({ listed: config.PUSH_SERVICES }),
    told: (outcome) => notices.add({ outcome }),
  };
}

/** What accounts hold: how it is taken along, and how it goes. */
function openHoldings(
  { tenant, house, secrets, files, uploads, report, sessions }: Ground & Pick<House, 'sessions'>,
  folder: string,
  sendOtp: House['tell'],
): Pick<House, 'eraseDue' | 'exports'> {
  const archives = openExports({
    sql: tenant,
    house,
    secrets,
    folder,
    holdings: () => holdings,
    sessions,
    sendOtp,
    report,
  });
  const { holding } = archives;
  const holdings = holdingsOf({ sql: tenant, house, secrets, files, uploads, archives: holding });
  return {
    exports: archives,
    eraseDue: () => eraseDue({ house, sendOtp, holdings, report }),
  };
}

/** What every domain stands on. */
type Ground = Pick<
  House,
  | 'config'
  | 'disks'
  | 'files'
  | 'house'
  | 'log'
  | 'now'
  | 'prices'
  | 'report'
  | 'secrets'
  | 'tenant'
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
const POOL = { tenant: 10, house: 8, accept: 10, callers: 2 } as const;

async function openGround({ config, log, url, dataFolder, ...given }: Wanted): Promise<Ground> {
  const { now = () => new Date() } = given;
  const pools = {
    tenant: openDatabase(url, { max: POOL.tenant, as: 'tenant', name: 'portal' }),
    house: openDatabase(url, { max: POOL.house, as: 'house', name: 'house' }),
    accept: openDatabase(url, { max: POOL.accept, as: 'house', name: 'accept' }),
    callers: openDatabase(url, { max: POOL.callers, as: 'house', name: 'callers' }),
  };
  const report = (trouble: unknown) => {
    if (isTransient(trouble) || isDiskFull(trouble))
      log.warn({ err: trouble }, 'trouble that may pass');
    else log.error({ err: trouble }, 'a bug');
  };
  await proveWalls([
    { sql: pools.tenant, max: POOL.tenant, sees: 'one account' },
    ...[pools.house, pools.accept, pools.callers].map(
      (sql) => ({ sql, max: POOL.callers, sees: 'all accounts' }) as const,
    ),
  ]);
  const [secrets, prices] = await Promise.all([
    readSecrets(pools.house, config.SECRET_KEY),
    openPrices({ house: pools.house, config, now, onTrouble: report }),
  ]);
  const disks = watchDisks({ folder: dataFolder, sql: pools.house, log });
  const folder = join(dataFolder, 'files');
  const files = openFiles(pools.tenant, folder, secrets, config.MEDIA_ORIGIN);
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
      sql: pools.tenant,
      house: pools.house,
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
type Joined = Pick<House, 'consequences' | 'messages' | 'onWork' | 'simulator' | 'tell'>;

/** Phones tell what came, the house tells phones: two halves that know each other only here. */
function joinDomains(ground: Ground, system: () => SystemToken): Joined {
  const { config, log, now, report, tenant, house, accept, secrets, prices, files } = ground;
  const listeners: (() => void)[] = [];
  const tell: House['tell'] = (phone, text, shown = text) =>
    messages.sendAsSystem(system(), { to: phone, text, shown });
  const connecting: ConnectDeps = { house, secrets, tell, report };
  const simulator = openSimulator({
    house,
    config,
    connecting,
    files,
    show: (accountId, type, body) => contentOf({ accountId, type, body }, files.link),
    receiveBankLine: (line) => receiveBankLine({ house, config, now }, line),
    report,
  });
  const consequences = consequencesOf({ config, sinks: () => messages.sinks, connecting });
  const messages = openMessages({
    sql: tenant,
    house,
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
    onReceived: consequences.messageReceived,
  });
  return {
    tell,
    simulator,
    messages,
    consequences,
    onWork: (listener) => listeners.push(listener),
  };
}
