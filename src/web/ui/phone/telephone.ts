/*
 * What a telephone field does with a keystroke: react-phone-input-2 2.15.1 as far as it is
 * specified, with its quirks left out (docs/decisions/017-forms-and-fields.md). What needs the table of
 * countries is in `telephoneCountries.ts`, which is loaded when it is asked for.
 */

import { cleanNumber } from '#contract/base/written-number.ts';
import { caretFor, digitsOf } from '#web/ui/phone/phone.ts';

/** A country, or with `enableAreaCodes` one of its areas, as the field knows it. */
export type Country = {
  /** In English, as `onChange` reports it. */
  name: string;
  /** In Indonesian, as people see it. */
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
  /** How many digits of the dial code are an area code. */
  area: number;
};

/** How a field reads and writes; the names and defaults are those of react-phone-input-2. */
export type PhoneOptions = {
  /** The country while the digits tell none, ISO 3166 in lower case; '' for none. */
  country?: string | undefined;
  /** '+' when left out. */
  prefix?: string | undefined;
  /** Groups the digits by the country's mask; true when left out. */
  autoFormat?: boolean | undefined;
  /** Whether the dial code can be typed over; true when left out. */
  countryCodeEditable?: boolean | undefined;
  /** More than 15 digits: true for any number of them, a number for that many. */
  enableLongNumbers?: boolean | number | undefined;
  /** The field holds the national part only. */
  disableCountryCode?: boolean | undefined;
  /** National masks by ISO code, in place of those of the table. */
  masks?: Readonly<Record<string, string>> | undefined;
};

/** What stands in a field. */
export type Typed = {
  text: string;
  country: Country | undefined;
  /** Picked by hand: digits that begin with its dial code do not change the country. */
  frozen: boolean;
  /** Where the caret goes; left out where it stays. */
  caret?: number;
};

/**
 * The country that digits belong to; with no digits the one of the ISO code.
 * `current` is for digits that belong nowhere, where that code names no country either.
 */
export type Guess = (digits: string, iso2: string, current?: Country) => Country | undefined;

/** The longest telephone number there is, in digits (E.164). */
const DIGITS_MAX = 15;

/** A country's whole mask: a dot for each digit of its dial code, then the national part. */
export const maskOf = (dialCode: string, national = '... ... ... ... ..', prefix = '+'): string =>
  `${prefix}${'.'.repeat(dialCode.length)} ${national}`;

/**
 * What can be guessed before the table of countries is there: whether it is Indonesia.
 * `undefined` means that the table is needed.
 */
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
 * Digits as the field shows them: fills the country's mask and stops where the digits end; digits
 * beyond the mask are dropped, or follow as they are with `enableLongNumbers`. A bracket that was
 * opened is closed. Fewer than two digits, and digits of no known country, stay ungrouped.
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
 * What was typed as digits with the country in front. `0812…` and, in Indonesia, `812…` are
 * national; `+` and `00` begin an international number, also where it is put behind a dial code
 * that was there already; a zero between dial code and number is dropped, but where it is kept.
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

/** A number as a spreadsheet writes it, `6281234567890.0`, as it is meant; other text as it is. */
function withoutDecimals(typed: string): string {
  const number = cleanNumber(typed);
  return /^\+?\d*$/.test(number) && typed.trim() !== '' ? number : typed;
}

/**
 * What stands in the field at first, or when its value is set from outside: the value in its
 * country's groups; without one the dial code of the country; '' when there is neither.
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
 * What stands in the field after its text was changed. Ignored, so that the text stays as it was,
 * are more than 15 digits and, where it may not be edited, a broken dial code.
 *
 * @param typed the text as the browser made it of the one in `now`, with the caret in it.
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
 * Whether a field has something to say about its number: it was touched, and there is nothing
 * behind the dial code or there are fewer digits than half the mask's length, rounded up.
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
