import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatPhone } from '#contract/base/phone.ts';
import { normalizePhone, to62 } from '#contract/base/written-number.ts';
import { caretFor, digitsOf, phoneDigits, showTyped } from '#web/ui/phone/phone.ts';
import {
  enterText,
  formatDigits,
  guessAtHome,
  type PhoneOptions,
  maskOf,
  readTyped,
  startWith,
  telError,
  type Typed,
} from '#web/ui/phone/telephone.ts';
import {
  listed,
  pickCountry,
  searchCountries,
  tableOf,
  typeAhead,
} from '#web/ui/phone/telephoneCountries.ts';
import { realNumber } from '#web/ui/phone/telephoneReal.ts';
import {
  formats,
  guesses,
  picks,
  searches,
  starts,
  typings,
  words,
} from '#tests/support/telephone-vectors.ts';

const { all, guess } = tableOf({});
const english = all.map((country) => ({ ...country, shown: country.name }));

function countryOf(iso2: string) {
  const found = all.find((country) => country.iso2 === iso2);
  if (!found) throw new Error(`no country ${iso2}`);
  return found;
}

/** Keys at the end of the text, as a person types them; `<` is Backspace. */
function press(start: Typed, keys: string, options: PhoneOptions): Typed {
  return [...keys].reduce((now, key) => {
    const text = key === '<' ? now.text.slice(0, -1) : now.text + key;
    return enterText({ text, caret: text.length }, now, options, tableOf(options).guess);
  }, start);
}

const begin = (options: PhoneOptions, value = '') =>
  startWith(value, options, tableOf(options).guess);

function paste(text: string, options: PhoneOptions, now = begin(options)): Typed {
  return enterText({ text, caret: text.length }, now, options, guess);
}

test('every country shows its digits as react-phone-input-2 does', () => {
  const rows = formats.trim().split('\n');
  expect(rows.length).toBe(211);
  const shown = rows.map((row) => {
    const [of = ''] = row.split(' | ');
    const [iso2 = '', digits = ''] = of.split(' ');
    return `${of} | ${formatDigits(digits, countryOf(iso2))}`;
  });
  expect(shown).toEqual(rows);
});

test('a number belongs to the country that react-phone-input-2 guesses', () => {
  const rows = guesses.trim().split(/\s+/);
  const guessed = rows.map((row) => {
    const [, digits = ''] = row.split(':');
    return `${guess(digits, 'fr')?.iso2}:${digits}`;
  });
  expect(guessed).toEqual(rows);
});

test.each(starts)('in "%s" the value "%s" is shown as "%s"', (country, value, text, iso2) => {
  const { text: shown, country: of } = begin({ country }, value);
  expect([shown, of?.iso2 ?? '']).toEqual([text, iso2]);
});

test.each(typings)('with %j the keys "%s" give "%s"', (options, keys, text, iso2) => {
  const typed = press(begin(options), keys, options);
  expect([typed.text, typed.country?.iso2]).toEqual([text, iso2]);
});

test.each(searches)('searching for "%s" finds "%s"', (query, found) => {
  expect(searchCountries(english, query).map(({ iso2 }) => iso2)).toEqual(
    found.trim().split(/\s+/).filter(Boolean),
  );
});

test.each(words)('typing "%s" on the list leads to "%s"', (word, iso2) => {
  expect(typeAhead(english, word)?.iso2 ?? '').toBe(iso2);
});

test.each(picks)('in "%s", "%s" becomes with "%s" "%s"', (country, value, iso2, text) => {
  const options = { country };
  const picked = pickCountry(begin(options, value), countryOf(iso2), options);
  expect([picked.text, picked.country?.iso2, picked.frozen]).toEqual([text, iso2, true]);
});

test('masks have the lengths that decide whether a number is too short', () => {
  const lengths = ['id', 'fr', 'us', 'sg'].map((iso2) => countryOf(iso2).format.length);
  expect(lengths.map((length) => Math.ceil(length / 2))).toEqual([11, 9, 9, 7]);
  expect(maskOf('62', '...-....-.........').length).toBe(countryOf('id').format.length);
});

test.each([
  ['62', true, true],
  ['6281234567', true, true],
  ['62812345678', true, false],
  ['6281234567', false, false],
  ['', true, true],
])('with the digits "%s", touched %s, something is wrong: %s', (digits, dirty, wrong) => {
  expect(telError(digits, countryOf('id'), dirty)).toBe(wrong);
});

test.each([
  ['081234567890', 'id', '6281234567890'],
  ['0812-3456-7890', 'id', '6281234567890'],
  ['8123456789', 'id', '628123456789'],
  ['6281234567890', 'id', '6281234567890'],
  ['+6281234567890', 'id', '6281234567890'],
  ['0062 812 3456 7890', 'id', '6281234567890'],
  ['+62 (0) 812 3456', 'id', '628123456'],
  ['+62+44 7911 123456', 'id', '447911123456'],
  ['+626281234567890', 'id', '6281234567890'],
  ['+620812345678', 'id', '62812345678'],
  ['+62812345678', 'id', '62812345678'],
  ['06 12 34 56 78', 'fr', '33612345678'],
  ['+33 06 12 34 56 78', 'fr', '33612345678'],
  ['+39 06 6982 1234', 'it', '390669821234'],
  ['06 6982 1234', 'it', '390669821234'],
  ['8123456789', 'us', '8123456789'],
])('"%s" in the field of %s is read as %s', (typed, country, digits) => {
  expect(readTyped(typed, begin({ country }))).toBe(digits);
});

test('more than 15 digits are ignored, not cut, and the caret stays', () => {
  const options = { country: 'id' };
  const full = paste('6281234567890123'.slice(0, 15), options);
  const over = full.text.replace('345', '3945');
  const after = enterText({ text: over, caret: over.indexOf('9') + 1 }, full, options, guess);
  expect(after.text).toBe(full.text);
  expect(after.text.slice(0, after.caret)).toBe('+62 812 3');
  expect(digitsOf(paste('6281234567890123456', options, full).text)).toBe(digitsOf(full.text));
});

test('a fixed dial code stays, and a national number is still understood', () => {
  const options = { country: 'id', countryCodeEditable: false };
  expect(paste('+1 702 555 1234', options).text).toBe('+62');
  expect(paste('0812345678', options).text).toBe('+62 812 345 678');
});

test('without the country code the field holds the national part alone', () => {
  const options = { country: 'us', disableCountryCode: true };
  expect(begin(options).text).toBe('');
  const typed = press(begin(options), '7025551234', options);
  expect([typed.text, typed.country?.iso2]).toEqual(['(702) 555-1234', 'us']);
});

test('a manually picked country stays until the digits leave it', () => {
  const options = { country: 'us' };
  const canada = pickCountry(begin(options), countryOf('ca'), options);
  const typed = press(canada, '7025551234', options);
  expect([typed.text, typed.country?.iso2]).toEqual(['+1 (702) 555-1234', 'ca']);
  expect(paste('+62 812 345 678', options, typed).country?.iso2).toBe('id');
});

test('a picked country never makes a number longer than 15 digits', () => {
  const options = { country: 'us' };
  const long = { text: '+62 812345678901234', country: countryOf('id'), frozen: false };
  expect(digitsOf(pickCountry(long, countryOf('ae'), options).text).length).toBe(15);
});

test('options restrict the countries', () => {
  const only = tableOf({ onlyCountries: ['id', 'my', 'sg'], excludeCountries: ['my'] });
  expect(only.all.map(({ iso2 }) => iso2)).toEqual(['id', 'sg']);
  expect(only.guess('60123456789', 'id')?.iso2).toBe('id');
  const regions = tableOf({ regions: ['baltic', 'ex-yugos'] }).all.map(({ iso2 }) => iso2);
  expect(regions).toEqual('ba hr dk ee fi de xk lv lt mk me no pl ru rs si se'.split(' '));
  const preferred = listed(tableOf({ preferredCountries: ['sg', 'id'] })).map(({ iso2 }) => iso2);
  expect(preferred.slice(0, 3)).toEqual(['id', 'sg', 'af']);
  expect(new Set(preferred).size).toBe(211);
  expect(tableOf({ regions: ['baltic'] })).toBe(tableOf({ regions: ['baltic'] }));
});

test('areas are listed separately on request', () => {
  const areas = tableOf({ enableAreaCodes: ['do'] });
  expect(areas.all.filter(({ iso2 }) => iso2 === 'do').map(({ dialCode }) => dialCode)).toEqual([
    '1',
    '1809',
    '1829',
    '1849',
  ]);
  expect(areas.guess('18095551234', 'id')?.dialCode).toBe('1809');
});

test('countries are also found by their Indonesian names, and listed in order', () => {
  const list = listed(tableOf({}));
  expect(searchCountries(list, 'jerman').map(({ iso2 }) => iso2)).toEqual(['de']);
  expect(searchCountries(list, 'germ').map(({ iso2 }) => iso2)).toEqual(['de']);
  expect([typeAhead(list, 'belan'), typeAhead(list, 'nether')].map((one) => one?.iso2)).toEqual([
    'nl',
    'nl',
  ]);
  const names = list.map(({ shown }) => shown);
  expect(names).toEqual(names.toSorted((a, b) => a.localeCompare(b, 'id')));
});

const anyDigits = fc.stringMatching(/^[1-9][0-9]{0,14}$/);
const anyCountry = fc.constantFrom(...all);

test('formatting neither loses nor adds a digit within the mask', () => {
  fc.assert(
    fc.property(anyDigits, anyCountry, (digits, country) => {
      const room = country.format.split('.').length - 1;
      expect(digitsOf(formatDigits(digits, country))).toBe(digits.slice(0, Math.max(room, 1)));
      const long = { enableLongNumbers: true };
      expect(digitsOf(formatDigits(digits, country, long))).toBe(digits);
    }),
  );
});

test('a formatted number is read back as the same number', () => {
  fc.assert(
    fc.property(anyDigits, (digits) => {
      const first = startWith(digits, { country: 'id' }, guess);
      const again = startWith(digitsOf(first.text), { country: 'id' }, guess);
      expect(again.text).toBe(first.text);
    }),
  );
});

test('a field never holds more than 15 digits, after any edit', () => {
  const marks = fc.stringMatching(/^[-0-9+() a]{1,20}$/);
  fc.assert(
    fc.property(fc.array(fc.tuple(marks, fc.nat({ max: 30 }))), (changes) => {
      let now = begin({ country: 'id' });
      for (const [added, where] of changes) {
        const at = Math.min(where, now.text.length);
        const text = now.text.slice(0, at) + added + now.text.slice(at);
        now = enterText({ text, caret: at + added.length }, now, { country: 'id' }, guess);
        expect(digitsOf(now.text).length).toBeLessThanOrEqual(15);
        expect(now.caret).toBeLessThanOrEqual(now.text.length);
        expect(now.caret).toBeGreaterThanOrEqual(0);
      }
    }),
  );
});

test('the caret stays after the same digit', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^628[1-9][0-9]{3,9}$/), fc.nat(), (digits, seed) => {
      const now = begin({ country: 'id' }, digits);
      const at = 4 + (seed % (now.text.length - 3));
      const text = `${now.text.slice(0, at)}7${now.text.slice(at)}`;
      const next = enterText({ text, caret: at + 1 }, now, { country: 'id' }, guess);
      expect(digitsOf(next.text.slice(0, next.caret))).toBe(digitsOf(text.slice(0, at + 1)));
    }),
  );
});

test('a caret is put inside a bracket that was closed for it, and never before the prefix', () => {
  expect(caretFor('+1 (7)', 0)).toBe(5);
  expect(caretFor('+62 812', 5)).toBe(1);
  expect(caretFor('+', 0)).toBe(1);
  expect(caretFor('', 0)).toBe(0);
});

test('Indonesian numbers are the same before the countries are loaded', () => {
  const options = { country: 'id' };
  const home = guessAtHome(options);
  fc.assert(
    fc.property(fc.stringMatching(/^628?[0-9]{0,12}$/), (digits) => {
      expect(startWith(digits, options, home).text).toBe(startWith(digits, options, guess).text);
    }),
  );
  expect(startWith('1702', options, home)).toMatchObject({ text: '+1702', country: undefined });
});

const ours = { country: 'id', masks: { id: '...-....-.........' } };

test('the sign-in field treats Indonesian numbers as the full field does', () => {
  const typed = fc.tuple(
    fc.constantFrom('', '+62', '0', '8', '62', '0062'),
    fc.stringMatching(/^[1-9][-0-9 ]{0,9}$/),
  );
  fc.assert(
    fc.property(typed, ([start, rest]) => {
      const text = start + rest;
      fc.pre(phoneDigits(text).startsWith('62') && !/^(\+?|00)620/.test(digitsOf(text)));
      const table = tableOf(ours);
      const blank = { text: '', country: table.guess('', 'id'), frozen: false };
      const whole = enterText({ text, caret: text.length }, blank, ours, table.guess);
      expect(digitsOf(whole.text)).toBe(phoneDigits(text));
      expect(whole.text).toBe(showTyped(phoneDigits(text)));
    }),
  );
});

test.each([
  ['0812-3456-7890', '6281234567890'],
  ['812 3456 7890', '6281234567890'],
  ['+62 812 3456 7890', '6281234567890'],
  ['0062812', '62812'],
  ['+1 (702) 555', '1702555'],
  ['08+12', '62812'],
  ['6281234567890.0', '6281234567890'],
  ['\u202A0812\u22123456\u20117890\u202C', '6281234567890'],
  ['６２８１２３４５６７８９０', '6281234567890'],
  ['+', ''],
  ['', ''],
])('typing "%s" into the field of the sign-in pages means %s', (typed, digits) => {
  expect(phoneDigits(typed)).toBe(digits);
});

test('the sign-in field reads and writes numbers exactly as the contract does', () => {
  const mark = fc.constantFrom(...' -.()'.split(''));
  const digits = fc.stringMatching(/^[0-9]{1,14}$/);
  const typed = fc.tuple(
    fc.constantFrom('', '+', '0', '00', '8', '62'),
    fc.array(fc.oneof(digits, mark)),
  );
  fc.assert(
    fc.property(typed, ([start, rest]) => {
      const text = start + rest.join('');
      fc.pre(/\d/.test(text));
      expect(phoneDigits(text)).toBe(normalizePhone(text));
      const number = phoneDigits(text);
      if (number !== '') expect(showTyped(number)).toBe(formatPhone(number).trim());
    }),
  );
});

test('every character shown can be deleted again', () => {
  let text = showTyped('6281234567890');
  for (let left = text.length; text !== '' && left > 0; left--) {
    text = showTyped(phoneDigits(text.slice(0, -1)));
  }
  expect(text).toBe('');
});

test('normalizes exactly as specified', () => {
  expect(
    ['0812', '812', '62812', '+62', '0', '', '08123456789012345'].map((one) => to62(one)),
  ).toEqual(['62812', '62812', '62812', '+62', '62', '', '628123456789012']);
  expect(to62('08123456789012345', { long: true })).toBe('628123456789012345');
});

test('limits the length by digits, without separators', () => {
  expect(
    [
      '+62 812-3456-7890',
      '0812-3456-7890-123',
      '(0812) 3456 7890 12345',
      '8 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5',
      '+1 (702) 555-1234 ',
    ].map((one) => to62(one)),
  ).toEqual([
    '+62 812-3456-7890',
    '62812-3456-7890-12',
    '(0812) 3456 7890 123',
    '628 1 2 3 4 5 6 7 8 9 0 1 2',
    '+1 (702) 555-1234 ',
  ]);
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'01268 -+()a'), maxLength: 40 }), (typed) => {
      const digitsIn = (text: string) => text.replace(/\D/g, '');
      const cut = to62(typed);
      expect(digitsIn(cut)).toBe(digitsIn(to62(typed, { long: true })).slice(0, 15));
    }),
  );
});

test.each([
  ['6281234567890', undefined],
  ['17025551234', undefined],
  ['62', undefined],
  ['621234567890123', 'Nomor ini tidak ada di Indonesia. Periksa lagi angkanya.'],
  ['99912345678', 'Nomor ini tidak ada di negara mana pun. Periksa kode negaranya.'],
])('of the number %s is said: %s', async (digits, sentence) => {
  expect(await realNumber(digits)).toBe(sentence);
});
