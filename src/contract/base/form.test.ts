import { expect, test } from 'vitest';
import { FormError, pairsOf } from './form.ts';

test('plus signs are spaces, escapes are bytes of UTF-8', () => {
  expect([...pairsOf('a=b+c&d+e=%2B+caf%C3%A9+😀&f')]).toEqual([
    ['a', 'b c'],
    ['d e', '+ café 😀'],
    ['f', ''],
  ]);
  expect([...pairsOf('a=\uFEFF+b')]).toEqual([['a', '\uFEFF b']]);
  for (const wrong of ['a=caf%E9', 'a=100%', '%=1']) {
    expect(() => [...pairsOf(wrong)], wrong).toThrow(FormError);
  }
});

test('four megabytes of plus signs take less than half of what a search in the text takes', () => {
  const plus = '+'.repeat(4_194_302);
  const cpuOf = (work: () => string): number => {
    const start = process.cpuUsage();
    expect(work()).toHaveLength(plus.length);
    return process.cpuUsage(start).user;
  };
  const inText = cpuOf(() => plus.replaceAll('+', ' '));
  expect(cpuOf(() => [...pairsOf(`a=${plus}`)][0]?.[1] ?? '')).toBeLessThan(inText / 2);
});
