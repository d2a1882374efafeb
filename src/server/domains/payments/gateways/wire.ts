import { timingSafeEqual, createHash } from 'node:crypto';
import { isUtf8 } from 'node:buffer';
import * as z from 'zod/mini';
import { RUPIAH_MAX, type Rupiah, rupiah } from '#contract/base/money.ts';

/** A word or id from a gateway, limited to printable ASCII to protect pages and the database. */
export const Word = (longest: number) =>
  z.string().check(z.maxLength(longest), z.regex(/^[\x20-\x7e]+$/));

/** The address of a gateway page: https, or any scheme for a simulated gateway. */
export const pageAddress = (simulated: boolean) =>
  Word(2_000).check(
    z.refine((text) => URL.canParse(text) && (simulated || new URL(text).protocol === 'https:')),
  );

export function jsonOf(raw: Buffer): unknown {
  if (!isUtf8(raw)) return undefined;
  try {
    return JSON.parse(raw.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Compares two secrets in constant time. */
export const areSecretsEqual = (one: string, other: string): boolean =>
  timingSafeEqual(sha256(one), sha256(other));

const sha256 = (text: string) => createHash('sha256').update(text, 'utf8').digest();

/** `"111000.00"`, `111000` → 111000; undefined if not in whole rupiah. */
export function wholeRupiah(amount: string | number | undefined): Rupiah | undefined {
  const text = String(amount);
  if (!/^\d{1,16}(\.0{1,2})?$/.test(text)) return undefined;
  const value = Number(text);
  return value > 0 && value <= RUPIAH_MAX ? rupiah(value) : undefined;
}

const WIB_MS = 7 * 3_600_000;

/** `2026-11-21 14:00:00`: Midtrans' time format, in WIB. */
export const wibText = (at: Date): string =>
  new Date(at.getTime() + WIB_MS).toISOString().slice(0, 19).replace('T', ' ');

export function wibTime(text: string | undefined): Date | undefined {
  if (text === undefined || !/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(text)) return undefined;
  const at = new Date(`${text.replace(' ', 'T')}+07:00`);
  return Number.isNaN(at.getTime()) ? undefined : at;
}
