import { Phone, TypedPhone } from '#contract/base/phone.ts';
import { storageSet, storageGet } from '#web/browser/storage.ts';

const NAME = 'simulator-phones';
const REMEMBERED_MAX = 6;

const FIRST_PHONE = '6281200000001';

/** The numbers with fixed outcomes, for customers' own tests. */
export const fixedPhones: readonly string[] = Array.from(
  { length: 16 },
  (_, index) => `62800000${String(index + 1).padStart(3, '0')}`,
);

/** A typed number, normalised; `undefined` if invalid. */
export function readPhone(typed: string | undefined): string | undefined {
  const read = TypedPhone().safeParse(typed ?? '');
  return read.success ? read.data : undefined;
}

export function rememberedPhones(): readonly string[] {
  const stored = storageGet('browser', NAME) ?? '';
  return stored.split(' ').filter((phone) => Phone().safeParse(phone).success);
}

export function rememberPhone(phone: string): void {
  storageSet('browser', NAME, withPhone(rememberedPhones(), phone).join(' '));
}

/** Moves a phone to the front of the list, without duplicates, and limits its length. */
export const withPhone = (phones: readonly string[], phone: string): readonly string[] =>
  [phone, ...phones.filter((other) => other !== phone)].slice(0, REMEMBERED_MAX);

/** The phone to show: from the address, else of the person who is signed in, else the last one, else the default. */
export const initialPhone = (requested: string | undefined, own?: string): string =>
  readPhone(requested) ?? own ?? rememberedPhones()[0] ?? FIRST_PHONE;
