import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Peer, TypedPeer, exactNumber, readWithKnown } from '#contract/messages/peer.ts';
import { cleanNumber, normalizePhone } from './written-number.ts';

test.each([
  ['6281234567890.0', '6281234567890'],
  ['6281234567890.00', '6281234567890'],
  ['6281234567890.000', '6281234567890'],
  ['+6281234567890.0', '6281234567890'],
  ['081234567890.0', '6281234567890'],
  ['0812-3456-7890.0', '6281234567890'],
  ['6.281234567890E+12', '6281234567890'],
  ['6,281234567890e12', '6281234567890'],
  ['6.281.234.567.890,00', '6281234567890'],
  ['6,281,234,567,890.00', '6281234567890'],
  ['0812.3456.7890', '6281234567890'],
  ['08123456.7890', '6281234567890'],
  ['0085291234567', '85291234567'],
  ["'+85291234567", '85291234567'],
  ['+62 (0)812 3456 7890', '6281234567890'],
])('reads %s as %s', (written, digits) => {
  expect(normalizePhone(written)).toBe(digits);
});

test.each([
  '6281234567890.5',
  '081234567890,5',
  '6.28123E+12',
  '6281234567890E-1',
  '62812345.000',
  `${'6281234567890'.padEnd(200, ' ')}1`,
])('refuses %s, whose digits are unknown', (written) => {
  expect(Peer().safeParse(normalizePhone(written)).success).toBe(false);
});

/** Invisible characters, and characters that people put between digits. */
const marks = fc.constantFrom(
  ...'\u200B\u200C\u200D\u200E\u200F\u202A\u202B\u202C\u202D\u202E\u2060\u2066\u2067\u2068\u2069\uFEFF\u00AD\u061C\u180E\uFE0F',
  ...' -()\u00A0\u2007\u202F\u3000\t\n\u2010\u2011\u2012\u2013\u2014\u2015\u2212\uFE58\uFE63\uFF0D\uFF08\uFF09',
);

test('drops invisible characters, blanks, dashes and brackets in every position', () => {
  fc.assert(
    fc.property(
      fc.stringMatching(/^(\+|00|0|)[1-9][0-9]{8,13}$/),
      fc.array(fc.tuple(fc.nat(), marks), { maxLength: 12 }),
      (number, between) => {
        const written = between.reduce((text, [at, mark]) => {
          const place = at % (text.length + 1);
          return text.slice(0, place) + mark + text.slice(place);
        }, number);
        expect(cleanNumber(written)).toBe(number);
      },
    ),
  );
});

test('reads bare digits exactly if they are known, and by the specified rule otherwise', () => {
  const read = () => TypedPeer().parse('852-9123-4567');
  expect(exactNumber('852-9123-4567')).toBe('85291234567');
  expect([exactNumber('+852 9123 4567'), exactNumber('0852-9123-4567')]).toEqual([
    undefined,
    undefined,
  ]);
  expect(readWithKnown((digits) => digits === '85291234567', read)).toBe('85291234567');
  expect(readWithKnown(() => false, read)).toBe('6285291234567');
  expect(read()).toBe('6285291234567');
});
