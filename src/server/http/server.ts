import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { languageOf } from '#contract/language/language.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { Config } from '#server/infra/config.ts';
import { type Log, countedWarnings } from '#server/infra/observability/log.ts';
import { CONNECTIONS_MAX, watchEventLoop } from '#server/infra/observability/process.ts';
import type { Tracing, RequestTrace } from '#server/infra/observability/tracing/tracing.ts';
import type { Histogram } from '#server/infra/observability/metrics.ts';
import { asRefusal, errorResponse } from './answer.ts';
import { isOfApi, phrases, sendProblem } from './v1/answers.ts';
import { type Headers, putHeaders, safetyHeaders } from './site.ts';
import { limitConnections, afterReading, limitBodies } from './connections.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route's name in logs and metrics, where its address is too general. */
    named?: string;
    /** Served also during overload: health. */
    isServedLate?: boolean;
  }
}

type Deps = {
  config: Pick<Config, 'TRUSTED_PROXIES' | 'SIMULATOR' | 'production'>;
  log: Log;
  answered?: Histogram | undefined;
  /** False once the application begins to close: then each response ends its connection. */
  open?: () => boolean;
  tracing?: Tracing | undefined;
  /** Average event-loop delay in milliseconds that makes it refuse callers; 0: never. */
  delayMsMax?: number;
  /** Connections served at once; further ones get 503. */
  connectionsMax?: number;
  /** Time-outs for slow callers, in milliseconds; tests use shorter ones. */
  limits?: SlowLimits;
};

/** For headers, for a body, and for a reader to take the next bytes of a response. */
export type SlowLimits = { headersMs?: number; bodyMs?: number; stalledMs?: number };

/** JSON bodies of the public API; the portal's forms have a lower limit. */
const BODY_BYTES_MAX = 1_048_576;
const HEADER_BYTES_MAX = 16_384;
const HEADERS_MS_MAX = 5_000;
const DELAY_MS_MAX = 250;
/** A single late check is a stall, and already over. */
const LATE_LOOKS_MIN = 2;
/** Longer than any upload may take; `limitBodies` and `withinPace` set the effective limits. */
const REQUEST_MS_MAX = 660_000;
const BUSY_SECONDS = 2;
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/**
 * The HTTP server of all endpoints: time-outs and limits against slow and oversized requests (docs/threats.md, T40
 * to T42), common headers, and the log.
 */
export function openServer({
  config,
  log,
  answered,
  open = () => true,
  tracing,
  delayMsMax = DELAY_MS_MAX,
  connectionsMax = CONNECTIONS_MAX,
  limits = {},
}: Deps): FastifyInstance {
  const headers = safetyHeaders(config);
  /** The number of requests whose headers have arrived, by connection. */
  const begun = new WeakMap<Socket, number>();
  const app = Fastify({
    logger: false,
    bodyLimit: BODY_BYTES_MAX,
    requestTimeout: REQUEST_MS_MAX,
    keepAliveTimeout: 5_000,
    connectionTimeout: 30_000,
    maxRequestsPerSocket: 1_000,
    trustProxy: config.TRUSTED_PROXIES.length === 0 ? false : [...config.TRUSTED_PROXIES],
    genReqId: () => `req_${randomUUID().replaceAll('-', '')}`,
    requestIdHeader: false,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    exposeHeadRoutes: true,
    routerOptions: { maxParamLength: 512, ignoreTrailingSlash: false },
    http: {
      headersTimeout: limits.headersMs ?? HEADERS_MS_MAX,
      connectionsCheckingInterval: 1_000,
      maxHeaderSize: HEADER_BYTES_MAX,
    },
    frameworkErrors: (_error, request: FastifyRequest, reply: FastifyReply) =>
      refuseAddress(request, reply.headers({ ...headers, 'x-request-id': request.id })),
    clientErrorHandler: (error, socket) => {
      if (error.code !== TIMEOUT) return refuseRaw(error, socket, headers);
      const before = begun.get(socket);
      return afterReading(() => {
        if (begun.get(socket) === before) refuseRaw(error, socket, headers);
      });
    },
  });
  app.server.maxHeadersCount = 60;
  app.server.prependListener('request', ({ socket }, response) => {
    begun.set(socket, (begun.get(socket) ?? 0) + 1);
    // Keep-alive clients then reconnect to another node.
    if (!open()) response.shouldKeepAlive = false;
  });
  cutSlowReaders(app, limits.stalledMs);
  putHeaders(app, headers);
  limitBodies(app, limits.bodyMs);
  app.addHook('onRequest', async ({ method, headers: requestHeaders }) => {
    if (!methods.has(method)) {
      throw new Refusal('method_not_allowed', { allow: [...methods].join(', ') });
    }
    if ((requestHeaders['content-encoding'] ?? 'identity') !== 'identity') {
      throw new Refusal('media_type_unsupported', {});
    }
    return undefined;
  });
  refuseWhenOverloaded(app, delayMsMax);
  recordAnswers(app, { log, answered, tracing });
  answerErrors(app, log);
  limitConnections(app, { max: connectionsMax, headers });
  return app;
}

function answerErrors(app: FastifyInstance, log: Log): void {
  app.setErrorHandler((error, request, reply) => {
    const { status, body, retryAfter } = errorResponse(asRefusal(error, request.id));
    if (status === 500)
      log.error({ request: request.id, err: error }, 'a bug was answered with 500');
    if (retryAfter !== undefined) reply.header('retry-after', retryAfter);
    if (error instanceof Refusal && 'allow' in error.facts) {
      reply.header('allow', error.facts.allow);
    }
    return reply
      .code(status)
      .header('cache-control', 'no-store')
      .type('application/json; charset=utf-8')
      .send(body);
  });
}

/** A malformed address matches no route; under the API's prefix it gets the API's format. */
function refuseAddress({ url, headers, id }: FastifyRequest, reply: FastifyReply): void {
  const language = languageOf(headers['accept-language']);
  if (isOfApi(url)) {
    const no = new Refusal('request_malformed', { why: phrases.address[language] });
    sendProblem(no, { language, requestId: id }, reply);
  } else reply.code(400).type('text/plain; charset=utf-8').send('Alamat tidak dikenali.');
}

function refuseWhenOverloaded(app: FastifyInstance, delayMsMax: number): void {
  if (delayMsMax === 0) return;
  let lateLooks = 0;
  let stop: (() => void) | undefined;
  app.addHook('onReady', async () => {
    stop = watchEventLoop((delayMs) => (lateLooks = delayMs > delayMsMax ? lateLooks + 1 : 0));
  });
  app.addHook('onClose', async () => stop?.());
  app.addHook('onRequest', async ({ is404, method, routeOptions }) => {
    if (lateLooks < LATE_LOOKS_MIN || routeOptions.config.isServedLate) return;
    // The web app's files, which have no route, cost nothing, and a page stays broken after one of them is refused.
    if (is404 && (method === 'GET' || method === 'HEAD')) return;
    throw new Refusal('busy', { seconds: BUSY_SECONDS });
  });
}

/** Never records the raw address, which may hold personal data. */
function recordAnswers(
  app: FastifyInstance,
  { log, answered, tracing }: Pick<Deps, 'log' | 'answered' | 'tracing'>,
): void {
  if (tracing) traceRequests(app, tracing);
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.config.named ?? request.routeOptions.url ?? 'none';
    const status = reply.statusCode;
    answered?.observe(reply.elapsedTime / 1000, { route, status: String(status) });
    const level = status >= 500 ? 'warn' : 'debug';
    if (!log.isLevelEnabled(level)) return;
    const ms = Math.round(reply.elapsedTime);
    const line = { request: request.id, method: request.method, route, status, ms, ip: request.ip };
    // Overload produces thousands of refusals a second.
    if (status === 503) countedWarnings(log)(line, 'answered');
    else log[level](line, 'answered');
  });
}

const TIMEOUT = 'ERR_HTTP_REQUEST_TIMEOUT';
const rawStatus: Readonly<Record<string, string>> = {
  [TIMEOUT]: '408 Request Timeout',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
};

/** Time for a caller who was cut off to read the reason, in milliseconds. */
const LINGER_MS = 1_000;

/** Not HTTP, or too slow: one line back, and the socket is closed. */
function refuseRaw(error: Error & { code?: string }, socket: Socket, headers: Headers): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = rawStatus[error.code ?? ''] ?? '400 Bad Request';
  const lines = Object.entries({ ...headers, 'cache-control': 'no-store' }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  socket.end(
    `HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n${lines.join('')}\r\n`,
  );
  // A caller who does not close could keep the connection by sending a byte now and then.
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

declare module 'fastify' {
  interface FastifyContextConfig {
    traced?: boolean;
  }
}

/**
 * Traces the requests of every route, except files of the web app and routes that opt out. A trace has the route,
 * never the address, which may hold phone numbers and ids.
 */
function traceRequests(app: FastifyInstance, tracing: Tracing): void {
  const traces = new WeakMap<FastifyRequest, RequestTrace>();
  app.addHook('onRequest', async (request) => {
    if (routeOf(request) === undefined) return;
    const { traceparent } = request.headers;
    traces.set(request, tracing.begin(typeof traceparent === 'string' ? traceparent : undefined));
  });
  // After the body was read, which leaves the context that earlier hooks set.
  app.addHook('preHandler', (request, _reply, done) => {
    const trace = traces.get(request);
    if (trace) tracing.answering(trace, done);
    else done();
  });
  app.addHook('onResponse', async (request, reply) => {
    const [trace, route] = [traces.get(request), routeOf(request)];
    if (!trace || route === undefined) return;
    const { method, protocol: scheme, id: requestId } = request;
    tracing.answered(trace, { method, route, scheme, status: reply.statusCode, requestId });
  });
}

function routeOf({ is404, routeOptions }: FastifyRequest): string | undefined {
  const { url, config } = routeOptions;
  if (is404 || config.traced === false || url === undefined || url.endsWith('*')) return undefined;
  return config.named ?? url;
}

/** A response of which nothing could be written for this long is cut off, like a stalled body. */
const STALLED_MS = 15_000;
/** Pending responses of one connection: browsers and API clients send one request at a time. */
const PIPELINED_MAX = 32;

/** libuv's counters of a connection; Node's own socket time-out reads them too. */
type WithHandle = { _handle?: { bytesWritten: number; writeQueueSize: number } | null };
type Reader = { taken: number; movedAt: number };

/**
 * Cuts off callers who do not read their responses: files, archives, the live stream. Also those who keep sending
 * requests without reading.
 *
 * Progress is measured by the bytes that the system accepts: it buffers some MB for a slow reader, and accepts more
 * only after a third of that was read.
 *
 * @param stalledMs how long nothing may be accepted while data waits.
 */
function cutSlowReaders(app: FastifyInstance, stalledMs = STALLED_MS): void {
  const readers = new Map<Socket, Reader>();
  app.server.on('connection', (socket: Socket) => {
    readers.set(socket, { taken: 0, movedAt: performance.now() });
    socket.once('close', () => readers.delete(socket));
  });
  const look = () => {
    const now = performance.now();
    for (const [socket, reader] of readers) {
      const { taken, waiting } = writtenBy(socket);
      if (waiting === 0 || taken !== reader.taken) Object.assign(reader, { taken, movedAt: now });
      // Only a reset makes the system discard its buffer at once.
      else if (now - reader.movedAt >= stalledMs) socket.resetAndDestroy();
    }
  };
  const timer = setInterval(look, Math.min(1_000, stalledMs / 4)).unref();
  app.addHook('onClose', async () => clearInterval(timer));

  const open = new WeakMap<Socket, number>();
  app.addHook('onRequest', async ({ raw: { socket } }, reply) => {
    const waiting = (open.get(socket) ?? 0) + 1;
    open.set(socket, waiting);
    reply.raw.once('close', () => open.set(socket, (open.get(socket) ?? 1) - 1));
    if (waiting <= PIPELINED_MAX && !socket.destroyed) return undefined;
    socket.destroy();
    return reply.hijack();
  });
}

function writtenBy(socket: Socket): { taken: number; waiting: number } {
  const { _handle: handle } = socket as unknown as WithHandle;
  const taken = handle ? handle.bytesWritten - handle.writeQueueSize : socket.bytesWritten;
  return { taken, waiting: socket.bytesWritten - taken };
}
