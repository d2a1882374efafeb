import { createRequire } from 'node:module';
import type * as Common from '@zxcvbn-ts/language-common';
import { expect, test } from 'vitest';
import { isBreached } from '#server/infra/security/common-passwords.ts';
import { commonest, prefixesOf } from './breached-passwords.ts';

test('takes the first sufficiently long passwords of all lists, in their normalized form', () => {
  const lists = [
    ['12345', 'Password', 'password', 'iloveyou'],
    ['pass word', 'ｆｏｏｔｂａｌｌ', 'qwertyuiop', 'sunshine1'],
  ];
  expect(commonest(lists, 4)).toEqual(['password', 'iloveyou', 'football', 'qwertyuiop']);
});

test('writes each prefix once, in order', () => {
  expect(prefixesOf(['iloveyou', 'password', 'iloveyou']).toString('hex')).toBe(
    '5baa61e4c9ee8d8728f4',
  );
});

test('the shipped file contains every password of its source list', () => {
  const load = createRequire(import.meta.url);
  const { dictionary } = load('@zxcvbn-ts/language-common') as typeof Common;
  const listed = commonest([dictionary['passwords-common']], 100_000);
  expect(listed.length).toBeGreaterThan(15_000);
  expect(listed.filter((password) => !isBreached(password))).toEqual([]);
});
