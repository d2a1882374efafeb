import { expect, test } from 'vitest';
import { lengthShown, roomLeft } from '#web/ui/rules/textLength.ts';

test('the counter of a text says how full it is', () => {
  expect(lengthShown(12, 4096)).toBe('12 / 4.096');
});

test('ears hear of the end of the room only when it is near, and not with every key', () => {
  expect(roomLeft(0, 160)).toBe('');
  expect(roomLeft(160, 160)).toBe('Batas 160 karakter tercapai.');
  const said = new Set(Array.from({ length: 161 }, (_, length) => roomLeft(length, 160)));
  expect(said.size).toBe(7);
});
