import { cleanNumber, visibleText } from '#contract/base/written-number.ts';
import { isHiddenPeer } from '#contract/messages/peer.ts';
import { type Given, listOf, textOf, wrong } from '#server/http/dialects/given.ts';

/** One target: its number as it goes into the pivot, and what fills the message's places for it. */
export type Target = { to: string; values: ReadonlyMap<string, string> | undefined };

/** Values of one target's places (`var1` and on), and characters of one. */
const VALUES_MAX = 30;
const VALUE_LENGTH_MAX = 200;

/**
 * The targets of a call: numbers separated by commas, each with the values of its places after bars
 * (`08123456789|Ani|INV-7`). A leading 0 becomes the country code.
 *
 * @throws Refusal `input_invalid` when there is none, or more than `max`.
 */
export function targetsOf(given: Given, max: number): Target[] {
  const parts = listOf(given, 'target', max);
  if (parts.length === 0) throw wrong('target', 'Wajib diisi: nomor tujuan.');
  const country = countryOf(given);
  return parts.map((part) => {
    const [phone = '', ...values] = part.split('|', VALUES_MAX + 2);
    return { to: phoneOf(phone.trim(), country), values: valuesOf(values) };
  });
}

/** @throws Refusal `input_invalid` */
function countryOf(given: Given): string {
  const code = (textOf(given, 'countryCode') ?? '62').trim().replace(/^\+/, '');
  if (!/^\d{1,4}$/.test(code))
    throw wrong('countryCode', 'Harus kode negara, misalnya 62, atau 0.');
  return code;
}

/** A number with its country in front, as far as it can be told; the pivot judges it. */
function phoneOf(phone: string, country: string): string {
  if (isHiddenPeer(visibleText(phone))) return visibleText(phone);
  const bare = cleanNumber(phone);
  if (!/^\d+$/.test(bare)) return bare === '' ? phone : bare;
  if (bare.startsWith('00')) return `+${bare.slice(2)}`;
  if (country === '0') return `+${bare}`;
  if (bare.startsWith('0')) return `+${country}${bare.slice(1)}`;
  return bare.startsWith('8') && country === '62' ? `+62${bare}` : `+${bare}`;
}

function valuesOf(values: readonly string[]): ReadonlyMap<string, string> | undefined {
  if (values.length === 0) return undefined;
  const named = values
    .slice(0, VALUES_MAX + 1)
    .map((value, index) => [index === 0 ? 'name' : `var${index}`, value.trim()] as const);
  return new Map(named.map(([name, value]) => [name, value.slice(0, VALUE_LENGTH_MAX)]));
}

/** A text with the target's values in its places (`{name}`, `{var1}`); as it is where the target has none. */
export function filled(text: string, { values }: Target): string {
  if (!values) return text;
  return text.replaceAll(/\{(name|var\d{1,2})\}/gi, (_place, name: string) => {
    return values.get(name.toLowerCase()) ?? '';
  });
}
