import { timingSafeEqual, createHash } from 'node:crypto';
import { isUtf8 } from 'node:buffer';
import * as z from 'zod/mini';
import { RUPIAH_MAX, type Rupiah, rupiah } from '#contract/base/money.ts';

/** A word or an id as gateways write them: printable ASCII, so that nothing odd reaches a page or the database. */
export const Word = (longest: number) =>
  z.string().check(z.maxLength(longest), z.regex(/^[\x20-\x7e]+$/));

/** An address of a gateway's page; of http only where a simulated gateway serves it. */
export const pageAddress = (simulated: boolean) =>
  Word(2_000).check(
    z.refine((text) => URL.canParse(text) && (simulated || new URL(text).protocol === 'https:')),
  );

/** A body as JSON; undefined when it is none, or not in UTF-8. */
export function jsonOf(raw: Buffer): unknown {
  if (!isUtf8(raw)) return undefined;
  try {
    return JSON.parse(raw.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Whether two secrets are the same, in a time that tells nothing of them. */
export const isSame = (one: string, other: string): boolean =>
  timingSafeEqual(sha256(one), sha256(other));

const sha256 = (text: string) => createHash('sha256').update(text, 'utf8').digest();

/** `"111000.00"`, `111000` → 111000; undefined for what is not whole rupiah. */
export function wholeRupiah(amount: string | number | undefined): Rupiah | undefined {
  const text = String(amount);
  if (!/^\d{1,16}(\.0{1,2})?$/.test(text)) return undefined;
  const value = Number(text);
  return value > 0 && value <= RUPIAH_MAX ? rupiah(value) : undefined;
}

const WIB_MS = 7 * 3_600_000;

/** `2026-11-21 14:00:00`: how Midtrans writes times, in WIB. */
export const wibText = (at: Date): string =>
  new Date(at.getTime() + WIB_MS).toISOString().slice(0, 19).replace('T', ' ');

/** The instant of such a time, which names no zone but is in WIB; undefined when it is none. */
export function wibTime(text: string | undefined): Date | undefined {
  if (text === undefined || !/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(text)) return undefined;
  const at = new Date(`${text.replace(' ', 'T')}+07:00`);
  return Number.isNaN(at.getTime()) ? undefined : at;
}
