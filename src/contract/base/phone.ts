import * as z from 'zod/mini';
import { schema } from './schema.ts';

/** The longest phone number, in digits (E.164; docs/screens.md#money-dates-phones). */
export const PHONE_DIGITS_MAX = 15;

/** A number up to its last digit that counts. */
const LONGEST = new RegExp(`^(?:\\D*\\d){${PHONE_DIGITS_MAX}}`);

/**
 * The specified normalisation, to the letter: a leading 0 becomes 62, a leading 8 gets 62 in front,
 * anything else stays; then at most 15 digits (what stands between them is not counted), unless `long`.
 */
export function to62(phone: string, { long = false }: { long?: boolean } = {}): string {
  let number = phone;
  if (phone.startsWith('0')) number = `62${phone.slice(1)}`;
  else if (phone.startsWith('8')) number = `62${phone}`;
  if (long || number.replace(/\D/g, '').length <= PHONE_DIGITS_MAX) return number;
  return LONGEST.exec(number)?.[0] ?? number;
}

/**
 * What people type, as digits with the country in front: drops spaces, dashes, dots and brackets, and
 * a leading `+` or `00`, then applies `to62`. Longer numbers are not cut, so that a schema refuses them.
 * In `+62 (0)812…` the 0 goes too: both are one phone, which opts out once.
 */
export const normalizePhone = (typed: string): string => withCountry(typed).replace(/^620+/, '62');

function withCountry(typed: string): string {
  const bare = typed.trim().replace(/[\s().\u2010-\u2015-]/g, '');
  if (bare.startsWith('+')) return bare.slice(1);
  if (bare.startsWith('00')) return bare.slice(2);
  return to62(bare, { long: true });
}

/** A phone number as stored: digits with the country code, 8 to 15 of them. */
export const Phone = schema(() =>
  z
    .string()
    .check(
      z.regex(
        /^[1-9][0-9]{7,14}$/,
        'Nomor tidak dikenali. Tulis dengan kode negara, misalnya 6281234567890.',
      ),
    ),
);

/** A phone number as people type it; comes out normalised. */
export const TypedPhone = schema(() =>
  z.pipe(z.pipe(z.string().check(z.maxLength(40)), z.transform(normalizePhone)), Phone()),
);

/** An Indonesian mobile number (628…, 10 to 14 digits), as accepted at registration. */
export const IndonesianMobile = schema(() =>
  z.pipe(
    TypedPhone(),
    z
      .string()
      .check(
        z.regex(
          /^628[1-9][0-9]{6,10}$/,
          'Gunakan nomor ponsel Indonesia, misalnya 0812-3456-7890.',
        ),
      ),
  ),
);

/** `6281234567890` → `+62 812-3456-7890`; other countries: `+` and the digits in groups of four. */
export function formatPhone(digits: string): string {
  if (!digits.startsWith('62')) return `+${digits.replace(/(\d{4})(?=\d)/g, '$1 ')}`;
  const national = digits.slice(2);
  const groups = [national.slice(0, 3), national.slice(3, 7), national.slice(7)].filter(Boolean);
  return `+62 ${groups.join('-')}`;
}
