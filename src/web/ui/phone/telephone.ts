/* The keystroke handling of a telephone field: react-phone-input-2 2.15.1 as far as it is specified, without its
   quirks (docs/decisions/017-forms-and-fields.md). Code that needs the country table is in `telephoneCountries.ts`,
   which is loaded on demand. */

import { cleanNumber } from '#contract/base/written-number.ts';
import { caretFor, digitsOf } from '#web/ui/phone/phone.ts';

/** A country, or with `enableAreaCodes` one of its areas. */
export type Country = {
  /** In English, as `onChange` reports it. */
  name: string;
  /** In Indonesian, as displayed. */
  shown: string;
  /** ISO 3166, lower case. */
  iso2: string;
  /** Digits, with the area code when it is an area. */
  dialCode: string;
  /** `+.. ... ....`: a dot for each digit. */
  format: string;
  regions: readonly string[];
  /** Among equal dial codes the lower one wins. */
  priority: number;
  /** Whether a zero after the dial code is part of the number, as in Italy. */
  keepsZero: boolean;
  /** The number of area code digits in the dial code. */
  area: number;
};

/** The options of a field; names and defaults of react-phone-input-2. */
export type PhoneOptions = {
  /** The country if the digits name none, ISO 3166 in lower case; '' for none. */
  country?: string | undefined;
  /** '+' when omitted. */
  prefix?: string | undefined;
  /** Groups the digits by the country's mask; true when omitted. */
  autoFormat?: boolean | undefined;
  /** Whether the dial code can be edited; true when omitted. */
  countryCodeEditable?: boolean | undefined;
  /** More than 15 digits: true for any number of them, a number for that many. */
  enableLongNumbers?: boolean | number | undefined;
  /** The field holds the national part only. */
  disableCountryCode?: boolean | undefined;
  /** National masks by ISO code, in place of those of the table. */
  masks?: Readonly<Record<string, string>> | undefined;
};

export type Typed = {
  text: string;
  country: Country | undefined;
  /** Picked manually: digits that begin with its dial code do not change the country. */
  frozen: boolean;
  /** The new caret position; omitted: unchanged. */
  caret?: number;
};

/**
 * Guesses the country of digits; without digits the one of the ISO code. `current` is for digits of no country, if that
 * code names none either.
 */
export type Guess = (digits: string, iso2: string, current?: Country) => Country | undefined;

/** The longest telephone number, in digits (E.164). */
const DIGITS_MAX = 15;

/** A country's full mask: a dot for each digit of its dial code, then the national part. */
export const maskOf = (dialCode: string, national = '... ... ... ... ..', prefix = '+'): string =>
  `${prefix}${'.'.repeat(dialCode.length)} ${national}`;

/** Guesses without the country table: only Indonesia. `undefined` means that the table is needed. */
export const guessAtHome =
  ({ masks, prefix }: PhoneOptions): Guess =>
  (digits, iso2) =>
    (digits ? '62'.startsWith(digits.slice(0, 2)) : iso2 === 'id')
      ? {
          name: 'Indonesia',
          shown: 'Indonesia',
          iso2: 'id',
          dialCode: '62',
          format: maskOf('62', masks?.['id'], prefix),
          regions: ['asia'],
          priority: 0,
          keepsZero: false,
          area: 0,
        }
      : undefined;

/**
 * Formats digits by the country's mask and stops where the digits end; digits beyond the mask are dropped, or appended
 * with `enableLongNumbers`. An opened bracket is closed. Fewer than two digits, and digits of no known country, stay
 * ungrouped.
 */
export function formatDigits(
  digits: string,
  country: Country | undefined,
  { prefix = '+', autoFormat, enableLongNumbers, disableCountryCode }: PhoneOptions = {},
): string {
  const mask = disableCountryCode ? country?.format.replace(/^\S* /, '') : country?.format;
  if (digits.length < 2 || !mask || autoFormat === false) {
    return (disableCountryCode ? '' : prefix) + digits;
  }
  let text = '';
  let used = 0;
  for (const mark of mask) {
    if (used === digits.length) break;
    text += mark === '.' ? digits[used++] : mark;
  }
  if (enableLongNumbers) text += digits.slice(used);
  return text.includes('(') && !text.includes(')') ? `${text})` : text;
}

/**
 * Converts typed text to digits with the country code. `0812…` and, in Indonesia, `812…` are national; `+` and `00`
 * begin an international number, even after an existing dial code; a zero between dial code and number is dropped,
 * except in countries that keep it.
 */
export function readTyped(
  typed: string,
  { text, country }: Pick<Typed, 'text' | 'country'>,
  { disableCountryCode }: PhoneOptions = {},
): string {
  if (disableCountryCode) return digitsOf(withoutDecimals(typed));
  const dialCode = country?.dialCode ?? '62';
  let whole = typed;
  if (typed.startsWith(text) && dialCode.startsWith(digitsOf(text))) {
    const added = typed.slice(text.length);
    const digits = digitsOf(added);
    const long = digits.startsWith(dialCode) && digits.length > dialCode.length + 6;
    if (long || /^\s*(\+|00)/.test(added)) whole = added;
  }
  whole = withoutDecimals(whole);
  let digits = digitsOf(whole);
  if (!whole.includes('+')) {
    if (digits.startsWith('00')) digits = digits.slice(2);
    else if (digits.startsWith('8') && dialCode === '62') digits = `62${digits}`;
  }
  if (digits.startsWith('0')) digits = dialCode + digits;
  return country?.keepsZero ? digits : digits.replace(new RegExp(`^${dialCode}0+`), dialCode);
}

/** Undoes a spreadsheet's `6281234567890.0`; returns other text unchanged. */
function withoutDecimals(typed: string): string {
  const number = cleanNumber(typed);
  return /^\+?\d*$/.test(number) && typed.trim() !== '' ? number : typed;
}

/**
 * The initial content, and the content for an outside value: the value in its country's grouping; without one the dial
 * code of the country; '' when there is neither.
 */
export function startWith(value: string, options: PhoneOptions, guess: Guess): Typed {
  const home = guess('', options.country ?? '');
  const digits = readTyped(value, { text: '', country: home }, options);
  const own = digits.length > 1 && !options.disableCountryCode;
  const country = own ? guess(digits, options.country ?? '') : home;
  const lead = digits.length > 1 || options.disableCountryCode ? '' : (country?.dialCode ?? '');
  const all = lead.startsWith(digits) ? lead : lead + digits;
  return { text: all && formatDigits(all, country, options), country, frozen: false };
}

/**
 * The content after a change of the text. Rejected, so that the text stays: more than 15 digits and, if it is fixed, a
 * broken dial code.
 *
 * @param typed the new text, edited from the one in `now`, with its caret.
 */
export function enterText(
  typed: { text: string; caret: number },
  now: Typed,
  options: PhoneOptions,
  guess: Guess,
): Typed {
  const { prefix = '+', enableLongNumbers: long, country = '' } = options;
  const digits = readTyped(typed.text, now, options);
  const after = digitsOf(typed.text.slice(typed.caret)).length;
  const matches = digits.startsWith(now.country?.dialCode ?? '');
  const tooLong = long !== true && digits.length > (long || DIGITS_MAX);
  if (tooLong || (options.countryCodeEditable === false && !matches)) {
    return { ...now, caret: caretFor(now.text, after) };
  }
  if (typed.text === prefix) return { ...now, text: '', caret: 0 };
  const staysSame = options.disableCountryCode || digits === '' || (now.frozen && matches);
  const found = staysSame ? now.country : guess(digits, country, now.country);
  const text = formatDigits(digits, found, options);
  const dropped = digits.length - digitsOf(text).length;
  return {
    text,
    country: found,
    frozen: now.frozen && matches,
    caret: caretFor(text, Math.max(0, after - dropped)),
  };
}

/**
 * True if a field shows an error: it was touched, and there are no digits after the dial code or fewer than half the
 * mask's length, rounded up.
 *
 * @param digits all of them, dial code included.
 */
export const telError = (
  digits: string,
  { dialCode, format }: Pick<Country, 'dialCode' | 'format'>,
  dirty: boolean,
): boolean =>
  dirty &&
  ((digits.startsWith(dialCode) ? digits.slice(dialCode.length) : digits) === '' ||
    digits.length < Math.ceil(format.length / 2));
