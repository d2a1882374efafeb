import { Phone, TypedPhone } from '#contract/base/phone.ts';
import { storageSet, storageGet } from '#web/browser/storage.ts';

const NAME = 'simulator-phones';
const REMEMBERED_MAX = 6;

/** The phone that is shown when none was ever chosen here. */
const FIRST_PHONE = '6281200000001';

/** The numbers that do always the same, for tests of one's own system. */
export const fixedPhones: readonly string[] = Array.from(
  { length: 16 },
  (_, index) => `62800000${String(index + 1).padStart(3, '0')}`,
);

/** A number as people type it, normalised; `undefined` when it is none. */
export function readPhone(typed: string | undefined): string | undefined {
  const read = TypedPhone().safeParse(typed ?? '');
  return read.success ? read.data : undefined;
}

/** The phones that were last looked at in this browser, the newest first. */
export function rememberedPhones(): readonly string[] {
  const stored = storageGet('browser', NAME) ?? '';
  return stored.split(' ').filter((phone) => Phone().safeParse(phone).success);
}

/** Puts a phone first among the remembered ones. */
export function rememberPhone(phone: string): void {
  storageSet('browser', NAME, withPhone(rememberedPhones(), phone).join(' '));
}

/** A list with a phone first in it, once, and no longer than is remembered. */
export const withPhone = (phones: readonly string[], phone: string): readonly string[] =>
  [phone, ...phones.filter((other) => other !== phone)].slice(0, REMEMBERED_MAX);

/** The phone to show: the address's, else the last one, else the first one of all. */
export const chosenPhone = (requested: string | undefined): string =>
  readPhone(requested) ?? rememberedPhones()[0] ?? FIRST_PHONE;
