import { expect, test } from 'vitest';
import { decoded } from './decoded.ts';

test('keeps a malformed part of an address as written', () => {
  expect(['a%20b', '100%', '%E0%A4%A', ''].map(decoded)).toEqual(['a b', '100%', '%E0%A4%A', '']);
});
