import fc from 'fast-check';
import { cleanValue, formatValue } from 'react-currency-input-field';
import { expect, test } from 'vitest';
import {
  readRupiah,
  readTyped,
  unfinished,
  withPoint,
  type Tail,
  inWords,
} from '#web/ui/money/currency.ts';

type How = { pasted?: boolean; indonesian?: boolean; decimals?: number };

/** The library's reading of a text from us. */
const cleaned = (text: string): string =>
  cleanValue({
    value: text,
    groupSeparator: '.',
    decimalSeparator: ',',
    decimalsLimit: 2,
    allowNegativeValue: false,
    disableAbbreviations: true,
  });
/** A comma or a sign alone stays until the next key. */
const written = (value: string): string =>
  /\d/.test(value) ? formatValue({ value, groupSeparator: '.', decimalSeparator: ',' }) : value;

const filled = (text: string, how: How = {}): string => cleaned(readTyped(text, how).text);

function typed(text: string, how: How = {}): string {
  let [shown, tail]: [string, Tail | undefined] = ['', undefined];
  for (const key of text) {
    const now = readTyped(shown + key, { ...how, tail });
    tail = now.tail;
    shown = written(cleaned(now.text));
  }
  return shown;
}

test.each([
  ['250000', '250.000'],
  ['250.000', '250.000'],
  ['50k', '50.000'],
  ['1,5k', '1.500'],
  // Decimals beyond the second are ignored, as in the specified input.
  ['1,125k', '1.120'],
  ['2m', '2.000.000'],
  ['1,25M', '1.250.000'],
  ['3b', '3.000.000.000'],
  ['5kk', '5.000.000'],
  ['0k', '0'],
  ['0,0k', '0,0'],
  ['k', ''],
  ['', ''],
  ['abc', ''],
  ['1k2', '10.002'],
])('typing "%s" key by key shows "%s"', (text, shown) => {
  expect(typed(text)).toBe(shown);
});

test.each([
  ['Rp 10.000', 10_000],
  ['Rp1.500.000,-', 1_500_000],
  ['1.500,75', 1_500],
  ['1k2', 12],
  ['0k', 0],
  ['1,005k', 1_005],
  ['1,2345k', 1_234],
  ['50kg', 50],
  ['2m', 2_000_000],
  ['k', undefined],
  [',', undefined],
])('"%s" put in at once means %s rupiah', (text, amount) => {
  expect(filled(text)).not.toMatch(/nan|[kmb]/i);
  expect(readRupiah(filled(text))).toBe(amount);
});

test.each([
  ['50rb', '50.000'],
  ['50ribu', '50.000'],
  ['1,5jt', '1.500.000'],
  ['1,5juta', '1.500.000'],
  ['2miliar', '2.000.000.000'],
  ['2mlr', '2.000.000.000'],
  ['2m', '2.000.000'],
  ['50k', '50.000'],
])('with Indonesian suffixes, "%s" shows "%s", typed or at once', (text, shown) => {
  expect(typed(text, { indonesian: true })).toBe(shown);
  expect(written(filled(text, { indonesian: true }))).toBe(shown);
  expect(written(filled(text.replace(/(?=[a-z])/, ' '), { indonesian: true }))).toBe(shown);
});

test('reads a point that cannot group as a comma: 1.5jt is not fifteen million', () => {
  const indonesian = true;
  expect(readRupiah(filled('1.5jt', { indonesian }))).toBe(1_500_000);
  expect(readRupiah(filled('1.25 juta', { indonesian }))).toBe(1_250_000);
  expect(readRupiah(filled('1.500rb', { indonesian }))).toBe(1_500_000);
  // While typing, the library has dropped the point before the letters come.
  expect(withPoint('15j', 1)).toBe('1,5j');
  expect(withPoint('125k', 1)).toBe('1,25k');
  expect(withPoint('1.500rb', 1)).toBe('1.500rb');
  expect(withPoint('15', 1)).toBe('15');
  expect(withPoint('15j', undefined)).toBe('15j');
});

test('keeps "50rb" at fifty without Indonesian suffixes, not fifty billion', () => {
  expect(typed('50rb')).toBe('50');
  expect(typed('50jt')).toBe('50');
  expect(typed('50ribu')).toBe('50');
});

test('reads a pasted amount in English notation', () => {
  expect(readRupiah(filled('1500000.50', { pasted: true }))).toBe(1_500_000);
  expect(readRupiah(filled('1,500,000.00', { pasted: true }))).toBe(1_500_000);
  expect(readRupiah(filled('1,500,000', { pasted: true }))).toBe(1_500_000);
  expect(readRupiah(filled('1,500', { pasted: true }))).toBe(1_500);
  expect(readRupiah(filled('1.500.000', { pasted: true }))).toBe(1_500_000);
  // With decimals a comma is ambiguous, and typed text is never guessed.
  expect(filled('1,500', { pasted: true, decimals: 2 })).toBe('1,50');
  expect(filled('1,500')).toBe('1,50');
});

test('rejects amounts too large to be exact; truncates decimals', () => {
  expect(readRupiah('9007199254740993')).toBeUndefined();
  expect(readRupiah('1,5')).toBe(1);
  expect(readRupiah('1,99')).toBe(1);
  expect(readRupiah('1.500,759', 2)).toBe(1_500.75);
  expect(readRupiah(',5', 2)).toBe(0.5);
  expect(readRupiah(',5')).toBeUndefined();
  expect(readRupiah('-1.000')).toBe(-1_000);
  expect(readRupiah(undefined)).toBeUndefined();
});

test('passes no letter to the library and shows no NaN, for any input', () => {
  const key = fc.constantFrom(...'0123456789,.kmbrjtuil- RpX');
  fc.assert(
    fc.property(fc.string({ unit: key, maxLength: 12 }), fc.boolean(), (text, indonesian) => {
      expect(readTyped(text, { indonesian }).text).not.toMatch(/[a-z]/i);
      expect(typed(text, { indonesian })).not.toMatch(/nan|[a-z]/i);
    }),
  );
});

test('multiplies exactly by a suffix, with any number of decimals', () => {
  const powers = { k: 3, m: 6, b: 9 } as const;
  fc.assert(
    fc.property(
      fc.nat({ max: 99_999 }),
      fc.nat({ max: 999 }),
      fc.constantFrom('k', 'm', 'b'),
      (whole, fraction, letter) => {
        fc.pre(whole + fraction > 0);
        const text = `${whole},${String(fraction).padStart(3, '0')}${letter}`;
        const thousandths = BigInt(whole * 1000 + fraction) * 10n ** BigInt(powers[letter]);
        expect(readRupiah(readTyped(text).text)).toBe(Number(thousandths / 1000n));
      },
    ),
  );
});

function ignored(text: string, how: How = {}): string {
  let [shown, tail, last]: [string, Tail | undefined, string] = ['', undefined, ''];
  for (const key of text) {
    const now = readTyped(shown + key, { ...how, tail });
    [tail, last] = [now.tail, now.ignored];
    shown = written(cleaned(now.text));
  }
  return last;
}

test.each([
  ['50k', '', ''],
  ['50rb', 'rb', ''],
  ['50r', 'r', ''],
  ['50ribu', 'ribu', ''],
  ['1,5juta', 'juta', ''],
  ['50x', 'x', 'x'],
  ['50kg', 'g', 'g'],
  ['0k', 'k', 'k'],
  ['k', 'k', 'k'],
  ['50rb1', '', ''],
])('of "%s" typed, "%s" means nothing; with Indonesian suffixes "%s"', (text, plain, words) => {
  expect(ignored(text)).toBe(plain);
  expect(ignored(text, { indonesian: true })).toBe(words);
});

test('reports letters pasted before, between or behind the digits too', () => {
  expect(readTyped('IDR 50.000', {}).ignored).toBe('IDR');
  expect(readTyped('Rp 50.000,-', {}).ignored).toBe('');
  expect(readTyped('1k2', {}).ignored).toBe('k');
  expect(readTyped('50 kg', { indonesian: true }).ignored).toBe('kg');
  expect(unfinished({ base: '50', letters: 'r' })).toBe('r');
  expect(unfinished({ base: '50', letters: 'rb' })).toBe('');
});

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
