import { expect, test } from 'vitest';
import { instantOf, momentAt, withDay } from '#web/features/operator/moment.ts';

const now = new Date('2026-11-23T07:10:00Z');

test('a moment is typed in WIB and converted to the right instant', () => {
  expect(momentAt(now)).toBe('2026-11-23T14:10');
  expect(instantOf('2026-11-23T14:10')).toBe('2026-11-23T14:10:00+07:00');
  expect(instantOf('')).toBeUndefined();
});

test('today starts with the next half hour, other days in the morning; a chosen time stays', () => {
  expect(withDay('', '2026-11-23', now)).toBe('2026-11-23T14:30');
  expect(withDay('', '2026-11-24', now)).toBe('2026-11-24T08:00');
  expect(withDay('2026-11-23T19:00', '2026-11-24', now)).toBe('2026-11-24T19:00');
  expect(withDay('', '2026-11-23', new Date('2026-11-23T16:45:00Z'))).toBe('2026-11-23T08:00');
});
