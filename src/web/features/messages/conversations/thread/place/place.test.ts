import { expect, test } from 'vitest';
import { idFloor, publicId } from '#contract/base/ids.ts';
import { placeOf } from './place.ts';

test('a place is a message, or the first of a day in the person’s zone', () => {
  const idAt = (time: string) => publicId('message', idFloor(Date.parse(time)));
  const id = idAt('2026-11-21T03:00:00Z');
  expect(placeOf(id, 'Asia/Jakarta')).toEqual({ from: id });
  expect(placeOf('2026-11-21', 'Asia/Jakarta')).toEqual({
    from: idAt('2026-11-20T17:00:00Z'),
    day: '2026-11-21',
  });
  expect(placeOf('2026-11-21', 'Asia/Jayapura')?.from).toBe(idAt('2026-11-20T15:00:00Z'));
  for (const at of [undefined, 'besok', '2026-02-30', 'tok_01JD0000000000000000000000']) {
    expect(placeOf(at, 'Asia/Jakarta')).toBeUndefined();
  }
});
