import { crc32, deflateSync } from 'node:zlib';

const WIDTH = 240;
const HEIGHT = 320;
const BACKGROUND = [0x2f, 0x6f, 0x5e] as const;
const PAPER = [0xfb, 0xfa, 0xf5] as const;
const INK = [0x3a, 0x3f, 0x44] as const;

type Colour = readonly [number, number, number];
type Box = { x: number; y: number; width: number; height: number; colour: Colour };

/** A payment slip, such as people photograph when they have paid. */
const boxes: readonly Box[] = [
  { x: 40, y: 24, width: 160, height: 272, colour: PAPER },
  { x: 84, y: 44, width: 72, height: 12, colour: INK },
  ...[84, 108, 132, 156, 180].flatMap((y, row) => [
    { x: 56, y, width: 56 + ((row * 17) % 32), height: 6, colour: INK },
    { x: 158, y, width: 26, height: 6, colour: INK },
  ]),
  { x: 56, y: 212, width: 128, height: 2, colour: INK },
  { x: 56, y: 230, width: 48, height: 10, colour: INK },
  { x: 134, y: 230, width: 50, height: 10, colour: INK },
];

let drawn: Buffer | undefined;

/** The picture that …008 answers with: a real PNG of 240 × 320, drawn when it is first needed. */
export function picture(): Buffer {
  drawn ??= png(WIDTH, HEIGHT, pixels());
  return drawn;
}

function pixels(): Buffer {
  const rgb = Buffer.alloc(WIDTH * HEIGHT * 3);
  const whole: Box = { x: 0, y: 0, width: WIDTH, height: HEIGHT, colour: BACKGROUND };
  for (const box of [whole, ...boxes]) {
    for (let y = box.y; y < box.y + box.height; y++) {
      const start = (y * WIDTH + box.x) * 3;
      rgb.fill(Buffer.from(box.colour), start, start + box.width * 3);
    }
  }
  return rgb;
}

/** An image of 8-bit RGB, as PNG (RFC 2083): every row unfiltered, deflated together. */
function png(width: number, height: number, rgb: Buffer): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const stride = width * 3;
  const rows = Buffer.alloc((stride + 1) * height);
  for (let y = 0; y < height; y++)
    rgb.copy(rows, y * (stride + 1) + 1, y * stride, (y + 1) * stride);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(kind: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(kind, 'latin1'), data]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(data.length, 0);
  ends.writeUInt32BE(crc32(named), 4);
  return Buffer.concat([ends.subarray(0, 4), named, ends.subarray(4)]);
}
