import { expect, test } from 'vitest';
import { isNearlyFull, lengthShown, roomLeft, tooLong } from '#web/ui/text/textLength.ts';

test('the counter shows how full a text is', () => {
  expect(lengthShown(12, 4096)).toBe('12 / 4.096');
});

test('announces the limit to screen readers only near it, and not with every key', () => {
  expect(roomLeft(0, 160)).toBe('');
  expect(roomLeft(160, 160)).toBe('Batas 160 karakter tercapai.');
  const said = new Set(Array.from({ length: 161 }, (_, length) => roomLeft(length, 160)));
  expect(said.size).toBe(7);
  expect(roomLeft(5_000, 4_096)).toBe('Kelebihan kurang dari 905 karakter.');
  expect(roomLeft(161, 160)).toBe('Kelebihan kurang dari 5 karakter.');
});

test('reports a text that is too long with the limit, from the first extra character on', () => {
  expect(tooLong(4_096, 4_096)).toBeUndefined();
  expect(tooLong(4_097, 4_096)).toBe(
    'Terlalu panjang. Pendekkan sampai paling banyak 4.096 karakter.',
  );
});

test('shows the counter from four fifths of the limit', () => {
  expect([0, 3_276, 3_277, 5_000].map((length) => isNearlyFull(length, 4_096))).toEqual([
    false,
    false,
    true,
    true,
  ]);
});
