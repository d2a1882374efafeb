import { expect, test } from 'vitest';
import { pictureIn } from '#web/features/simulator/phone/screens.ts';

const png = 'data:image/png;base64,iVBORw0KGgo=';

test('the camera accepts pictures only, never a text that claims to be a code', () => {
  expect(pictureIn({ type: 'gambar-qr', png })).toBe(png);
  expect(pictureIn({ type: 'gambar-qr', png: 'KBR1.isi-kode' })).toBeUndefined();
  expect(pictureIn({ type: 'gambar-qr', png: 'https://example.com/qr.png' })).toBeUndefined();
  expect(pictureIn({ type: 'minta-gambar' })).toBeUndefined();
  expect(pictureIn('gambar-qr')).toBeUndefined();
  expect(pictureIn(null)).toBeUndefined();
});

test('a picture too large for any screen is rejected', () => {
  expect(pictureIn({ type: 'gambar-qr', png: png + 'A'.repeat(1_000_000) })).toBeUndefined();
});
