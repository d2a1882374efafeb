import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export type WebSocketConnection = {
  send(content: Uint8Array): void;
  /** Called with each binary message, complete and unmasked. */
  onMessage: (content: Buffer) => void;
  onClose: () => void;
};

/** A WebSocket server on a free port of this machine: binary messages, no extensions. */
export type WebSocketServer = {
  url: string;
  readonly size: number;
  /** Ends all connections without a close frame. */
  endAll(): void;
  close(): Promise<void>;
};

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const BINARY = 2;
const CLOSE = 8;
const PING = 9;
const PONG = 10;

/** @param onConnection sets the handlers of messages and of the connection's end. */
export async function openWebSocketServer(
  onConnection: (connection: WebSocketConnection) => void,
): Promise<WebSocketServer> {
  const server = createServer();
  const sockets = new Set<Socket>();
  server.on('upgrade', (request, socket: Socket) => {
    sockets.add(socket);
    const connection = connectionOn(socket);
    socket.on('error', () => undefined);
    // Sockets of an HTTP server stay half open when the other side ends.
    socket.on('end', () => socket.destroy());
    socket.on('close', () => {
      sockets.delete(socket);
      connection.onClose();
    });
    const key = createHash('sha1').update(`${request.headers['sec-websocket-key']}${GUID}`);
    socket.write(
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
        `Sec-WebSocket-Accept: ${key.digest('base64')}\r\n\r\n`,
    );
    onConnection(connection);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const endAll = () => sockets.forEach((socket) => socket.destroy());
  return {
    url: `ws://127.0.0.1:${port}/ws/chat`,
    get size() {
      return sockets.size;
    },
    endAll,
    close: async () => {
      endAll();
      server.close();
      await once(server, 'close');
    },
  };
}

function connectionOn(socket: Socket): WebSocketConnection {
  const connection: WebSocketConnection = {
    send: (content) => void socket.write(frameOf(BINARY, content)),
    onMessage: () => undefined,
    onClose: () => undefined,
  };
  let received = Buffer.alloc(0);
  socket.on('data', (data: Buffer) => {
    received = Buffer.concat([received, data]);
    for (;;) {
      const frame = firstFrame(received);
      if (!frame) return;
      received = received.subarray(frame.size);
      if (frame.kind === BINARY) connection.onMessage(frame.content);
      if (frame.kind === PING) socket.write(frameOf(PONG, frame.content));
      if (frame.kind === CLOSE) socket.end(frameOf(CLOSE, frame.content));
    }
  });
  return connection;
}

/** A complete server frame: these are not masked. */
function frameOf(kind: number, content: Uint8Array): Buffer {
  const size = content.length;
  const head = Buffer.alloc(size < 126 ? 2 : size < 0x1_0000 ? 4 : 10);
  head.writeUInt8(0x80 | kind, 0);
  head.writeUInt8(size < 126 ? size : size < 0x1_0000 ? 126 : 127, 1);
  if (head.length === 4) head.writeUInt16BE(size, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(size), 2);
  return Buffer.concat([head, content]);
}

type Frame = { kind: number; content: Buffer; size: number };

/** A client's first frame, unmasked; undefined until all of it has arrived. */
function firstFrame(data: Buffer): Frame | undefined {
  if (data.length < 2) return undefined;
  const short = data.readUInt8(1) & 0x7f;
  const maskAt = short < 126 ? 2 : short === 126 ? 4 : 10;
  const start = maskAt + 4;
  if (data.length < start) return undefined;
  const length =
    short < 126 ? short : short === 126 ? data.readUInt16BE(2) : Number(data.readBigUInt64BE(2));
  if (data.length < start + length) return undefined;
  const content = Buffer.from(data.subarray(start, start + length));
  for (const [index, byte] of content.entries()) {
    content[index] = byte ^ (data[maskAt + (index % 4)] ?? 0);
  }
  return { kind: data.readUInt8(0) & 0x0f, content, size: start + length };
}
