import type { Socket } from 'node:net';
import type { FastifyReply } from 'fastify';
import { headersOf } from '#server/http/site/headers.ts';

const NOTHING = Buffer.alloc(0);

/**
 * Answers with headers and hands over the connection: what is written to it is the body, and ends with it.
 * The caller may ask for nothing more on it.
 *
 * For answers that last for hours. Until an answer ends, Node keeps its parser of requests (10 kB), the request
 * and the answer, and Fastify its own of both: five times what the connection itself needs. So Node is made to
 * let go of them as it does for a WebSocket; no public call does that for a request which is none.
 *
 * @returns undefined when the caller has gone, or has sent another request already: that one is cut off.
 */
export function takeConnection(
  reply: FastifyReply,
  headers: Readonly<Record<string, string>>,
): Socket | undefined {
  const { raw, request } = reply;
  const { socket } = request.raw;
  reply.hijack();
  // The end of the connection is the end of the body: chunks would need somebody to count them.
  raw.removeHeader('transfer-encoding');
  raw.writeHead(200, { ...headersOf(reply), ...headers, connection: 'close' });
  raw.flushHeaders();
  if (raw.socket !== socket || socket.isPaused() || !stopParsing(reply)) {
    socket.destroy();
    return undefined;
  }
  raw.detachSocket(socket);
  return socket
    .on('error', ignore)
    .on('data', () => socket.destroy())
    .on('end', () => socket.destroySoon());
}

/** Makes Node take the request for an upgrade, which it looks for whenever it has read something. */
function stopParsing({ request: { raw }, server: { server } }: FastifyReply): boolean {
  const socket: Socket & { parser?: object | null } = raw.socket;
  Object.assign(raw, { upgrade: true });
  server.once('upgrade', ignore);
  socket.emit('data', NOTHING);
  server.off('upgrade', ignore);
  return socket.parser === null && !socket.destroyed;
}

const ignore = (): void => undefined;
