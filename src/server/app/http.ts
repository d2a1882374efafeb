import type { FastifyInstance } from 'fastify';
import { actHandlers } from '#server/app/acts.ts';
import type { Container } from '#server/app/container.ts';
import type { Worker } from '#server/app/worker.ts';
import {
  activeSessions,
  needsSecondFactor,
  verifyExport,
  wrongCodes,
} from '#server/domains/accounts/accounts.ts';
import { verifyRowExport } from '#server/domains/exports/exports.ts';
import { mediaEndpoints, verifyFile } from '#server/domains/media/media.ts';
import { openAuditExport, booksRed } from '#server/domains/operator/operator.ts';
import { openTranscript } from '#server/domains/support/support.ts';
import { registerCloudCallbacks, registerCallbacks } from '#server/http/callbacks.ts';
import { createActEndpoint, openPortal, knownDevice } from '#server/http/portal.ts';
import {
  registerAuditExports,
  registerStatements,
  registerTranscripts,
  registerVerifyPage,
} from '#server/http/documents.ts';
import {
  registerArchives,
  registerRowExports,
  registerFiles,
  registerInvoices,
  registerUploads,
} from '#server/http/uploads.ts';
import { type LiveStreams, openStreams } from '#server/http/live.ts';
import type { Origins } from '#server/http/origin.ts';
import { type SlowLimits, openServer } from '#server/http/server.ts';
import { type WebApp, openStatic, type Check, openHealth } from '#server/http/site.ts';
import { openIdempotencyStore, openAudit, openLimiter } from '#server/infra/acts.ts';
import { captchaSourcesOf } from '#server/infra/security/captcha-providers.ts';
import {
  connectionsMaxOf,
  descriptorLimit,
  measureProcess,
} from '#server/infra/observability/process.ts';
import { countedWarnings } from '#server/infra/observability/log.ts';
import { isTransient, runnerOf, asAccount } from '#server/infra/postgres/database.ts';
import { RealChannel } from '#contract/operator/overview.ts';
import {
  countClosings,
  countNumbers,
  countUnreadable,
  isOffered,
} from '#server/domains/channels/channels.ts';
import { checkOutbox, countSetAside, outboxLagSeconds } from '#server/domains/events/events.ts';
import { countDispatch, laneLagSeconds, shownNamesOf } from '#server/domains/messages/messages.ts';
import { countGatewayWork, moneyWork, unmatchedLines } from '#server/domains/payments/payments.ts';
import { countWebhooks, webhookLagSeconds } from '#server/domains/webhooks/webhooks.ts';
import { openConnections } from '#server/http/connections.ts';
import { watchFileStore } from '#server/infra/file-store/open.ts';
import { jobSamples } from '#server/infra/jobs.ts';
import { measureDisks } from '#server/infra/observability/disk.ts';
import { checkReachable } from '#server/infra/observability/reachable.ts';
import { backupFailed, lastBackupSeconds, backupFolderOf } from './jobs.ts';
import { createHash } from 'node:crypto';
import { API_PREFIX } from '#contract/rest/endpoint.ts';
import { ledgerEndpoints, walletOf } from '#server/domains/ledger/ledger.ts';
import { networkQr } from '#server/domains/channels/web/web.ts';
import {
  tokenEndpoints,
  storedFacts,
  storedPath,
  shownAddress,
  hasHadToken,
  readToken,
  unlinkPhone,
  createLink,
} from '#server/domains/tokens/tokens.ts';
import { createAccess } from '#server/http/access.ts';
import { MCP_PATH, openMcp } from '#server/http/mcp/mcp.ts';
import { openApi } from '#server/http/v1/api.ts';
import type { KeyHolder } from '#server/infra/endpoints.ts';
import { inAccount } from '#server/infra/postgres/distribution/scope.ts';
import { RELEASE } from './infra.ts';
import { type CloudDeps, openCloud } from '#server/http/dialects/cloud/cloud.ts';
import { publicId } from '#contract/base/ids.ts';
import { fitsKind } from '#contract/media.ts';
import type { Device, DialectDeps, FileKind } from '#server/http/dialects/dialect.ts';
import { openFonnte } from '#server/http/dialects/fonnte.ts';
import { openWablas } from '#server/http/dialects/wablas/wablas.ts';
import type { RunIdempotent } from '#server/http/v1/send.ts';

type HttpOptions = {
  webApp: WebApp;
  worker: Worker | undefined;
  /** False once the application begins to close. */
  open: () => boolean;
  delayMsMax?: number;
  limits?: SlowLimits;
};

export type HttpServer = {
  app: FastifyInstance;
  /** Serves health and metrics on a separate port, where one is set. */
  health: FastifyInstance | undefined;
  /** Ends the live streams, which would otherwise keep the server from closing. */
  closeStreams: () => void;
};

/** Enough for load balancers, Prometheus and an operator, within the reserved descriptors. */
const HEALTH_CONNECTIONS_MAX = 32;

/** Registers every endpoint; the server does not listen yet. */
export function openHttp(
  container: Container,
  { webApp, worker, open, ...given }: HttpOptions,
): HttpServer {
  const { config, log, metrics, secrets, report, tracing } = container.infra;
  const { accounts, media } = container;
  const app = openServer({
    ...given,
    config,
    log,
    open,
    tracing,
    answered: metrics.histogram(
      'kabari_http_seconds',
      'Seconds until an answer, by route and status',
    ),
    connectionsMax: connectionsMaxOf(descriptorLimit()),
  });
  // Registered first: on the files' own host neither the API nor the portal answers.
  const files = {
    verify: (signed: { id: string; key: string }) => verifyFile(secrets, signed),
    open: media.files.open,
  };
  registerFiles(app, files, config.MEDIA_ORIGIN);
  const streams = openStreams({
    alive: (sessions) => activeSessions(container.pools.allAccountsSql, sessions),
    report,
  });
  registerPortal(app, container, streams);
  registerCallbacks(app, {
    providers: ['midtrans', 'xendit'],
    receive: container.payments.receive,
    report: (bug, requestId) => log.error({ request: requestId, err: bug }, 'a callback failed'),
  });
  registerCloudCallbacks(app, {
    callbacks: container.channels.cloud.callbacks,
    report: (bug, requestId) => log.error({ request: requestId, err: bug }, 'a callback failed'),
  });
  registerApi(app, container);
  registerArchives(app, {
    verify: (signed) => verifyExport(secrets, signed),
    open: accounts.exports.open,
  });
  registerRowExports(app, {
    verify: (signed) => verifyRowExport(secrets, signed),
    open: container.rowExports.open,
  });
  registerDocuments(app, container);
  const health = config.HEALTH_PORT === undefined ? undefined : openHealthPort(container, open);
  registerHealth([app, ...(health ? [health] : [])], container, { worker, open });
  openStatic(app, webApp, {
    apiOrigin: config.API_URL,
    mediaOrigin: config.MEDIA_ORIGIN,
    captcha: captchaSourcesOf(config),
    simulator: config.SIMULATOR,
    gallery: !config.production,
  });
  return { app, health, closeStreams: streams.close };
}

/** The server of a process without endpoints: health and metrics only. */
export function openHealthServer(
  container: Container,
  worker: Worker | undefined,
  open: () => boolean,
): FastifyInstance {
  const app = openHealthPort(container, open);
  registerHealth([app], container, { worker, open });
  return app;
}

/** Has its own queue and limit: callers of the other port neither delay nor exhaust it. */
const openHealthPort = (
  { infra: { config, log } }: Container,
  open: () => boolean,
): FastifyInstance =>
  openServer({ config, log, open, delayMsMax: 0, connectionsMax: HEALTH_CONNECTIONS_MAX });

function registerDocuments(
  app: FastifyInstance,
  { billing, infra, pools, support }: Container,
): void {
  const { invoices } = billing;
  const limiter = openLimiter(pools.allAccountsSql, {
    authMax: infra.config.RATE_AUTH_PER_ADDRESS,
  });
  registerInvoices(app, invoices.documents);
  const allow = (ip: string) => limiter.allow('scan', { ip });
  registerStatements(app, { open: invoices.openStatement, allow });
  registerTranscripts(app, { open: (address) => openTranscript(support.deps, address), allow });
  registerAuditExports(app, {
    open: (address) => openAuditExport({ ...infra, allAccountsSql: pools.allAccountsSql }, address),
    allow,
  });
  registerVerifyPage(app, { find: invoices.findVerified, allow });
}

function registerPortal(app: FastifyInstance, container: Container, streams: LiveStreams): void {
  const { accounts, infra, media, pools } = container;
  const { config, log, metrics, secrets } = infra;
  const { allAccountsSql } = pools;
  const origins: Origins = {
    own: config.PUBLIC_URL,
    portals: config.PORTAL_ORIGINS,
    trustsHost: !config.production,
  };
  const limiter = openLimiter(allAccountsSql, { authMax: config.RATE_AUTH_PER_ADDRESS });
  const report = (bug: unknown, { requestId, act }: { requestId: string; act: string }) => {
    const line = { request: requestId, act, err: bug };
    if (isTransient(bug)) countedWarnings(log)(line, 'an act failed');
    else log.error(line, 'an act failed');
  };
  const calls = metrics.counter('kabari_acts_total', 'Calls of acts, by act and outcome');
  const endpoint = createActEndpoint(actHandlers(container), {
    findSession: (token) => accounts.sessions.find(token),
    isElsewhere: (person, device) => accounts.sessions.isElsewhere(person, device),
    reauthOf: (sessionId, device) => accounts.sessions.reauthOf(sessionId, device),
    hasHadToken: (accountId) => hasHadToken(pools.tenantSql, accountId),
    needsSecondFactor: (person) => needsSecondFactor(config, person),
    limiter,
    answers: openIdempotencyStore(allAccountsSql, secrets, infra.report),
    audit: openAudit(allAccountsSql),
    knownNumbers: container.messages.api.known,
    origins,
    report,
    onMetric: ({ act, outcome }) => calls.add({ act, outcome }),
  });
  openPortal(app, { endpoint, streams, origins, production: config.production, report });
  registerUploads(app, {
    uploads: media.uploads,
    openFile: media.files.open,
    findSession: async (token, request) => {
      const person = await accounts.sessions.find(token);
      // Until the required second factor is set up, the session may do nothing else.
      if (!person || needsSecondFactor(config, person)) return undefined;
      if (!person.secondFactor) return person;
      // As for acts: a session that gave a second factor is valid only in its own browser.
      const device = knownDevice(request, { origins, production: config.production });
      const isOwn = device !== undefined && !accounts.sessions.isElsewhere(person, device);
      return isOwn ? person : undefined;
    },
    limiter,
    origins,
    report,
  });
}

type Process = {
  worker: Worker | undefined;
  open: () => boolean;
};

function registerHealth(
  apps: readonly FastifyInstance[],
  container: Container,
  { worker, open }: Process,
): void {
  const { config, log, metrics, store } = container.infra;
  const files = watchFileStore(store, log);
  const replica = () => {
    const stands = container.infra.replica.status();
    return stands && { state: stands.state, lag_seconds: stands.lagSeconds };
  };
  const checks = checksOf(container, worker);
  // Requests are still answered when these fail. Most are the same for all nodes, so failing readiness would remove
  // every node.
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
    const stands = replica.status();
    return stands ? [{ value: stands.state === 'used' ? 1 : 0 }] : [];
  });
  metrics.gauge('kabari_replica_lag_seconds', 'How far the replica is behind', () => {
    const value = replica.status()?.lagSeconds ?? null;
    return value === null ? [] : [{ value }];
  });
  metrics.gauge('kabari_backup_timestamp_seconds', 'When the last whole backup was begun', () =>
    lastBackupSeconds(allAccountsSql),
  );
  metrics.gauge('kabari_backup_failed', '1 while the last backup failed, or is too old', () =>
    backupFailed(allAccountsSql),
  );
}

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

/** Registers the public API in all its dialects, with one access check for all of them. */
function registerApi(app: FastifyInstance, container: Container): void {
  const { infra, media, messages, pools, tokens } = container;
  const { config, log, secrets } = infra;
  app.addHook('preHandler', ({ apiSender }, _reply, done) =>
    apiSender ? inAccount(apiSender.accountId, done) : done(),
  );
  const report = (bug: unknown, requestId: string) => {
    const level = isTransient(bug) ? 'warn' : 'error';
    const line = { request: requestId, err: bug };
    if (level === 'warn') countedWarnings(log)(line, 'an API call failed');
    else log.error(line, 'an API call failed');
  };
  const access = createAccess({
    keys: tokens.keyRing,
    ratePerSecond: config.RATE_API_PER_SECOND,
    reject: ({ sender, no, route, url, address, ...call }) =>
      tokens.rejections.record({
        ...call,
        accountId: sender.accountId,
        tokenId: sender.tokenId,
        path: route ?? storedPath(url),
        code: no.code,
        address: shownAddress(address),
        facts: storedFacts(no),
      }),
  });
  const answers = openIdempotencyStore(pools.allAccountsSql, secrets, infra.report);
  const deps = {
    access,
    endpoints: endpointsOf(container),
    messages: messages.api,
    library: media.library,
    files: media.files,
    runIdempotent: async (call: Parameters<typeof keyed>[0], work: () => Promise<string>) => {
      const { body } = await answers.once(keyed(call), async () => ({
        status: 200,
        body: await work(),
        keep: true,
      }));
      return body;
    },
    publicUrl: config.PUBLIC_URL,
    report,
  };
  void app.register(async (scope) => openApi(scope, deps), { prefix: API_PREFIX });
  void app.register(async (scope) => openMcp(scope, { ...deps, version: RELEASE }), {
    prefix: MCP_PATH,
  });
  registerDialects(app, container, deps);
  registerCloud(app, container, { access, report });
}

/** Every endpoint of `/v1` whose input the API reads for it, each exactly once. */
function endpointsOf({ infra, media, messages, pools, subscribers, webhooks }: Container) {
  const { tenantSql: sql } = pools;
  const { secrets } = infra;
  return {
    ...messages.endpoints,
    ...mediaEndpoints(media),
    ...tokenEndpoints({ sql, secrets, subscribers, networkQr: networkQr(secrets) }),
    ...ledgerEndpoints({ sql, shownNamesOf }),
    ...webhooks.endpoints,
  };
}

function keyed(call: { tokenId: string; key: string; endpoint: string; input: string }) {
  const hex = createHash('sha256').update(call.key).digest('hex');
  const key = hex.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  return { person: `token ${call.tokenId}`, key, act: call.endpoint, input: call.input };
}

function registerCloud(
  app: FastifyInstance,
  { infra, media: { files, library }, messages, pools, subscribers, webhooks }: Container,
  { access, report }: Pick<CloudDeps, 'access' | 'report'>,
): void {
  const { config, now, secrets } = infra;
  const deps: CloudDeps = {
    access,
    messages: messages.api,
    webhook: webhooks.calls,
    sql: pools.tenantSql,
    subscribers,
    library,
    files,
    secrets,
    now,
    publicUrl: config.PUBLIC_URL,
    report,
  };
  void app.register(async (scope) => openCloud(scope, deps));
}

type Options = Pick<DialectDeps, 'access' | 'report'> & { runIdempotent: RunIdempotent };

/** Registers the dialects of other gateways that have their own addresses beside `/v1`. */
function registerDialects(
  app: FastifyInstance,
  container: Container,
  { access, runIdempotent, report }: Options,
): void {
  const { infra, messages, pools, subscribers } = container;
  const { config, now, secrets } = infra;
  const deps: DialectDeps = {
    access,
    messages: messages.api,
    device: (sender) => deviceOf(container, sender),
    link: async ({ accountId, tokenId }) => {
      const sql = pools.tenantSql;
      const { path } = await createLink({ sql, secrets, subscribers }, accountId, tokenId);
      return `${config.PUBLIC_URL ?? `http://localhost:${config.PORT}`}${path}`;
    },
    unlink: ({ accountId, tokenId }) =>
      unlinkPhone({ sql: pools.tenantSql, subscribers }, accountId, tokenId),
    storeFile: storeFileIn(container, { access, runIdempotent }),
    now,
    publicUrl: config.PUBLIC_URL,
    report,
  };
  void app.register(async (scope) => openFonnte(scope, deps));
  void app.register(async (scope) => openWablas(scope, deps));
}

/** Stores a file from a request body as `POST /v1/media` does, under the same scope. */
function storeFileIn(
  { media }: Container,
  { access, runIdempotent }: Pick<Options, 'access' | 'runIdempotent'>,
): DialectDeps['storeFile'] {
  return (sender, { filename, type, bytes }, { key, kind }) => {
    const { accountId, tokenId } = sender;
    access.allow(sender, 'media');
    const declared = { name: filename, type };
    return media.library.takeOnce(
      { accountId, declared, bytes, source: 'api', kind },
      async (sha256, take) => {
        const store = async () => {
          const { fileId, mime } = await take();
          return JSON.stringify({ id: publicId('media', fileId), type: kind ?? kindOf(mime) });
        };
        const input = JSON.stringify([sha256.toString('hex'), declared, kind ?? null]);
        const call = { tokenId, endpoint: 'file of a message', input };
        const stored = key === undefined ? store() : runIdempotent({ ...call, key }, store);
        return JSON.parse(await stored) as { id: string; type: FileKind };
      },
    );
  };
}

function kindOf(mime: string): FileKind {
  const kinds = ['image', 'video', 'audio'] as const;
  return kinds.find((kind) => fitsKind(kind, mime)) ?? 'document';
}

async function deviceOf(
  { pools, pricing }: Container,
  { accountId, tokenId }: KeyHolder,
): Promise<Device> {
  const [token, wallet] = await asAccount(pools.tenantSql, accountId, async (tx) => [
    await readToken(tx, accountId, tokenId),
    await walletOf(tx, accountId),
  ]);
  const included = Math.max(0, wallet.planQuota - wallet.planUsed);
  const price = wallet.planPrice || pricing.message();
  const paid = price > 0 ? Math.floor(wallet.available / price) : Infinity;
  const today = Math.max(0, token.daily_limit - token.sent_today);
  return {
    id: token.id,
    name: token.name,
    phone: token.phone,
    connected: token.status === 'linked',
    sentToday: token.sent_today,
    quota: Math.min(today, included + paid),
  };
}
