import { expect, test } from 'vitest';
import { decoded } from './decoded.ts';

test('a broken part of an address is read as it is written', () => {
  expect(['a%20b', '100%', '%E0%A4%A', ''].map(decoded)).toEqual(['a b', '100%', '%E0%A4%A', '']);
});
