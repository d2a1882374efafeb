import { expect, test } from 'vitest';
import { saveBillingProfile } from '#contract/billing.ts';

test('does not search an email that is too long', () => {
  const profile = { name: 'Ani', npwp: '', address: '' };
  const isRead = (email: string) =>
    saveBillingProfile.input.safeParse({ ...profile, email }).success;
  expect(isRead('ani@toko.example')).toBe(true);
  expect(isRead('ani@toko')).toBe(false);
  expect(isRead(`a@${'.'.repeat(400_000)} `.padEnd(400_010, '@'))).toBe(false);
});
