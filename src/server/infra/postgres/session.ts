import type { Socket } from 'node:net';

/** The name of a parameter that only lengthens the start-up message. */
export const PADDING = 'app.padding';

/** What the start-up message always carries: these, every pooler understands. */
const alwaysSent = new Set(['user', 'database', 'client_encoding', 'application_name']);

/** What a connection begins with unless its pool says otherwise, whoever had it before at a pooler. */
const defaults = { role: 'none', 'app.account': '' };

const PROTOCOL_3 = 0x0003_0000;
const [ERROR, READY, PARAMETER_STATUS, NOTICE] = Buffer.from('EZSN');

/**
 * A socket whose session has its settings before the driver may use it, behind a pooler.
 *
 * The driver sends settings in the start-up message. A pooler refuses them there, or drops them: they
 * are taken out, and sent as a statement after the sign-in, before the driver hears that the
 * connection is ready. When the server refuses one, the driver gets its error, and the socket closes.
 * Directly at a server the start-up message is the better place, because `RESET` cannot undo it there.
 */
export function withSession(socket: Socket): Socket {
  const write = socket.write.bind(socket) as (bytes: Buffer, ...rest: unknown[]) => boolean;
  socket.write = (bytes: Buffer, ...rest: unknown[]) => {
    socket.write = write;
    if (bytes.readUInt32BE(4) !== PROTOCOL_3) return write(bytes, ...rest);
    const parameters = readParameters(bytes);
    holdUntilSet(socket, settingsStatement(parameters));
    return write(startupMessage(parameters), ...rest);
  };
  return socket;
}

type Parameters = readonly (readonly [name: string, value: string])[];

function readParameters(startup: Buffer): Parameters {
  const words = startup.toString('utf8', 8).split('\0');
  return words.flatMap((name, at) =>
    at % 2 === 0 && name !== '' ? [[name, words[at + 1] ?? ''] as const] : [],
  );
}

function startupMessage(parameters: Parameters): Buffer {
  const sent = parameters.filter(([name]) => alwaysSent.has(name));
  const body = Buffer.from(`${sent.flat().join('\0')}\0\0`);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + body.length, 0);
  head.writeUInt32BE(PROTOCOL_3, 4);
  return Buffer.concat([head, body]);
}

const quoted = (word: string): string => `'${word.replaceAll("'", "''")}'`;

/** One simple query that sets everything for the session. */
function settingsStatement(parameters: Parameters): Buffer {
  const settings = { ...defaults, ...Object.fromEntries(parameters) };
  const calls = Object.entries(settings)
    .filter(([name]) => !alwaysSent.has(name) && name !== PADDING)
    .map(([name, value]) => `set_config(${quoted(name)}, ${quoted(value)}, false)`);
  const text = Buffer.from(`select ${calls.join(', ')}\0`);
  const head = Buffer.alloc(5);
  head.write('Q');
  head.writeUInt32BE(4 + text.length, 1);
  return Buffer.concat([head, text]);
}

/** Holds the server's "ready" back until the statement was run; its result nobody hears. */
function holdUntilSet(socket: Socket, statement: Buffer): void {
  const emit = socket.emit.bind(socket) as (event: string | symbol, ...given: unknown[]) => boolean;
  let unread = Buffer.alloc(0);
  let ready: Buffer | undefined;
  const hear = (bytes: Buffer): boolean => {
    unread = Buffer.concat([unread, bytes]);
    while (unread.length > 4 && unread.length > unread.readUInt32BE(1)) {
      const message = unread.subarray(0, unread.readUInt32BE(1) + 1);
      unread = unread.subarray(message.length);
      const [type] = message;
      if (type === READY && ready) {
        socket.emit = emit as typeof socket.emit;
        return emit('data', Buffer.concat([ready, unread]));
      }
      if (type === READY) {
        ready = message;
        socket.write(statement);
      } else if (!ready || type === PARAMETER_STATUS || type === NOTICE) {
        emit('data', message);
      } else if (type === ERROR) {
        emit('data', message);
        socket.destroy();
        return true;
      }
    }
    return true;
  };
  socket.emit = ((event: string | symbol, ...given: unknown[]) =>
    event === 'data' ? hear(given[0] as Buffer) : emit(event, ...given)) as typeof socket.emit;
}
