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
    /** How this route is named in logs and figures, where its address says less. */
    named?: string;
    /** Answered also while this process sends callers away: health. */
    isServedLate?: boolean;
  }
}

type Deps = {
  config: Pick<Config, 'TRUSTED_PROXIES' | 'SIMULATOR' | 'production'>;
  log: Log;
  /** Seconds an answer took, by route and status. */
  answered?: Histogram | undefined;
  /** False from the moment the application begins to close: then each answer is the last of its connection. */
  open?: () => boolean;
  tracing?: Tracing | undefined;
  /** Late by more than this on average, in milliseconds, callers are sent away; 0 sends nobody. */
  delayMsMax?: number;
  /** Connections that are served at once; above, callers are answered 503. */
  connectionsMax?: number;
  /** How long slow callers are waited for, in milliseconds; tests have less time. */
  limits?: SlowLimits;
};

/** For headers, for a body, and for somebody to take the next byte of an answer. */
export type SlowLimits = { headersMs?: number; bodyMs?: number; stalledMs?: number };

/** JSON bodies of the public API; the portal's forms have a smaller limit of their own. */
const BODY_BYTES_MAX = 1_048_576;
const HEADER_BYTES_MAX = 16_384;
const HEADERS_MS_MAX = 5_000;
const DELAY_MS_MAX = 250;
/** Late once is a stall, and it is over. */
const LATE_LOOKS_MIN = 2;
/** Longer than any upload may take; `limitBodies` and `withinPace` set the limits that count. */
const REQUEST_MS_MAX = 660_000;
const BUSY_SECONDS = 2;
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/**
 * The HTTP server behind all endpoints: time-outs and limits against slow and giant callers
 * (docs/threats.md, T40 to T42), the headers of every answer, and the log.
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
  /** Requests whose headers have come, by connection. */
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
    // Whoever keeps connections opens the next one elsewhere.
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
  refuseWhenLate(app, delayMsMax);
  recordAnswers(app, { log, answered, tracing });
  answerErrors(app, log);
  limitConnections(app, { max: connectionsMax, headers });
  return app;
}

/** What was thrown is answered as a refusal; what is our fault is logged. */
function answerErrors(app: FastifyInstance, log: Log): void {
  app.setErrorHandler((error, request, reply) => {
    const { status, body, retryAfter } = errorResponse(asRefusal(error, request.id));
    if (status === 500) log.error({ request: request.id, err: error }, 'a bug answered 500');
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

/** An address that cannot be read belongs to no route; the API says so as it says everything. */
function refuseAddress({ url, headers, id }: FastifyRequest, reply: FastifyReply): void {
  const language = languageOf(headers['accept-language']);
  if (isOfApi(url)) {
    const no = new Refusal('request_malformed', { why: phrases.address[language] });
    sendProblem(no, { language, requestId: id }, reply);
  } else reply.code(400).type('text/plain; charset=utf-8').send('Alamat tidak dikenali.');
}

/** Sends callers away while this process is late for longer than a moment. */
function refuseWhenLate(app: FastifyInstance, delayMsMax: number): void {
  if (delayMsMax === 0) return;
  let lateLooks = 0;
  let stop: (() => void) | undefined;
  app.addHook('onReady', async () => {
    stop = watchEventLoop((delayMs) => (lateLooks = delayMs > delayMsMax ? lateLooks + 1 : 0));
  });
  app.addHook('onClose', async () => stop?.());
  app.addHook('onRequest', async ({ is404, method, routeOptions }) => {
    if (lateLooks < LATE_LOOKS_MIN || routeOptions.config.isServedLate) return;
    // The web app's own files, which no route knows: they cost nothing, and a page that was refused
    // one of its pieces stays broken.
    if (is404 && (method === 'GET' || method === 'HEAD')) return;
    throw new Refusal('busy', { seconds: BUSY_SECONDS });
  });
}

/** One line, one figure and a span per answer; never an address as it came, which may hold anything. */
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
    // Of callers who are sent away there are thousands in a second.
    if (status === 503) countedWarnings(log)(line, 'answered');
    else log[level](line, 'answered');
  });
}

const TIMEOUT = 'ERR_HTTP_REQUEST_TIMEOUT';
const rawStatus: Readonly<Record<string, string>> = {
  [TIMEOUT]: '408 Request Timeout',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
};

/** So long a caller who was cut off has to read why. */
const LINGER_MS = 1_000;

/** What is not HTTP, or too slow, never becomes a request: one line back, and the socket is closed. */
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
  // Who does not close as well would keep the connection for as long as they send a byte now and then.
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** False: its requests are in no trace. */
    traced?: boolean;
  }
}

/**
 * Records the requests of every route, except files of the web app and routes that say so. Of a request a trace has
 * the route, never the address: that may hold phone numbers and ids.
 */
function traceRequests(app: FastifyInstance, tracing: Tracing): void {
  const traces = new WeakMap<FastifyRequest, RequestTrace>();
  app.addHook('onRequest', async (request) => {
    if (routeOf(request) === undefined) return;
    const { traceparent } = request.headers;
    traces.set(request, tracing.begin(typeof traceparent === 'string' ? traceparent : undefined));
  });
  // After the body was read, which happens outside of the context that hooks before it began.
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

/** The route as it is called in figures, too; undefined for what is not recorded. */
function routeOf({ is404, routeOptions }: FastifyRequest): string | undefined {
  const { url, config } = routeOptions;
  if (is404 || config.traced === false || url === undefined || url.endsWith('*')) return undefined;
  return config.named ?? url;
}

/** An answer of which nothing could be written for so long is cut off, as a body that does not come is. */
const STALLED_MS = 15_000;
/** Answers that one connection may have waiting: browsers and clients of APIs ask for one at a time. */
const PIPELINED_MAX = 32;

/** What libuv knows of a connection. Node's own time-out of sockets looks at it in the same way. */
type WithHandle = { _handle?: { bytesWritten: number; writeQueueSize: number } | null };
type Reader = { taken: number; movedAt: number };

/**
 * Cuts off who does not read what they asked for: answers, files, archives, the live stream. Also who
 * asks on and on without reading.
 *
 * What counts is what the system takes: it keeps up to some MB for a slow reader, and goes on only when
 * a third of that has been read.
 *
 * @param stalledMs how long nothing may be taken while something waits.
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
      // Only a reset makes the system forget the rest at once.
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

/** Bytes of a connection that the system has taken, and those that wait for it. */
function writtenBy(socket: Socket): { taken: number; waiting: number } {
  const { _handle: handle } = socket as unknown as WithHandle;
  const taken = handle ? handle.bytesWritten - handle.writeQueueSize : socket.bytesWritten;
  return { taken, waiting: socket.bytesWritten - taken };
}
