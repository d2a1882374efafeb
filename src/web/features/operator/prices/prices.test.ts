import { expect, test } from 'vitest';
import { beginningOf, fromWords } from '#web/features/operator/prices/beginnings.ts';

test('what is typed as a time is a time in WIB; nothing typed is now', () => {
  expect(beginningOf('2026-12-01T00:00')).toBe('2026-12-01T00:00:00+07:00');
  expect(beginningOf('')).toBeUndefined();
  expect(fromWords('')).toBe('sekarang juga');
  expect(fromWords('2026-12-01T00:00')).toBe('1 Des 2026, 00.00');
});
