import type { FastifyInstance } from 'fastify';
import { actHandlers } from '#server/app/acts.ts';
import { registerApi } from './api.ts';
import type { Container } from '#server/app/container.ts';
import { registerHealth } from './health.ts';
import type { Worker } from '#server/app/worker.ts';
import {
  activeSessions,
  needsSecondFactor,
  verifyExport,
} from '#server/domains/accounts/accounts.ts';
import { verifyRowExport } from '#server/domains/exports/exports.ts';
import { verifyFile } from '#server/domains/media/media.ts';
import { openAuditExport } from '#server/domains/operator/operator.ts';
import { openTranscript } from '#server/domains/support/support.ts';
import { registerCloudCallbacks } from '#server/http/callbacks/cloud.ts';
import { registerCallbacks } from '#server/http/callbacks/callbacks.ts';
import { createActEndpoint } from '#server/http/portal/acts.ts';
import {
  registerAuditExports,
  registerStatements,
  registerTranscripts,
} from '#server/http/documents/statements.ts';
import { registerVerifyPage } from '#server/http/documents/verify-page.ts';
import {
  registerArchives,
  registerRowExports,
  registerFiles,
  registerInvoices,
} from '#server/http/uploads/files.ts';
import { type LiveStreams, openStreams } from '#server/http/live/live.ts';
import type { Origins } from '#server/http/origin.ts';
import { knownDevice } from '#server/http/portal/device.ts';
import { openPortal } from '#server/http/portal/portal.ts';
import { type SlowLimits, openServer } from '#server/http/server.ts';
import { registerUploads } from '#server/http/uploads/uploads.ts';
import { type WebApp, openStatic } from '#server/http/site/static.ts';
import { openAnswers } from '#server/infra/acts/answers.ts';
import { openAudit } from '#server/infra/acts/audit.ts';
import { captchaSourcesOf } from '#server/infra/security/captcha-providers.ts';
import { isTransient } from '#server/infra/postgres/database.ts';
import { openLimiter } from '#server/infra/acts/limits.ts';

type HttpOptions = {
  webApp: WebApp;
  /** The worker in this process, when there is one. */
  worker: Worker | undefined;
  /** False from the moment the application begins to close. */
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
  });
  // First: under the files' own address nobody else is asked, the API for its key as little as a portal.
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
  registerHealth(app, container, { worker, open });
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
  const { config, log } = container.infra;
  const app = openServer({ config, log, open });
  registerHealth(app, container, { worker, open });
  return app;
}

/** Invoices, statements and what else is written as it is read, and the public page that verifies a document. */
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
    const level = isTransient(bug) ? 'warn' : 'error';
    log[level]({ request: requestId, act, err: bug }, 'an act failed');
  };
  const calls = metrics.counter('kabari_acts_total', 'Calls of acts, by act and outcome');
  const endpoint = createActEndpoint(actHandlers(container), {
    findSession: (token) => accounts.sessions.find(token),
    isElsewhere: (person, device) => accounts.sessions.isElsewhere(person, device),
    reauthOf: (sessionId, device) => accounts.sessions.reauthOf(sessionId, device),
    needsSecondFactor: (person) => needsSecondFactor(config, person),
    limiter,
    answers: openAnswers(allAccountsSql, secrets, infra.report),
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
      // Until the required second factor is there, such a session is good for nothing but setting it up.
      if (!person || needsSecondFactor(config, person)) return undefined;
      if (!person.secondFactor) return person;
      // As acts have it: one that gave a second factor is good in its own browser only.
      const device = knownDevice(request, { origins, production: config.production });
      const isOwn = device !== undefined && !accounts.sessions.isElsewhere(person, device);
      return isOwn ? person : undefined;
    },
    limiter,
    origins,
    report,
  });
}
