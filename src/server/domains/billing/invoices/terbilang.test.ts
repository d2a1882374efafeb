import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RUPIAH_MAX } from '#contract/base/money.ts';
import { terbilang } from './terbilang.ts';

test.for([
  [0, 'nol'],
  [1, 'satu'],
  [10, 'sepuluh'],
  [11, 'sebelas'],
  [12, 'dua belas'],
  [19, 'sembilan belas'],
  [20, 'dua puluh'],
  [21, 'dua puluh satu'],
  [100, 'seratus'],
  [101, 'seratus satu'],
  [111, 'seratus sebelas'],
  [200, 'dua ratus'],
  [999, 'sembilan ratus sembilan puluh sembilan'],
  [1_000, 'seribu'],
  [1_001, 'seribu satu'],
  [1_100, 'seribu seratus'],
  [2_000, 'dua ribu'],
  [11_000, 'sebelas ribu'],
  [11_011, 'sebelas ribu sebelas'],
  [21_000, 'dua puluh satu ribu'],
  [100_000, 'seratus ribu'],
  [101_000, 'seratus satu ribu'],
  [277_737, 'dua ratus tujuh puluh tujuh ribu tujuh ratus tiga puluh tujuh'],
  [1_000_000, 'satu juta'],
  [1_001_000, 'satu juta seribu'],
  [1_000_001, 'satu juta satu'],
  [1_000_000_000, 'satu miliar'],
  [1_000_000_000_000, 'satu triliun'],
  [RUPIAH_MAX, 'sembilan kuadriliun'],
  [-25_000, 'minus dua puluh lima ribu'],
] as const)('%i is said %s', ([amount, words]) => {
  expect(terbilang(amount)).toBe(words);
});

const values = new Map(
  'nol satu dua tiga empat lima enam tujuh delapan sembilan sepuluh sebelas'
    .split(' ')
    .map((word, value) => [word, value]),
);
const scales = new Map([
  ['ribu', 1e3],
  ['juta', 1e6],
  ['miliar', 1e9],
  ['triliun', 1e12],
  ['kuadriliun', 1e15],
]);

function amountOf(words: string): number {
  let [sum, group, last] = [0, 0, 0];
  for (const word of words.split(' ')) {
    const scale = scales.get(word);
    if (scale !== undefined) {
      sum += (group + last) * scale;
      [group, last] = [0, 0];
    } else if (word === 'seribu') sum += 1_000;
    else if (word === 'seratus') group += 100;
    else if (word === 'belas') last += 10;
    else if (word === 'puluh') [group, last] = [group + last * 10, 0];
    else if (word === 'ratus') [group, last] = [group + last * 100, 0];
    else {
      group += last;
      last = values.get(word) ?? Number.NaN;
    }
  }
  return sum + group + last;
}

test('the words of any amount parse back to that amount', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.integer({ min: 0, max: RUPIAH_MAX }), fc.integer({ min: 0, max: 2_000_000 })),
      (amount) => {
        expect(amountOf(terbilang(amount))).toBe(amount);
      },
    ),
    { numRuns: 2_000 },
  );
});

test('rejects amounts that are not whole numbers', () => {
  expect(() => terbilang(1.5)).toThrow(RangeError);
});
