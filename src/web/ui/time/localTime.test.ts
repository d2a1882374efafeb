import { expect, test } from 'vitest';
import { instantOfLocal, localDateTime } from '#web/ui/time/localTime.ts';

test('converts a local date and time to an instant of its zone, and rejects anything else', () => {
  const at = new Date('2026-11-21T02:05:00Z');
  expect(localDateTime(at)).toBe('2026-11-21T09:05');
  expect(localDateTime(at, 'Asia/Jayapura')).toBe('2026-11-21T11:05');
  for (const zone of ['Asia/Jakarta', 'Asia/Makassar', 'Asia/Jayapura'])
    expect(instantOfLocal(localDateTime(at, zone), zone)).toEqual(at);
  for (const none of ['', '2026-11-21', 'besok', '2026-13-41T09:05'])
    expect(instantOfLocal(none)).toBeUndefined();
});
