/*
 * Reads phone numbers as people, spreadsheets and programs write them. Without schemas: the sign-in page
 * imports this file, and they would add 8 kB (gzip) to it.
 */

/** The longest phone number, in digits (E.164; docs/screens.md#money-dates-phones). */
export const PHONE_DIGITS_MAX = 15;

const LONGEST = new RegExp(`^(?:\\D*\\d){${PHONE_DIGITS_MAX}}`);

/**
 * The specified normalisation: a leading 0 becomes 62, a leading 8 gets 62 in front, anything else stays; then at most
 * 15 digits (characters between them do not count), unless `long`.
 */
export function to62(phone: string, { long = false }: { long?: boolean } = {}): string {
  const number = phone.replace(/^(?:0|(?=8))/, '62');
  if (long || number.replace(/\D/g, '').length <= PHONE_DIGITS_MAX) return number;
  return LONGEST.exec(number)?.[0] ?? number;
}

const FULL_WIDTH = /[\uFF01-\uFF5E]/g;
const FULL_WIDTH_OFFSET = 0xfee0;
/** Invisible characters: direction marks, zero widths, soft hyphens, variation selectors, control characters. */
const INVISIBLE = /[[\p{Cc}--\s]\p{Cf}\p{DI}]/gv;
/** Characters between digits: blanks, brackets, dots, dashes of every kind, minus signs. */
const SEPARATORS = /[\s().\p{Pd}\u02D7\u2043\u207B\u208B\u2212\u2796]/gu;

/** Removes invisible characters and converts full-width forms to ASCII. */
export const visibleText = (text: string): string =>
  text
    .replace(INVISIBLE, '')
    .replace(FULL_WIDTH, (letter) => String.fromCharCode(letter.charCodeAt(0) - FULL_WIDTH_OFFSET))
    .trim();

/**
 * Removes the characters around and between the digits of a number: `+6281234567890`, `081234567890`. The apostrophe by
 * which spreadsheets mark a text goes too. Empty for a fraction, or a number that a spreadsheet has rounded.
 */
export function cleanNumber(typed: string): string {
  if (typed.length > WRITTEN_MAX) return '';
  const whole = wholeNumber(visibleText(typed).replace(/^'/, ''));
  return whole?.replace(SEPARATORS, '') ?? '';
}

/** Longer texts are not numbers. */
const WRITTEN_MAX = 140;
/** From this many digits on, a single point behind them separates decimals and does not group. */
const WHOLE_DIGITS = 10;
const LEAST_DIGITS = 8;

/**
 * Reads `6281234567890.0`, `6.281.234.567.890,00` and `6.281234567890E+12` as spreadsheets and programs mean them. Text
 * without decimals is unchanged.
 *
 * @returns undefined if the digits of the number are unknown.
 */
function wholeNumber(text: string): string | undefined {
  const [, sign = '', first = '', more = '', power = ''] =
    /^(\+?)(\d+)(?:[.,](\d+))?[eE]\+?(\d{1,2})$/.exec(text) ?? [];
  if (power !== '') {
    const places = Number(power);
    // Fewer decimals than the exponent: the spreadsheet shows a rounded number.
    const isExact = more.length >= places && /^0*$/.test(more.slice(places));
    return isExact ? `${sign}${first}${more.slice(0, places)}` : undefined;
  }
  const [, whole = '', point = '', decimals = ''] =
    /^([^,]*|[\d,]*)([.,])\s*(\d+)\s*$/.exec(text) ?? [];
  if (point === '') return text;
  const digits = whole.replace(/\D/g, '').length;
  const isZero = /^0+$/.test(decimals);
  if (point === ',' || whole.includes(',')) {
    return isZero && digits >= LEAST_DIGITS ? whole.replaceAll(',', '') : text;
  }
  // Further points group digits, so the last one may too.
  if (whole.includes('.')) return decimals === '0' && digits >= WHOLE_DIGITS ? whole : text;
  if (digits < LEAST_DIGITS) return text;
  if (isZero && (digits >= WHOLE_DIGITS || decimals.length < 3)) return whole;
  return digits >= WHOLE_DIGITS || isZero ? undefined : text;
}

/**
 * Turns typed text into digits with the country code: drops the characters around and between them, and
 * a leading `+` or `00`, then applies `to62`. Longer numbers are not cut, so that a schema refuses them.
 * In `+62 (0)812…` the 0 goes too: both are one phone, which opts out once.
 */
export const normalizePhone = (typed: string): string =>
  withCountry(cleanNumber(typed)).replace(/^620+/, '62');

function withCountry(bare: string): string {
  const international = bare.replace(/^(?:\+|00)/, '');
  return international === bare ? to62(bare, { long: true }) : international;
}
