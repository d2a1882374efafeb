import { type Server, type Socket, createServer } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '#contract/base/refusals.ts';

/**
 * Sockets that listen on one port. libuv takes one connection of each in a turn of the event loop: with a single one,
 * a process whose turns take 50 ms takes 20 connections in a second, and the others wait for minutes.
 */
const LISTENERS = 16;
/** Connections that wait to be taken, over all of them; one more would wait a second before it tries again. */
const BACKLOG = 4_096;
/** Connections above the limit that are answered before they are closed; more are closed at once. */
const REFUSED_MAX = 16;
/** Time that a refused connection has for its request and the answer. */
const REFUSED_MS_MAX = 1_000;
const BUSY_SECONDS = 2;
const CLOSE_IDLE_MS = 100;

type Connections = { others: Server[]; open: number };
const known = new WeakMap<FastifyInstance, Connections>();

/** Connections that a server has open, also those that it is about to refuse. */
export const openConnections = (app: FastifyInstance): number => known.get(app)?.open ?? 0;

/**
 * Limits the connections of a server: one above the limit is answered 503 as soon as it asks for something, without
 * being read any further. To be called after all that listens to its connections.
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

/** Answers 503 once the caller has asked: clients take an answer that comes before their request for noise. */
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
 * Listens on a port with several sockets, where the system shares a port among them.
 *
 * @param sockets 1 where few callers are expected.
 * @returns the port; for port 0 the one that was free.
 * @throws what listening throws, EADDRINUSE also for another process of the same user.
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
  // A port that is shared by asking for it can be taken by each process of this user: a socket that does not ask fails.
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

/** Listens on a port for a moment. @throws what listening throws, when the port cannot be had. */
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
      // A connection that cannot be taken, for want of a descriptor, is closed by the system.
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
    /** True where bodies may take long and are timed by `withinPace` instead. */
    longBody?: boolean;
  }
}

/** A body that belongs to no upload has arrived after this, or its sender is cut off (docs/threats.md, T40). */
const BODY_MS = 15_000;

/** Cuts off who sends a body too slowly, exactly as Node cuts off who sends headers too slowly. */
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
 * Does something once what already lies at the sockets has been read. When this process was held up, timers
 * run before anything is read: who was in time would be cut off for it.
 */
export function afterReading(work: () => void): void {
  setImmediate(() => setImmediate(work));
}

/** How fast a long body must come, counted in windows, and how long all of it may take. */
export type Pace = { bytesPerSecond: number; windowMs: number; deadlineMs: number };

/**
 * Does something with a body for as long as it keeps coming.
 *
 * @throws Refusal `upload_too_slow` when too few bytes came in a window or the deadline passed;
 *   `request_malformed` when the sender went away. What `work` still does then fails by itself, with the
 *   connection.
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
    // What has all arrived is only being looked at.
    if (raw.complete) return clearInterval(watch);
    if (bytesRead - before < bytesMin || performance.now() > ends) {
      trouble.reject(new Refusal('upload_too_slow', {}));
    }
    before = bytesRead;
    return undefined;
  }, windowMs);
  raw.once('close', gone);
  try {
    // The sender may have gone away before anybody listened.
    if (raw.destroyed) gone();
    return await Promise.race([work(), trouble.promise]);
  } finally {
    clearInterval(watch);
    raw.off('close', gone);
  }
}

/** A browser that still sends does not listen: up to so much of a refused body is read and forgotten. */
const DRAIN_BYTES_MAX = 12_000_000;
/** It keeps coming, and comes to its end, or it is left. */
const DRAIN_STALL_MS = 2_000;
const DRAIN_MS_MAX = 60_000;

/**
 * Reads what is left of a body and forgets it, so that its sender receives the answer.
 *
 * @returns false when there is too much of it, or it comes too slowly: then the connection is to be cut.
 */
export async function drained({ raw }: FastifyRequest): Promise<boolean> {
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

/** Ends the connection after the answer: what is left of the body is not worth reading. */
export function cutAfter(reply: FastifyReply): void {
  reply.header('connection', 'close');
  reply.raw.once('finish', () => reply.request.raw.destroy());
}
