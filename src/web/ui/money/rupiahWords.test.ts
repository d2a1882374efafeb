import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inWords } from '#web/ui/money/rupiahWords.ts';

test.each([
  [0, 'nol rupiah'],
  [11, 'sebelas rupiah'],
  [19, 'sembilan belas rupiah'],
  [100, 'seratus rupiah'],
  [101, 'seratus satu rupiah'],
  [1_000, 'seribu rupiah'],
  [1_100, 'seribu seratus rupiah'],
  [11_000, 'sebelas ribu rupiah'],
  [101_000, 'seratus satu ribu rupiah'],
  [1_000_000, 'satu juta rupiah'],
  [1_250_000, 'satu juta dua ratus lima puluh ribu rupiah'],
  [1_001_001, 'satu juta seribu satu rupiah'],
  [2_000_000_075.9, 'dua miliar tujuh puluh lima rupiah'],
  [3_000_000_000_000, 'tiga triliun rupiah'],
  [-5_000, 'minus lima ribu rupiah'],
])('%s is said "%s"', (amount, words) => {
  expect(inWords(amount)).toBe(words);
});

/** Parses the words back, independently of how they are made. */
function parsed(words: string): number {
  const units = 'nol satu dua tiga empat lima enam tujuh delapan sembilan sepuluh sebelas'.split(
    ' ',
  );
  const scales: Record<string, number> = {
    ribu: 1e3,
    juta: 1e6,
    miliar: 1e9,
    triliun: 1e12,
    kuadriliun: 1e15,
  };
  let [total, group, last] = [0, 0, 0];
  for (const word of words.split(' ')) {
    const unit = units.indexOf(word);
    if (unit >= 0) last = unit;
    else if (word === 'belas') last += 10;
    else if (word === 'puluh') [group, last] = [group + last * 10, 0];
    else if (word === 'seratus') group += 100;
    else if (word === 'ratus') [group, last] = [group + last * 100, 0];
    else if (word === 'seribu') total += 1_000;
    else if (word in scales) [total, group, last] = [total + (group + last) * scales[word]!, 0, 0];
  }
  return total + group + last;
}

test('the words of every amount have exactly that value', () => {
  fc.assert(
    fc.property(fc.nat({ max: Number.MAX_SAFE_INTEGER }), (amount) => {
      expect(parsed(inWords(amount))).toBe(amount);
    }),
    { numRuns: 500 },
  );
});

test('rejects an amount that is not exact', () => {
  expect(() => inWords(2 ** 60)).toThrow(RangeError);
  expect(() => inWords(Number.NaN)).toThrow(RangeError);
});
