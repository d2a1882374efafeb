import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '#contract/base/refusals.ts';

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
