import type { FastifyInstance } from 'fastify';
import { API_PREFIX } from '#contract/rest.ts';
import { actHandlers } from './acts.ts';
import type { Container } from './container.ts';
import type { Worker } from './worker.ts';
import { aliveSessions, verifyExport } from '#server/domains/accounts/accounts.ts';
import { createActEndpoint } from '#server/http/portal/acts.ts';
import { openApi } from '#server/http/v1/api.ts';
import { registerArchives, registerFiles } from '#server/http/uploads/files.ts';
import { type Check, openHealth } from '#server/http/site/health.ts';
import { type LiveStreams, openStreams } from '#server/http/live/live.ts';
import type { Origins } from '#server/http/origin.ts';
import { openPortal } from '#server/http/portal/portal.ts';
import { type SlowLimits, openServer } from '#server/http/server.ts';
import { registerUploads } from '#server/http/uploads/uploads.ts';
import { type WebApp, openStatic } from '#server/http/site/static.ts';
import { openAnswers } from '#server/infra/acts/answers.ts';
import { openAudit } from '#server/infra/acts/audit.ts';
import { captchaSourcesOf } from '#server/infra/security/captcha-providers.ts';
import { isTransient } from '#server/infra/postgres/database.ts';
import { verifyFile } from '#server/domains/media/files.ts';
import { openLimiter } from '#server/infra/acts/limits.ts';

type Wanted = {
  webApp: WebApp;
  /** The worker in this process, when there is one. */
  worker: Worker | undefined;
  /** False from the moment the house begins to close. */
  open: () => boolean;
  /** See `openServer`; tests share their process with much else. */
  delayMsMax?: number;
  /** See `openServer`. */
  limits?: SlowLimits;
};

export type HttpServer = {
  app: FastifyInstance;
  /** Ends the live streams, which would otherwise never let the server close. */
  closeStreams: () => void;
};

/** Hangs every door of the house; the server does not listen yet. */
export function openHttp(
  container: Container,
  { webApp, worker, open, ...given }: Wanted,
): HttpServer {
  const { config, log, metrics, secrets } = container;
  const app = openServer({
    ...given,
    config,
    log,
    answered: metrics.histogram(
      'kabari_http_seconds',
      'Seconds until an answer, by route and status',
    ),
  });
  // First: under the files' own address nobody else is asked, the API for its key as little as a portal.
  const files = {
    verify: (signed: { id: string; key: string }) => verifyFile(secrets, signed),
    open: container.files.open,
  };
  registerFiles(app, files, config.MEDIA_ORIGIN);
  const streams = openStreams({
    alive: (sessions) => aliveSessions(container.allAccountsSql, sessions),
    report: container.report,
  });
  hangPortal(app, container, streams);
  void app.register(async (scope) => openApi(scope, apiDepsOf(container)), { prefix: API_PREFIX });
  registerArchives(app, {
    verify: (signed) => verifyExport(secrets, signed),
    open: container.exports.open,
  });
  hangHealth(app, container, { worker, open });
  openStatic(app, webApp, {
    apiOrigin: config.API_URL,
    mediaOrigin: config.MEDIA_ORIGIN,
    captcha: captchaSourcesOf(config),
    simulator: config.SIMULATOR,
    gallery: !config.production,
  });
  return { app, closeStreams: streams.close };
}

/** All that a process which only works answers, on a port of its own: health and figures. */
export function openHealthServer(
  container: Container,
  worker: Worker | undefined,
  open: () => boolean,
): FastifyInstance {
  const app = openServer({ config: container.config, log: container.log });
  hangHealth(app, container, { worker, open });
  return app;
}

function hangHealth(
  app: FastifyInstance,
  container: Container,
  { worker, open }: Pick<Wanted, 'worker' | 'open'>,
): void {
  openHealth(app, {
    checks: checksOf(container, worker),
    open,
    metricsText: container.metrics.text,
    metricsToken: container.config.METRICS_TOKEN,
  });
  measure(container, worker);
}

function hangPortal(app: FastifyInstance, container: Container, streams: LiveStreams): void {
  const { config, log, metrics } = container;
  const origins: Origins = {
    own: config.PUBLIC_URL,
    portals: config.PORTAL_ORIGINS,
    trustsHost: !config.production,
  };
  const limiter = openLimiter(container.allAccountsSql, { authMax: config.RATE_AUTH_PER_ADDRESS });
  const report = (bug: unknown, { requestId, act }: { requestId: string; act: string }) => {
    const level = isTransient(bug) ? 'warn' : 'error';
    log[level]({ request: requestId, act, err: bug }, 'an act failed');
  };
  const calls = metrics.counter('kabari_acts_total', 'Calls of acts, by act and outcome');
  const endpoint = createActEndpoint(actHandlers(container), {
    findSession: (token) => container.sessions.find(token),
    isElsewhere: (person, device) => container.sessions.isElsewhere(person, device),
    reauthOf: (sessionId, device) => container.sessions.reauthOf(sessionId, device),
    limiter,
    answers: openAnswers(container.allAccountsSql, container.secrets, container.report),
    audit: openAudit(container.allAccountsSql),
    origins,
    report,
    onMetric: ({ act, outcome }) => calls.add({ act, outcome }),
  });
  openPortal(app, { endpoint, streams, origins, production: config.production, report });
  registerUploads(app, {
    uploads: container.uploads,
    openFile: container.files.open,
    findSession: (token) => container.sessions.find(token),
    limiter,
    origins,
    report,
  });
}

const apiDepsOf = ({ keyRing, messages, config, log }: Container) => ({
  keys: keyRing,
  messages: messages.api,
  ratePerSecond: config.RATE_API_PER_SECOND,
  publicUrl: config.PUBLIC_URL,
  report: (bug: unknown, requestId: string) => {
    const level = isTransient(bug) ? 'warn' : 'error';
    log[level]({ request: requestId, err: bug }, 'an API call failed');
  },
});

/** What must be well before work is given to this process. */
function checksOf(
  { allAccountsSql, disks }: Container,
  worker: Worker | undefined,
): Record<string, Check> {
  return {
    database: async () => {
      await allAccountsSql`select 1`;
    },
    disk: async () => {
      const full = disks.full();
      if (full.length > 0) throw new Error(`no room on the disk of ${full.join(', ')}`);
    },
    // However the work is shared among processes: what waits too long is nobody's. An event that was set
    // aside is not late before its next try is due.
    relay: async () => {
      const [row] = await allAccountsSql`
        select from outbox where at < clock_timestamp() - interval '10 seconds'
          and coalesce(retry_at, at) < clock_timestamp() - interval '10 seconds' limit 1`;
      if (row) throw new Error('the outbox is not published');
    },
    ...(worker && { lanes: async () => worker.checkLanes() }),
  };
}

/** Figures read when somebody asks. */
function measure(
  { metrics, allAccountsSql, live, messages }: Container,
  worker: Worker | undefined,
): void {
  metrics.gauge('kabari_live_streams', 'Open live streams of this process', () => [
    { value: live.following },
  ]);
  metrics.gauge('kabari_accept_waiting', 'Messages waiting to be placed', () => [
    { value: messages.waiting() },
  ]);
  metrics.gauge('kabari_lanes_running', 'Lanes this process owns', () => [
    { value: worker?.lanes.running() ?? 0 },
  ]);
  measureOutbox({ metrics, allAccountsSql });
  metrics.gauge(
    'kabari_dispatch_waiting',
    'Messages waiting to leave',
    () => allAccountsSql<{ value: number }[]>`select count(*) as value from dispatch`,
  );
  metrics.gauge(
    'kabari_lane_lag_seconds',
    'How long the longest-waiting lane has been due',
    () =>
      allAccountsSql<{ value: number }[]>`
      select coalesce(greatest(0, extract(epoch from clock_timestamp() - min(ready_at))), 0)::float8
        as value from lanes where ready_at is not null`,
  );
  metrics.gauge('kabari_resident_bytes', 'Resident memory of this process', () => [
    { value: process.memoryUsage.rss() },
  ]);
}

function measureOutbox({
  metrics,
  allAccountsSql,
}: Pick<Container, 'metrics' | 'allAccountsSql'>): void {
  metrics.gauge(
    'kabari_outbox_oldest_seconds',
    'How long the longest-waiting event has been due',
    () =>
      allAccountsSql<{ value: number }[]>`
      select coalesce(greatest(0, extract(epoch from
        clock_timestamp() - min(coalesce(retry_at, at)))), 0)::float8 as value from outbox`,
  );
  metrics.gauge(
    'kabari_outbox_set_aside',
    'Events that could not be published and are tried again later',
    () => allAccountsSql<{ value: number }[]>`select count(*) as value from outbox where tries > 0`,
  );
}
