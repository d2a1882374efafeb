import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

/** The server's end of a WebSocket with text messages (RFC 6455, without extensions). */
export type TextSocket = {
  send(text: string): void;
  close(): void;
  onText(listener: (text: string) => void): void;
  onClose(listener: () => void): void;
};

const MAGIC = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const OP = { more: 0, text: 1, close: 8, ping: 9, pong: 10 } as const;

export function acceptSocket(
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  protocol: string,
): TextSocket {
  const key = request.headers['sec-websocket-key'] ?? '';
  const accept = createHash('sha1').update(`${key}${MAGIC}`).digest('base64');
  socket.write(
    [
      'HTTP/1.1 101 Switching Protocols',
      'Upgrade: websocket',
      'Connection: Upgrade',
      `Sec-WebSocket-Accept: ${accept}`,
      `Sec-WebSocket-Protocol: ${protocol}`,
      '\r\n',
    ].join('\r\n'),
  );
  const texts: ((text: string) => void)[] = [];
  const ends: (() => void)[] = [];
  let waiting = head;
  let parts: Buffer[] = [];

  const write = (op: number, body: Buffer) => {
    if (socket.writable) socket.write(Buffer.concat([headOf(op, body.length), body]));
  };
  const take = ({ op, last, body }: Frame) => {
    if (op === OP.ping) write(OP.pong, body);
    if (op === OP.close) {
      write(OP.close, body);
      socket.end();
    }
    if (op !== OP.text && op !== OP.more) return;
    parts.push(body);
    if (!last) return;
    const text = Buffer.concat(parts).toString('utf8');
    parts = [];
    for (const listener of texts) listener(text);
  };
  const read = () => {
    for (let frame = firstFrame(waiting); frame; frame = firstFrame(waiting)) {
      waiting = waiting.subarray(frame.length);
      take(frame);
    }
  };
  socket.on('data', (bytes: Buffer) => {
    waiting = Buffer.concat([waiting, bytes]);
    read();
  });
  socket.on('error', () => socket.destroy());
  socket.on('close', () => {
    for (const listener of ends) listener();
  });
  setImmediate(read);
  return {
    send: (text) => write(OP.text, Buffer.from(text, 'utf8')),
    close: () => {
      write(OP.close, Buffer.from([0x03, 0xe8]));
      socket.end();
    },
    onText: (listener) => void texts.push(listener),
    onClose: (listener) => void ends.push(listener),
  };
}

function headOf(op: number, length: number): Buffer {
  if (length < 126) return Buffer.from([0x80 | op, length]);
  if (length < 65_536) return Buffer.from([0x80 | op, 126, length >> 8, length & 0xff]);
  const head = Buffer.alloc(10);
  head.writeUInt8(0x80 | op, 0);
  head.writeUInt8(127, 1);
  head.writeBigUInt64BE(BigInt(length), 2);
  return head;
}

type Frame = { op: number; last: boolean; body: Buffer; length: number };

/** The first complete frame; a browser's frames are always masked. */
function firstFrame(bytes: Buffer): Frame | undefined {
  if (bytes.length < 2) return undefined;
  const short = bytes.readUInt8(1) & 0x7f;
  const sizeAt = 2;
  const sizeBytes = short === 126 ? 2 : short === 127 ? 8 : 0;
  const maskAt = sizeAt + sizeBytes;
  if (bytes.length < maskAt + 4) return undefined;
  const size =
    sizeBytes === 0
      ? short
      : sizeBytes === 2
        ? bytes.readUInt16BE(sizeAt)
        : Number(bytes.readBigUInt64BE(sizeAt));
  const length = maskAt + 4 + size;
  if (bytes.length < length) return undefined;
  const mask = bytes.subarray(maskAt, maskAt + 4);
  const body = Buffer.from(bytes.subarray(maskAt + 4, length)).map(
    (byte, at) => byte ^ (mask[at % 4] ?? 0),
  );
  const first = bytes.readUInt8(0);
  return { op: first & 0x0f, last: (first & 0x80) !== 0, body: Buffer.from(body), length };
}
