import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { API_KEY_PATTERN } from '#contract/tokens.ts';
import { checkKey, makeKey } from '#server/domains/tokens/keys.ts';

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

test('has a test prefix for the simulator, the published shape, and a valid checksum', () => {
  const { key, hint } = makeKey('simulator');
  expect(key).toMatch(API_KEY_PATTERN);
  expect(key.startsWith('kbr_test_')).toBe(true);
  expect(key.endsWith(hint)).toBe(true);
  expect(hint).toHaveLength(4);
  expect(checkKey(key)).toBe(true);
});

test('ends in the CRC32 of the previous characters, in base62, padded with zeros', () => {
  const { key } = makeKey('simulator');
  const value = [...key].slice(-6).reduce((sum, letter) => sum * 62 + base62.indexOf(letter), 0);
  expect(value).toBe(crc32(key.slice(0, -6)));
});

test('fails the check with any one character changed', () => {
  const { key } = makeKey('simulator');
  const anywhere = fc.integer({ min: 9, max: key.length - 1 });
  const anything = fc.constantFrom(...base62);
  fc.assert(
    fc.property(anywhere, anything, (place, letter) => {
      fc.pre(key[place] !== letter);
      expect(checkKey(key.slice(0, place) + letter + key.slice(place + 1))).toBe(false);
    }),
  );
});

test('fails the check if it is not a key at all', () => {
  const { key } = makeKey('simulator');
  const wrong = ['', 'kbr_test_', ` ${key}`, `${key}\n`, key.replace('test', 'prod'), `${key}0`];
  expect(wrong.filter(checkKey)).toEqual([]);
});

test('never repeats a secret, and uses every letter of the alphabet', () => {
  const keys = Array.from({ length: 300 }, () => makeKey('simulator').key.slice(9, 52));
  expect(new Set(keys).size).toBe(300);
  expect([...new Set(keys.join(''))].toSorted().join('')).toBe(base62);
});
