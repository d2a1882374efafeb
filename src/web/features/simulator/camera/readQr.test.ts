import { encodeQR } from 'qr';
import { expect, test } from 'vitest';
import { readQr, type Pixels } from '#web/features/simulator/camera/readQr.ts';

const QUIET = 4;

function screenWith(
  text: string,
  { width = 400, height = 300, dot = 4, x = 20, y = 20 } = {},
): Pixels {
  const modules = encodeQR(text, 'raw', { ecc: 'medium', border: QUIET });
  const data = new Uint8ClampedArray(width * height * 4).fill(255);
  const side = modules.length;
  for (let row = 0; row < side * dot; row += 1) {
    for (let column = 0; column < side * dot; column += 1) {
      if (!modules[Math.floor(row / dot)]?.[Math.floor(column / dot)]) continue;
      data.fill(0, ((y + row) * width + x + column) * 4, ((y + row) * width + x + column) * 4 + 3);
    }
  }
  return { data, width, height };
}

const said = 'KBR1.9f2c7a1e4b8d4f0e.AbCdEf0123456789_-xyz';

test('the camera reads the content of the picture', () => {
  expect(readQr(screenWith(said))).toBe(said);
  expect(readQr(screenWith('sesuatu yang lain'))).toBe('sesuatu yang lain');
});

test('a code that is a small part of a screenshot is found', () => {
  expect(readQr(screenWith(said, { width: 900, height: 700, dot: 3, x: 610, y: 400 }))).toBe(said);
});

test('a light code on a dark background is read as well', () => {
  const { data, ...size } = screenWith(said);
  const inverted = data.map((value, at) => (at % 4 === 3 ? value : 255 - value));
  expect(readQr({ data: inverted, ...size })).toBe(said);
});

test('a picture without a code gives no text', () => {
  const blank = new Uint8ClampedArray(200 * 200 * 4).fill(255);
  expect(readQr({ data: blank, width: 200, height: 200 })).toBeUndefined();
});
