import { Socket, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { readBareStartup } from './address.ts';
import { PADDING, withSession } from './session.ts';

/** Where the driver wants to go. */
type Address = { host: string[]; port: number[]; path?: string | false };
type Limits = {
  /** To connect, TLS included. */
  connectMs: number;
  /** Without a byte from the server after we wrote something; 0 waits for ever. */
  silenceMs: number;
};
/** What an address asks of TLS: none, any, or one whose certificate holds. */
type Tls = 'none' | 'any' | 'verified';

const LOOK_MS = 250;
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

/**
 * The driver's connections, as the house wants them; options for `postgres()`.
 *
 * Made here because of four faults of postgres 3.4.9. A statement sent between a socket's `error` and
 * its `close` is never answered, or gets another's answer after the reconnect: our sockets report both
 * at once. What was not yet written when a socket closed is written first on the next one, or holds
 * the connection for ever: our sockets begin with the start-up message, and `startupPadding` makes the
 * driver write it at once. And a network that swallows everything holds a statement for a quarter of
 * an hour, because nothing but the server enforces a statement timeout: our sockets end after
 * `silenceMs`. A `begin` whose write fills the socket is sent, but its connection is not kept for it
 * (fault 4 of `repairDriver`, which bounds what can wait in a socket): our sockets are never full.
 */
export function houseSocket(url: string, limits: Limits): object {
  const tls = tlsOf(url);
  const { bare } = readBareStartup(url);
  let turn = 0;
  const socket = async ({ host, port, path }: Address): Promise<Socket> => {
    const at = turn++ % host.length;
    const to = path ? { path } : { host: host[at] ?? 'localhost', port: port[at] ?? 5432 };
    try {
      return await within(limits.connectMs, async (signal) => {
        const plain = await connected(to, signal);
        return tls === 'none' ? plain : secured(plain, to.host ?? '', { tls, signal });
      }).then((made) => {
        const sound = watched(neverFull(orderly(made)), limits.silenceMs);
        return cleanStart(bare ? withSession(sound) : sound);
      });
    } catch (error) {
      return failing(error instanceof Error ? error : new Error(String(error)));
    }
  };
  return { ssl: false, socket };
}

/** The driver writes 1,024 bytes and more without waiting for its timer, which a close may have lost. */
export const startupPadding = { [PADDING]: '.'.repeat(1_024) };

/** As PostgreSQL's own clients read `sslmode`, without the modes that may fall back to plain text. */
function tlsOf(url: string): Tls {
  const asked = new URL(url).searchParams;
  const mode = asked.get('sslmode') ?? asked.get('ssl') ?? 'disable';
  if (mode === 'disable' || mode === 'false') return 'none';
  return mode.startsWith('verify') || mode === 'true' ? 'verified' : 'any';
}

/** Runs work with a signal that is raised when it takes too long. */
async function within<T>(ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const late = new AbortController();
  const error = timedOut(`the database does not answer within ${ms} ms`);
  const timer = setTimeout(() => late.abort(error), ms);
  try {
    return await work(late.signal);
  } finally {
    clearTimeout(timer);
  }
}

const timedOut = (words: string): Error => Object.assign(new Error(words), { code: 'ETIMEDOUT' });

/** Resolves with the event of a socket; rejects when it fails, closes, or the signal is raised. */
function eventOf(socket: Socket, event: string, signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const stop = () => socket.destroy(signal.reason as Error);
    const end = (settle: (value: never) => void) => (value: unknown) => {
      signal.removeEventListener('abort', stop);
      socket.off(event, held).off('error', failed).off('close', closed);
      settle(value as never);
    };
    const held = end(resolve);
    const failed = end(reject);
    const closed = () => failed(timedOut('the database closed the connection'));
    socket.once(event, held).once('error', failed).once('close', closed);
    signal.addEventListener('abort', stop);
  });
}

async function connected(
  to: { path: string; host?: never } | { host: string; port: number },
  signal: AbortSignal,
): Promise<Socket> {
  const socket = new Socket();
  const connecting = eventOf(socket, 'connect', signal);
  if ('path' in to) socket.connect(to.path);
  else socket.connect(to.port, to.host);
  await connecting;
  return socket.setNoDelay(true);
}

/** Asks the server for TLS and makes it. */
async function secured(
  plain: Socket,
  host: string,
  { tls, signal }: { tls: Tls; signal: AbortSignal },
): Promise<Socket> {
  const said = eventOf(plain, 'data', signal);
  plain.write(SSL_REQUEST);
  const answer = (await said) as Buffer;
  if (answer.toString() !== 'S') {
    plain.destroy();
    throw Object.assign(new Error('the database does not speak TLS'), { code: '08P01' });
  }
  const secure = connectTls({
    socket: plain,
    rejectUnauthorized: tls === 'verified',
    ...(isIP(host) === 0 && { servername: host }),
  });
  await eventOf(secure, 'secureConnect', signal);
  return secure;
}

/** A socket whose failure shows at once with its end, so that nothing is sent in between. */
function orderly(socket: Socket): Socket {
  const emit = socket.emit.bind(socket) as (event: string | symbol, ...given: unknown[]) => boolean;
  let failure: { error: unknown } | undefined;
  socket.emit = ((event: string | symbol, ...given: unknown[]) => {
    if (event === 'error') {
      failure ??= { error: given[0] };
      return true;
    }
    if (event === 'close' && failure) emit('error', failure.error);
    return emit(event, ...given);
  }) as typeof socket.emit;
  return socket;
}

/** A socket that always says there is room for more: what it cannot send yet waits in it. */
function neverFull(socket: Socket): Socket {
  const write = socket.write.bind(socket);
  socket.write = ((...given: Parameters<typeof write>) => {
    write(...given);
    return true;
  }) as typeof socket.write;
  return socket;
}

const PROTOCOL_3 = 0x0003_0000;

/** Drops what the driver still had to say on its last socket: the first words are the start-up message. */
function cleanStart(socket: Socket): Socket {
  const write = socket.write.bind(socket);
  socket.write = (bytes: Buffer, ...rest: []) => {
    socket.write = write;
    let start = Math.max(0, bytes.length - 8);
    const begins = () =>
      bytes.readUInt32BE(start) === bytes.length - start &&
      bytes.readUInt32BE(start + 4) === PROTOCOL_3;
    while (start > 0 && !begins()) start--;
    return write(bytes.subarray(start), ...rest);
  };
  return socket;
}

/** Destroys a socket that stays silent too long after the first byte written since its last word. */
function watched(socket: Socket, silenceMs: number): Socket {
  if (silenceMs === 0) return socket;
  let waiting: { since: number; read: number } | undefined;
  const write = socket.write.bind(socket);
  socket.write = ((...given: Parameters<typeof write>) => {
    const read = socket.bytesRead;
    if (waiting?.read !== read) waiting = { since: performance.now(), read };
    return write(...given);
  }) as typeof socket.write;
  const timer = setInterval(() => {
    if (socket.destroyed) clearInterval(timer);
    else if (waiting?.read !== socket.bytesRead) waiting = undefined;
    else if (performance.now() - waiting.since > silenceMs) {
      socket.destroy(timedOut(`the database has said nothing for ${silenceMs} ms`));
    }
  }, LOOK_MS);
  timer.unref();
  return socket;
}

/** A socket that fails once the driver has it: the driver never recovers from a rejection instead. */
function failing(error: Error): Socket {
  const socket = orderly(new Socket());
  socket.write = () => true;
  setImmediate(() => socket.destroy(error));
  return socket;
}
