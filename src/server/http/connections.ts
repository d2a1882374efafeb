import { type Server, type Socket, createServer } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '#contract/base/refusals.ts';

/**
 * Sockets that listen on one port. libuv accepts one connection per socket and turn of the event loop: with a single
 * socket and turns of 50 ms, a process accepts 20 connections a second, and the others wait for minutes.
 */
const LISTENERS = 16;
/** The accept backlog of all sockets; a client beyond it waits a second before it tries again. */
const BACKLOG = 4_096;
/** Connections above the limit that get a response; more are closed at once. */
const REFUSED_MAX = 16;
const REFUSED_MS_MAX = 1_000;
const BUSY_SECONDS = 2;
const CLOSE_IDLE_MS = 100;

type Connections = { others: Server[]; open: number };
const known = new WeakMap<FastifyInstance, Connections>();

/** Includes connections that are about to be refused. */
export const openConnections = (app: FastifyInstance): number => known.get(app)?.open ?? 0;

/**
 * Limits the connections of a server: one above the limit gets a 503 on its first bytes, which are not parsed. Call
 * it after all other connection listeners are registered.
 */
export function limitConnections(
  app: FastifyInstance,
  { max, headers }: { max: number; headers: Readonly<Record<string, string>> },
): void {
  const { server } = app;
  const connections: Connections = { others: [], open: 0 };
  known.set(app, connections);
  const serve = server.listeners('connection');
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    const open = (connections.open += 1);
    socket.once('close', () => (connections.open -= 1));
    if (open <= max) for (const one of serve) one.call(server, socket);
    else if (open <= max + REFUSED_MAX) refuseConnection(socket, headers);
    else socket.destroy();
  });
  const closed: Promise<void>[] = [];
  app.addHook('preClose', async () => {
    for (const one of connections.others) {
      closed.push(new Promise((resolve) => one.close(() => resolve())));
    }
  });
  app.addHook('onClose', async () => {
    const timer = setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_MS);
    server.closeIdleConnections();
    await Promise.all(closed).finally(() => clearInterval(timer));
  });
}

/** Waits for the request: clients ignore a response that precedes it. */
function refuseConnection(socket: Socket, headers: Readonly<Record<string, string>>): void {
  const lines = Object.entries({
    ...headers,
    'cache-control': 'no-store',
    'retry-after': String(BUSY_SECONDS),
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.on('error', () => undefined);
  socket.once('data', () =>
    socket.end(
      `HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\ncontent-length: 0\r\n${lines.join('')}\r\n`,
    ),
  );
  setTimeout(() => socket.destroy(), REFUSED_MS_MAX).unref();
}

/**
 * Listens on a port with several sockets, where the system can share a port.
 *
 * @param sockets 1 where few callers are expected.
 * @returns the port; for port 0 the one assigned.
 * @throws the errors of `listen`, and EADDRINUSE also for another process of the same user.
 */
export async function listenOn(
  app: FastifyInstance,
  { host, port, sockets = LISTENERS }: { host: string; port: number; sockets?: number },
): Promise<number> {
  const reusePort = sockets > 1 && process.platform === 'linux' && known.has(app);
  if (!reusePort) {
    await app.listen({ host, port, backlog: BACKLOG });
    return addressOf(app).port;
  }
  // Any process of this user can share a shared port, so first a socket without sharing tests that it is free.
  if (port !== 0) await tryPort({ host, port });
  const options = { backlog: BACKLOG / sockets, reusePort };
  await app.listen({ ...options, host, port });
  const { address, port: taken } = addressOf(app);
  for (let n = 1; n < sockets; n++) {
    const other = createServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
      app.server.emit('connection', socket),
    );
    await listening(other, { ...options, host: address, port: taken });
    known.get(app)?.others.push(other);
  }
  return taken;
}

/** Listens on a port for a moment. @throws the errors of `listen` when the port is unavailable. */
export async function tryPort(where: { host: string; port: number }): Promise<void> {
  const trial = createServer();
  await listening(trial, where);
  await new Promise((resolve) => trial.close(resolve));
}

type ListenOptions = { host: string; port: number; backlog?: number; reusePort?: boolean };

const listening = (server: Server, options: ListenOptions): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(options, () => {
      server.off('error', reject);
      // The system closes a connection that cannot be accepted for lack of a descriptor.
      server.on('error', () => undefined);
      resolve();
    });
  });

function addressOf(app: FastifyInstance): { address: string; port: number } {
  const address = app.server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the server has no address');
  return address;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True where bodies may be slow; `withinPace` limits them instead. */
    longBody?: boolean;
  }
}

/** Time limit for a body other than an upload (docs/threats.md, T40). */
const BODY_MS = 15_000;

/** Cuts off slow bodies as Node cuts off slow headers. */
export function limitBodies(app: FastifyInstance, bodyMs = BODY_MS): void {
  app.addHook('onRequest', async ({ raw, routeOptions, headers }) => {
    const hasBody =
      headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
    if (!hasBody || routeOptions.config.longBody === true) return;
    const cut = () => {
      if (raw.complete || raw.readableEnded || raw.destroyed) return;
      const error = Object.assign(new Error('body too slow'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
      app.server.emit('clientError', error, raw.socket);
    };
    const late = setTimeout(() => afterReading(cut), bodyMs).unref();
    raw.once('close', () => clearTimeout(late));
  });
}

/**
 * Runs `work` after pending socket data has been read. After a stall, timers run before sockets are read, and would
 * cut off callers who were in time.
 */
export function afterReading(work: () => void): void {
  setImmediate(() => setImmediate(work));
}

/** The minimum speed of a long body, measured in windows, and its total time limit. */
export type Pace = { bytesPerSecond: number; windowMs: number; deadlineMs: number };

/**
 * Runs `work` on a body as long as the body arrives in time.
 *
 * @throws Refusal `upload_too_slow` when too few bytes came in a window or the deadline passed; `request_malformed`
 * when the sender disconnected. `work` then fails with the connection.
 */
export async function withinPace<T>(
  { raw }: FastifyRequest,
  { bytesPerSecond, windowMs, deadlineMs }: Pace,
  work: () => Promise<T>,
): Promise<T> {
  const bytesMin = (bytesPerSecond * windowMs) / 1_000;
  const ends = performance.now() + deadlineMs;
  const trouble = Promise.withResolvers<never>();
  const gone = () => {
    if (!raw.complete) trouble.reject(new Refusal('request_malformed', { why: 'terputus' }));
  };
  let before = raw.socket.bytesRead;
  const watch = setInterval(() => {
    const { bytesRead } = raw.socket;
    // A complete body is only being processed.
    if (raw.complete) return clearInterval(watch);
    if (bytesRead - before < bytesMin || performance.now() > ends) {
      trouble.reject(new Refusal('upload_too_slow', {}));
    }
    before = bytesRead;
    return undefined;
  }, windowMs);
  raw.once('close', gone);
  try {
    // The sender may have disconnected before the listener was added.
    if (raw.destroyed) gone();
    return await Promise.race([work(), trouble.promise]);
  } finally {
    clearInterval(watch);
    raw.off('close', gone);
  }
}

/**
 * A browser reads no response while it sends, so up to this much of a refused body is read and discarded.
 */
const DRAIN_BYTES_MAX = 12_000_000;
/** Draining stops after this long without data. */
const DRAIN_STALL_MS = 2_000;
const DRAIN_MS_MAX = 60_000;

/**
 * Reads and discards the rest of a body, so that its sender receives the response.
 *
 * @returns false when the rest is too large or too slow: then cut the connection.
 */
export async function drainBody({ raw }: FastifyRequest): Promise<boolean> {
  if (raw.complete || raw.readableEnded) return true;
  if (raw.destroyed) return false;
  const { resolve, promise } = Promise.withResolvers<boolean>();
  let bytes = 0;
  const late = setTimeout(() => resolve(false), DRAIN_MS_MAX);
  const stall = setTimeout(() => resolve(false), DRAIN_STALL_MS);
  const count = (chunk: Buffer) => {
    bytes += chunk.length;
    stall.refresh();
    if (bytes > DRAIN_BYTES_MAX) resolve(false);
  };
  raw.unpipe();
  raw.on('data', count);
  raw.once('end', () => resolve(true)).once('close', () => resolve(false));
  raw.resume();
  try {
    return await promise;
  } finally {
    clearTimeout(late);
    clearTimeout(stall);
    raw.off('data', count);
  }
}

/** Ends the connection after the response, without reading the rest of the body. */
export function cutAfter(reply: FastifyReply): void {
  reply.header('connection', 'close');
  reply.raw.once('finish', () => reply.request.raw.destroy());
}
