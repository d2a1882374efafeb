import type { Socket } from 'node:net';
import type { FastifyReply } from 'fastify';
import { Refusal } from '#contract/base/refusals.ts';
import type { FrameSink, FrameSource, Person, Subscription } from '#server/infra/acts.ts';
import { headersOf } from './site.ts';

/** The interval of keep-alive comments, for both ends and every proxy between. */
const COMMENT_MS = 15_000;
const SESSIONS_MS = 2_000;
/** Open streams of one person in one process; each browser needs one. */
const PER_PERSON = 30;

const COMMENT = Buffer.from(':\n\n');

const headers = {
  'content-type': 'text/event-stream; charset=utf-8',
  'x-accel-buffering': 'no',
};

type Deps = {
  alive: (sessionIds: readonly string[]) => Promise<ReadonlySet<string>>;
  report: (bug: unknown) => void;
};

/** A tab that does not read is cut off like any slow reader. */
export type LiveStreams = {
  /**
   * Answers with a stream that lasts until the caller disconnects, their session ends, or the application closes.
   *
   * @throws Refusal `too_many_requests` when a person has too many streams already.
   */
  open(reply: FastifyReply, stream: { frames: FrameSource; person: Person }): void;
  close(): void;
};

/** An open stream; it retains only this much of its request. */
class OpenStream implements FrameSink {
  readonly out: Socket;
  readonly userId: string;
  readonly sessionId: string;
  subscription: Subscription | undefined;
  readonly #leave: (stream: OpenStream) => void;

  constructor(out: Socket, { userId, sessionId }: Person, leave: (stream: OpenStream) => void) {
    this.out = out;
    this.userId = userId;
    this.sessionId = sessionId;
    this.#leave = leave;
  }

  write(frames: Buffer): boolean {
    return this.out.write(frames);
  }

  end(): void {
    this.#leave(this);
    this.out.destroySoon();
  }
}

export function openStreams({ alive, report }: Deps): LiveStreams {
  const streams = new Set<OpenStream>();
  const perPerson = new Map<string, number>();

  const leave = (stream: OpenStream) => {
    if (!streams.delete(stream)) return;
    const others = (perPerson.get(stream.userId) ?? 1) - 1;
    if (others === 0) perPerson.delete(stream.userId);
    else perPerson.set(stream.userId, others);
    stream.subscription?.cancel();
  };
  const comment = () => {
    for (const { out } of streams) if (!out.writableNeedDrain) out.write(COMMENT);
  };
  let asking = false;
  const endRevoked = async () => {
    if (asking || streams.size === 0) return;
    asking = true;
    try {
      // Streams opened during the check are not part of it; their session was just verified.
      const bySession = Map.groupBy(streams, ({ sessionId }) => sessionId);
      const good = await alive([...bySession.keys()]);
      for (const [sessionId, theirs] of bySession) {
        if (!good.has(sessionId)) for (const stream of theirs) stream.end();
      }
    } catch (error) {
      report(error);
    } finally {
      asking = false;
    }
  };
  const timers = [
    setInterval(comment, COMMENT_MS),
    setInterval(() => void endRevoked(), SESSIONS_MS),
  ];
  for (const timer of timers) timer.unref();

  return {
    open(reply, { frames, person }) {
      const theirs = perPerson.get(person.userId) ?? 0;
      if (theirs >= PER_PERSON) throw new Refusal('too_many_requests', { seconds: 15 });
      const out = takeOverConnection(reply, headers);
      if (!out) return;
      const stream = new OpenStream(out, person, leave);
      streams.add(stream);
      perPerson.set(person.userId, theirs + 1);
      out.once('close', () => leave(stream)).on('drain', () => stream.subscription?.resume());
      stream.subscription = frames(stream);
    },
    close() {
      for (const timer of timers) clearInterval(timer);
      for (const stream of streams) stream.end();
    },
  };
}

const EMPTY = Buffer.alloc(0);

/**
 * Sends headers and takes over the connection: writes to it are the body, and the body ends with it. The caller may
 * send no other request on it.
 *
 * For responses that last for hours. Until a response ends, Node keeps its request parser (10 kB), the request and
 * the response, and Fastify its own objects: five times the memory of the connection itself. So Node is made to
 * release them as for a WebSocket; no public call does that for an ordinary request.
 *
 * @returns undefined when the caller has disconnected, or has already sent another request: that one is cut off.
 */
export function takeOverConnection(
  reply: FastifyReply,
  headers: Readonly<Record<string, string>>,
): Socket | undefined {
  const { raw, request } = reply;
  const { socket } = request.raw;
  reply.hijack();
  // The body ends with the connection; chunked encoding would need a size before each write.
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

/** Makes Node treat the request as an upgrade, which it checks for after each read. */
function stopParsing({ request: { raw }, server: { server } }: FastifyReply): boolean {
  const socket: Socket & { parser?: object | null } = raw.socket;
  Object.assign(raw, { upgrade: true });
  server.once('upgrade', ignore);
  socket.emit('data', EMPTY);
  server.off('upgrade', ignore);
  return socket.parser === null && !socket.destroyed;
}

const ignore = (): void => undefined;
