import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** An answer of which nothing could be written for so long is cut off, as a body that does not come is. */
export const STALLED_MS = 15_000;
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
export function cutSlowReaders(app: FastifyInstance, stalledMs = STALLED_MS): void {
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
