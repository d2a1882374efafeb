import { expect, test } from 'vitest';
import { readJson } from './json.ts';

test('reads text that is not JSON as undefined', () => {
  for (const text of [undefined, null, '', '{', 'halo']) expect(readJson(text)).toBeUndefined();
  expect(readJson('null')).toBeNull();
  expect(readJson('[1]')).toEqual([1]);
});
