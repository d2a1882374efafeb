import * as z from 'zod/mini';
import { schema } from './schema.ts';
import { normalizePhone } from './written-number.ts';

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
export function formatPhone(phone: string): string {
  const digits = phone.replace(/^\+/, '');
  if (!digits.startsWith('62')) return `+${digits.replace(/(\d{4})(?=\d)/g, '$1 ')}`;
  const national = digits.slice(2);
  const groups = [national.slice(0, 3), national.slice(3, 7), national.slice(7)].filter(Boolean);
  return `+62 ${groups.join('-')}`;
}
